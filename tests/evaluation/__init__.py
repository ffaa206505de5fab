"""Tests of what measures a memory."""
