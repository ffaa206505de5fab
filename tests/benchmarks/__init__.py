"""Benchmarks: run by hand, results committed."""
