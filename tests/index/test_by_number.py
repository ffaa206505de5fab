"""The rows of messages and signals by their numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.index.by_number import RowsByNumber

NUMBERS = st.integers(0, 3_000)


@given(
    st.none() | st.lists(NUMBERS, unique=True, max_size=20),
    st.lists(st.tuples(st.sampled_from(["put", "drop"]), NUMBERS, st.integers(0, 50)), max_size=30),
)
def test_it_is_a_dictionary(filled, steps):
    """Property: whatever comes, in whatever order, is found, and nothing else."""
    rows, expected = RowsByNumber(), {}
    if filled is not None:
        rows.fill(np.array(filled, dtype=np.int64))
        expected = {number: row for row, number in enumerate(filled)}
    for verb, number, row in steps:
        if verb == "put":
            rows.put(number, row)
            expected[number] = row
        elif number in expected:
            rows.drop(number)
            del expected[number]
    every = np.arange(-3, 9_000)
    found = rows.find(every)
    assert {int(one): int(row) for one, row in zip(every, found, strict=True) if row >= 0} == expected
    assert len(rows) == len(expected)
    for number in range(-3, 50):
        assert (number in rows) == (number in expected)
        assert rows.row(number) == expected.get(number, -1)


def test_room_is_for_what_is_there_and_not_for_what_ever_was():
    """An app that keeps the last hundred messages of a million would carry a number for each."""
    rows = RowsByNumber()
    rows.fill(np.arange(1_000_000, 1_000_100))
    assert rows.room < 200
    rows.put(1_000_100, 100)
    assert rows.room < 500
    fresh = RowsByNumber()
    fresh.put(5_000_000, 0)
    assert fresh.room < 200
