"""What every client with a memory does, whichever provider it is for."""
