"""What is known from what was said: which statement replaces which."""
