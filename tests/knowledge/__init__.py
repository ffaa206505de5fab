"""Tests of what is known from what was said."""
