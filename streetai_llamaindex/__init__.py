"""The room for StreetAI Memory for LlamaIndex: empty in this version.

A LlamaIndex `BaseEmbedding` can be the encoder of a `streetai_core.MemoryRegistry` already.
"""
