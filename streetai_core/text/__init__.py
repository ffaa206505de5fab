"""Text: cleaning and chunking."""
