"""Tests of prompt."""
