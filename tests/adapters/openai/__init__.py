"""The OpenAI client with a memory."""
