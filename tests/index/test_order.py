"""Messages count as said when they came, unless their days say plainly that it was another order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.index.order import ZONES, as_said, may_be_before, oldest_first


def said(days, sequences=None):
    """The places of messages of these days, which came in this order unless sequences say another."""
    sequences = np.arange(len(days)) if sequences is None else np.array(sequences)
    return as_said(sequences, np.array(days, dtype=np.int64)).tolist()


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ([], []),
        ([5], [0]),
        ([5, 5, 6, 9], [0, 1, 2, 3]),
        ([5, 4, 6, 5], [0, 1, 2, 3]),
        ([900, 901, 10, 11, 902], [2, 3, 0, 1, 4]),
        ([900, 10, 10, 500, 12], [4, 0, 1, 3, 2]),
    ],
)
def test_an_old_history_that_came_late_is_old(days, expected):
    """What is a day off came from another zone, and stays where it came."""
    assert said(days) == expected


def test_rows_may_stand_in_any_order():
    """An edited message has a later row than those behind it."""
    assert said([7, 900, 8], [1, 2, 5]) == [1, 5, 2]
    assert said([900, 7, 8], [2, 1, 5]) == [5, 1, 2]
    assert said([6, 5, 5], [9, 3, 4]) == [9, 3, 4]


@given(st.dictionaries(st.integers(0, 40), st.integers(1, 60), max_size=20), st.data())
def test_oldest_first_is_by_these_places(days, data):
    """Whichever way round the messages stand; one that stands there twice stays as it stood."""
    standing = data.draw(st.permutations(2 * sorted(days)))
    places = dict(zip(sorted(days), said([days[one] for one in sorted(days)], sorted(days)), strict=True))
    found = oldest_first(np.array(standing, dtype=np.int64), np.array([days[one] for one in standing], dtype=np.int64))
    assert found.tolist() == sorted(range(len(standing)), key=lambda place: (places[standing[place]], place))


@given(st.lists(st.integers(0, 3), max_size=30).map(sorted), st.data())
def test_in_order_nothing_changes(days, data):
    """Whatever the zones: a memory that grows from day to day is as it was."""
    zoned = [day - data.draw(st.integers(0, ZONES)) for day in days]
    assert said(zoned) == list(range(len(days)))


@given(st.lists(st.integers(1, 60), max_size=30))
def test_places_are_the_sequences_themselves_in_another_order(days):
    """So that the newest has the place of the newest."""
    sequences = [3 * number + 1 for number in range(len(days))]
    assert sorted(said(days, sequences)) == sequences


def test_a_day_more_may_be_the_zone():
    """Two are not."""
    assert may_be_before(np.array([4, 5, 6, 7]), 5).tolist() == [True, True, True, False]
