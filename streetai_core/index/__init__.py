"""Vector indexes: caches of the store that can be rebuilt at any time."""
