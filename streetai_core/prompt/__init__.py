"""From hits and messages to what the model is sent."""
