"""Rules for dates told from the day of speaking: "yesterday", "last week", "two years ago"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta

from streetai_core.text.dates.amounts import (
    CLOCK_UNITS,
    OF_MONEY,
    amount,
    moved,
    rolling,
)
from streetai_core.text.dates.calendars import (
    DAYS_IN_WEEK,
    week_of,
    weekday_after,
    weekday_before,
    weekend_of,
)
from streetai_core.text.dates.numbers import ONE
from streetai_core.text.dates.reader import Found, Reader
from streetai_core.text.dates.spans import TimeSpan, one_day
from streetai_core.text.dates.vocabulary import DOUBTFUL_MONTHS, UNTIL

_MIDWEEK = 3
"""From Monday until the day before Thursday, "this weekend" in a sentence about the past is the last one."""

_SATURDAY = 5

_AMBIGUOUS_DAYS = frozenset({"sat", "sun", "wed"})
"""Weekdays that are other words where nobody wrote a capital."""

_NOT_ROLLING = OF_MONEY | {"workday", "century"}
"""Units of which "in the last one" is the calendar's too."""

_OTHER_DAYS = {"day": 1, "night": 1, "evening": 1, "morning": 1}
_OTHER_WEEKS = 3


def day_word(reader: Reader, index: int) -> Found | None:
    """A day named from today ("yesterday evening")."""
    day = reader.today + timedelta(reader.number(index))
    if reader.word(index + 1) == "week" and reader.number(index) >= 0:  # "tomorrow week"
        return Found(one_day(day + timedelta(DAYS_IN_WEEK)), index + 2)
    return Found(one_day(day), reader.skip(index + 1, "part"))


def other_day(reader: Reader, index: int) -> Found | None:
    """The days before today that "the other day" and its kin leave open: one week, three for "the other week".

    "The other Saturday" is one of the last two.
    """
    if reader.kind(index) != "the" or reader.kind(index + 1) != "other":
        return None
    word = reader.word(index + 2)
    yesterday = reader.today - timedelta(1)
    if word in _OTHER_DAYS:
        return Found(TimeSpan(reader.today - timedelta(DAYS_IN_WEEK), yesterday), index + 3)
    if word in {"week", "weekend"}:
        monday = week_of(reader.today).start
        return Found(TimeSpan(monday - timedelta(DAYS_IN_WEEK * _OTHER_WEEKS), monday - timedelta(1)), index + 3)
    if reader.kind(index + 2) == "weekday":
        last = weekday_before(reader.today, reader.number(index + 2))
        return Found(TimeSpan(last - timedelta(DAYS_IN_WEEK), last), index + 3)
    return None


def shifted(reader: Reader, index: int) -> Found | None:
    """A shift and what it moves: "last Friday", "this past weekend", "next month", "the past two weeks"."""
    word, sign, behind = reader.word(index), reader.number(index), index + 1
    if word == "this" and reader.kind(behind) == "shift":
        word, sign, behind = reader.word(behind), reader.number(behind), behind + 1
    kind = reader.kind(behind)
    if kind == "unit":
        return _shifted_unit(reader, behind, word, sign)
    if kind == "weekday":
        return _shifted_weekday(reader, behind, word, sign)
    rule = _SHIFTED.get(kind)
    return None if rule is None else rule(reader, behind, sign)


def _shifted_unit(reader: Reader, index: int, word: str, sign: int) -> Found | None:
    unit = reader.name(index)
    if unit == "day" or unit in CLOCK_UNITS or (reader.word(index).removesuffix("'s").endswith("s")):
        return None
    if unit == "fortnight" or (unit != "weekend" and _is_rolling(reader, index, word)):
        return Found(rolling(reader.today, ONE, unit, sign or 1), index + 1)
    if unit == "weekend":
        return Found(_weekend(reader, index, word, sign), index + 1)
    if (unit == "workday" and sign < 1) or (unit == "century" and not sign):  # "my last working day"
        return None
    return Found(moved(reader.today, unit, sign), index + 1)


def _is_rolling(reader: Reader, index: int, word: str) -> bool:
    """Whether a unit is counted from today and not taken from the calendar: "the past week", "in the last month"."""
    if word == "past":
        return True
    if reader.name(index) in _NOT_ROLLING:
        return False
    before = reader.kind(index - 2) == "the" and reader.kind(index - 3) in {"in", "on"}
    return before and word in {"last", "next"}


