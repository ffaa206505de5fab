"""StreetAI Memory for LlamaIndex."""
