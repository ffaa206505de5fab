"""Tests of dynamics."""
