"""Memories out of and into files."""
