"""Tests of cleaning and chunking."""
