"""Spans of days and the calendar behind them, against dates that were looked up."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.text.dates import TimeSpan
from streetai_core.text.dates.calendars import HOLIDAYS, add_months, easter, third_of, weekend_of


def span(start, end):
    """A span from two ISO dates."""
    return TimeSpan(date.fromisoformat(start), date.fromisoformat(end))


def test_a_span_that_runs_backwards_is_refused():
    """A swapped pair would overlap nothing, so its message could never be found by date."""
    with pytest.raises(ValueError, match="swap the two dates"):
        span("2023-05-02", "2023-05-01")


def test_spans_meet_where_they_share_a_day():
    """A filter that loses the edges loses the messages of the first and last day."""
    may = span("2023-05-01", "2023-05-31")
    assert may.overlaps(span("2023-05-31", "2023-06-02"))
    assert not may.overlaps(span("2023-06-01", "2023-06-02"))
    assert may.contains(date(2023, 5, 1))
    assert may.joined(span("2023-07-01", "2023-07-01")) == span("2023-05-01", "2023-07-01")
    assert may.shifted(-1) == span("2023-04-30", "2023-05-30")


@pytest.mark.parametrize(
    "day",
    ["1818-03-22", "1943-04-25", "2000-04-23", "2008-03-23", "2011-04-24", "2019-04-21", "2024-03-31", "2038-04-25"],
)
def test_easter_falls_where_the_church_says(day):
    """The earliest and latest possible Easter Sundays are the ones that formulas get wrong."""
    assert easter(int(day[:4])) == date.fromisoformat(day)


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("thanksgiving", "2023-11-23"),
        ("black friday", "2023-11-24"),
        ("memorial day", "2023-05-29"),
        ("labor day", "2023-09-04"),
        ("mother", "2023-05-14"),
        ("father", "2023-06-18"),
        ("good friday", "2023-04-07"),
        ("easter monday", "2023-04-10"),
    ],
)
def test_floating_holidays(name, day):
    """A weekend after Thanksgiving is wrong by a week if the count of Thursdays is."""
    assert HOLIDAYS[name](2023) == date.fromisoformat(day)


def test_months_are_added_within_their_length():
    """A month after 31 January is the last of February, in leap years too."""
    assert add_months(date(2024, 1, 31), 1) == date(2024, 2, 29)
    assert add_months(date(2023, 3, 31), -1) == date(2023, 2, 28)
    assert add_months(date(2023, 12, 15), 1) == date(2024, 1, 15)
    with pytest.raises((ValueError, OverflowError)):
        add_months(date(9999, 12, 1), 1)


@given(st.dates(date(1, 1, 8), date(9990, 1, 1)), st.integers(0, 5000), st.sampled_from(["early", "mid", "late"]))
def test_a_third_lies_in_its_span(start, days, part):
    """A part outside the whole would be a date that nobody meant."""
    whole = TimeSpan(start, date.fromordinal(start.toordinal() + days))
    third = third_of(whole, part)
    assert whole.start <= third.start <= third.end <= whole.end


@given(st.dates(date(1, 1, 8), date(9990, 1, 1)))
def test_the_weekend_is_in_the_same_week(day):
    """Sunday belongs to the weekend that began the day before."""
    weekend = weekend_of(day)
    assert (weekend.start.weekday(), weekend.end.weekday()) == (5, 6)
    assert -6 <= (day - weekend.end).days <= 0
