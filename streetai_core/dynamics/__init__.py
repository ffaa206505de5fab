"""How weights fade, come back and learn: rules without I/O."""
