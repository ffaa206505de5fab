"""Tests of the Gemini client with a memory."""
