"""What a memory has learned, as tests look at it."""

from collections import Counter


def learning_steps(memory):
    """How often each signal was learned about, of those that were: entries of the log by `signal_id`, read at once."""
    return Counter(entry.signal_id for entry in memory.history())
