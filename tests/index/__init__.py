"""The indexes in RAM."""
