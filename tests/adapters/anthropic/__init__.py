"""Tests of the Anthropic client with a memory."""
