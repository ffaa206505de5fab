"""Being told of what memories do."""
