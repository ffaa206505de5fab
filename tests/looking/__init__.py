"""Looking into a memory."""
