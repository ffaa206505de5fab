"""Looking after a database file: is it whole, what is left of it, a copy of it, and what was erased from it."""
