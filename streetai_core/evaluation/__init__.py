"""Measuring a memory on conversations, and the conversations to do it with."""
