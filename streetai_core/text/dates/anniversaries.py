"""Rules for the same day or time of another week, month or year: "this day last year", "this time next week"."""

from __future__ import annotations

from datetime import date

from streetai_core.text.dates.calendars import (
    DAYS_IN_WEEK,
    MONTHS_IN_YEAR,
    add_months,
    month_of_day,
    week_of,
    year_of,
)
from streetai_core.text.dates.reader import Found, Reader
from streetai_core.text.dates.spans import TimeSpan, one_day

_OTHER_TIMES = frozenset({"shift", "cardinal", "article", "number"})
"""Kinds of words that begin the other time: "last year", "two years ago"."""


def same_time(reader: Reader, index: int) -> Found | None:
    """This day, or about this time, of another week, month or year: "on this day in 2015", "by this time next week".

    "The same day last year" too.
    """
    behind = index + 1 + (reader.word(index + 1) in {"same", "very"})
    named = reader.word(behind)
    if reader.word(index) not in {"this", "the"} or named not in {"day", "time"}:
        return None
    if reader.word(index) == "the" and behind == index + 1:
        return None
    outer = _other_time(reader, behind + 1)
    if outer is None:
        return None
    day = _same_day(reader.today, outer.span)
    if day is None:
        return None
    is_day = named == "day" or outer.span.days <= DAYS_IN_WEEK
    return Found(one_day(day) if is_day else month_of_day(day), outer.end)


def _other_time(reader: Reader, index: int) -> Found | None:
    """The week, month or year that begins at a token."""
    behind = reader.skip(index, "in")
    if year := reader.year(behind):
        return Found(year_of(year), behind + 1)
    return reader.expression(behind) if reader.kind(behind) in _OTHER_TIMES else None


def _same_day(today: date, span: TimeSpan) -> date | None:
    """The day of a whole week, month or year that is like `today`."""
    start = span.start
    if span == week_of(start):
        return start + (today - week_of(today).start)
    if span == year_of(start.year):
        return add_months(today, (start.year - today.year) * MONTHS_IN_YEAR)
    if span == month_of_day(start):
        return add_months(today, (start.year - today.year) * MONTHS_IN_YEAR + start.month - today.month)
    return None
