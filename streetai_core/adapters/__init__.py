"""Clients of model providers with a memory: one interceptor, and a thin codec for each provider."""
