"""The page about a memory."""
