"""Tests of the clients of model providers."""
