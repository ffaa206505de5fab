"""Poisoned content, injection, foreign memories: what holds against people who write with intent."""
