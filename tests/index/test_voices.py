"""Between whom a conversation is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.index.voices import TWO, Voices

messages = st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 3)), max_size=40)


def voices_of(said):
    """Of (conversation, author) pairs."""
    conversation, author = np.array(said, dtype=np.int64).reshape(-1, 2).T
    return Voices(conversation, author)


@given(messages, st.integers(0, 40), st.integers(-1, 4))
def test_it_is_by_how_much_each_says(said, first, author):
    """Property: by the formula, and the same however many messages came later."""
    voices = voices_of(said[:first])
    for conversation, speaker in said[first:]:
        voices.add(conversation, speaker)
    found = voices.between_two(author, 5).tolist()
    for conversation in range(5):
        speakers = [speaker for where, speaker in said if where == conversation]
        squares = sum(speakers.count(speaker) ** 2 for speaker in set(speakers))
        assert found[conversation] == (author in speakers and len(speakers) ** 2 <= TWO * squares)


@pytest.mark.parametrize(
    ("shares", "two"), [((1,), True), ((1, 1), True), ((9, 1), True), ((9, 9, 2), True), ((1, 1, 1), False)]
)
def test_a_third_who_says_little_makes_no_crowd(shares, two):
    """Three who say equally much are one."""
    voices = voices_of([(0, author) for author, share in enumerate(shares) for _ in range(share)])
    assert voices.between_two(0, 1).tolist() == [two]
