"""Arrays that grow are those that concatenating makes, and none that was given out ever changes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.index.growing import Growing

numbers = st.lists(st.integers(0, 99), max_size=7)


@given(numbers, st.lists(st.tuples(st.sampled_from([0, 0, 0, 1, 2, 3]), numbers), max_size=12))
def test_it_is_what_concatenating_makes(first, steps):
    """Property: also for who goes on from an array that is not the last one, as after a step that failed."""
    growing: Growing[np.int64] = Growing()
    given_out = [(np.array(first, dtype=np.int64), first)]
    for back, more in steps:
        array, known = given_out[-1 - back % len(given_out)]
        given_out.append((growing.extended(array, np.array(more, dtype=np.int64)), known + more))
    for array, expected in given_out:
        assert array.tolist() == expected


def test_it_moves_seldom():
    """Of a thousand steps, each one number, a dozen move it."""
    growing: Growing[np.float64] = Growing()
    array, places = np.zeros(1), set()
    for number in range(1000):
        array = growing.extended(array, np.array([float(number)]))
        places.add(array.ctypes.data)
    assert array.tolist() == [0.0, *map(float, range(1000))]
    assert len(places) < 15


def test_what_it_begins_with_is_not_written_to():
    """Not even behind a view of it, and not by a step that adds nothing."""
    whole, growing = np.arange(8), Growing()
    same = growing.extended(whole[:4], whole[:0])
    growing.extended(same, np.array([9, 9]))
    assert whole.tolist() == list(range(8))
