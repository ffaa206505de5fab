"""Other memories as their documentation shows them, timed verb by verb."""
