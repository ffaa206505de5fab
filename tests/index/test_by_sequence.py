"""The rows of messages by their sequences."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.index.by_sequence import RowsBySequence

SEQUENCES = st.integers(0, 3_000)


@given(
    st.none() | st.lists(SEQUENCES, unique=True, max_size=20),
    st.lists(st.tuples(st.sampled_from(["put", "drop"]), SEQUENCES, st.integers(0, 50)), max_size=30),
)
def test_it_is_a_dictionary(filled, steps):
    """Property: whatever comes, in whatever order, is found, and nothing else."""
    rows, expected = RowsBySequence(), {}
    if filled is not None:
        rows.fill(np.array(filled, dtype=np.int64))
        expected = {sequence: row for row, sequence in enumerate(filled)}
    for verb, sequence, row in steps:
        if verb == "put":
            rows.put(sequence, row)
            expected[sequence] = row
        elif sequence in expected:
            rows.drop(sequence)
            del expected[sequence]
    every = np.arange(-3, 9_000)
    found = rows.find(every)
    assert {int(one): int(row) for one, row in zip(every, found, strict=True) if row >= 0} == expected


def test_room_is_for_what_is_there_and_not_for_what_ever_was():
    """An app that keeps the last hundred messages of a million would carry a number for each."""
    rows = RowsBySequence()
    rows.fill(np.arange(1_000_000, 1_000_100))
    assert rows.room < 200
    rows.put(1_000_100, 100)
    assert rows.room < 500
    fresh = RowsBySequence()
    fresh.put(5_000_000, 0)
    assert fresh.room < 200
