"""Tests of the core: state, placement, arithmetic."""
