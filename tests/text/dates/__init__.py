"""Tests of the dates in language."""
