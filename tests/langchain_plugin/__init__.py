"""Tests of StreetAI Memory for LangChain."""