def _weekend(reader: Reader, index: int, word: str, sign: int) -> TimeSpan:
    if word in {"coming", "upcoming"}:
        sign = 1 if reader.today.weekday() >= _SATURDAY else 0
    if not sign and reader.today.weekday() < _MIDWEEK and reader.direction(index) < 0:
        sign = -1
    return moved(reader.today, "weekend", sign)


def _shifted_amount(reader: Reader, index: int, sign: int) -> Found | None:
    read = amount(reader, index)
    if read is None or not sign:
        return None
    if reader.word(index - 1) == "coming" and reader.kind(read.end) == "side":  # "he is coming two days before Easter"
        return None
    return Found(rolling(reader.today, read.count, read.unit, sign), read.end)


def _shifted_part(reader: Reader, index: int, sign: int) -> Found | None:
    if sign > 0 or (sign < 0 and reader.name(index) not in {"night", "evening"}):
        return None
    return Found(one_day(reader.today + timedelta(sign)), index + 1)


def _shifted_weekday(reader: Reader, index: int, word: str, sign: int) -> Found | None:
    token, weekday = reader.token(index), reader.number(index)
    if word == "this" and token.word in _AMBIGUOUS_DAYS and not token.titled:
        return None
    today = reader.today
    if word in {"coming", "upcoming"}:
        day = weekday_after(today, weekday)
        if reader.word(index + 1) == "week":  # "she's coming Friday week"
            return Found(one_day(day + timedelta(DAYS_IN_WEEK)), index + 2)
    elif sign > 0:
        day = week_of(today).end + timedelta(weekday + 1)
    elif sign < 0:
        day = weekday_before(today, weekday)
    elif reader.direction(index) < 0:
        day = weekday_before(today + timedelta(1), weekday)
    else:
        day = weekday_after(today - timedelta(1), weekday)
    return Found(one_day(day), reader.skip(index + 1, "part"))


def _shifted_in_year(reader: Reader, index: int, sign: int) -> Found | None:
    """The last, this or next month, season or holiday of a name, or day of a month."""
    token, today = reader.token(index), reader.today
    if token.word in DOUBTFUL_MONTHS and not token.titled:
        return None
    of_year, behind = reader.yearly(index), index + 1
    if token.kind == "month" and reader.kind(behind) in {"number", "nth"} and not reader.year(behind):
        month, day = reader.number(index), reader.number(behind)
        of_year, behind = (lambda year: one_day(date(year, month, day))), behind + 1
    if sign:
        return _shifted_of(reader, of_year, sign, behind)
    if token.kind == "month" or (token.kind == "season" and reader.direction(index) == 0 and token.value != "winter"):
        span = of_year(today.year)
    else:
        span = reader.occurrence(index, of_year)
    return Found(span, behind)


def _shifted_day(reader: Reader, index: int, sign: int) -> Found | None:
    """The last or next day of a month: "last Fourth of July"."""
    if reader.kind(index + 1) != "of" or reader.kind(index + 2) != "month":
        return None
    month, number = reader.number(index + 2), reader.number(index)
    return _shifted_of(reader, lambda year: one_day(date(year, month, number)), sign, index + 3)


def _shifted_of(reader: Reader, of_year: Callable[[int], TimeSpan], sign: int, behind: int) -> Found:
    """The last or next of what there is once a year; without a sign the nearest."""
    today = reader.today
    if not sign:
        return Found(reader.nearest(of_year, lambda _: True), behind)
    return Found(reader.nearest(of_year, lambda span: span.end < today if sign < 0 else span.start > today), behind)


_SHIFTED: Mapping[str, Callable[[Reader, int, int], Found | None]] = {
    **dict.fromkeys(("vague", "cardinal", "number"), _shifted_amount),
    "part": _shifted_part,
    **dict.fromkeys(("month", "season", "holiday"), _shifted_in_year),
    **dict.fromkeys(("nth", "ordinal"), _shifted_day),
}
"""The rule for what is shifted, by the kind of the token it begins at."""


def weekend(reader: Reader, index: int) -> Found | None:
    """The weekend on, at, over or by which something happens; the sentence tells which one."""
    if reader.word(index).removesuffix("'s") != "weekend":
        return None
    start = index - 1 if reader.kind(index - 1) == "the" else index
    before = reader.word(start - 1)
    if start == index or before == "around" or (reader.kind(start - 1) != "on" and before not in UNTIL):
        return None
    past = reader.direction(index) < 0 or (not reader.direction(index) and reader.today.weekday() < _MIDWEEK)
    if past and reader.today.weekday() < _SATURDAY:
        return Found(moved(reader.today, "weekend", -1), index + 1)
    return Found(weekend_of(reader.today), index + 1)
