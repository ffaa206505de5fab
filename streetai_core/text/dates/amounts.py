"""Amounts of time: counts of units as words say them, and the days that lie such an amount away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from streetai_core.text.dates.calendars import (
    DAYS_IN_WEEK,
    MONTHS_IN_YEAR,
    YEARS_IN_CENTURY,
    YEARS_IN_DECADE,
    add_months,
    century_of,
    decade_of,
    financial_year,
    month_of_day,
    quarter_of,
    tax_year,
    week_of,
    weekend_of,
    workday_from,
    year_of,
)
from streetai_core.text.dates.numbers import MANY, ONE, VAGUE, Count
from streetai_core.text.dates.reader import Reader
from streetai_core.text.dates.spans import TimeSpan, one_day

CLOCK_UNITS = frozenset({"hour", "minute"})

OF_MONEY = frozenset({"financial year", "tax year"})
"""Units that are the calendar's only: nobody counts them from today."""

WEEKS = {"week": DAYS_IN_WEEK, "fortnight": 2 * DAYS_IN_WEEK}
"""Days of the units that keep the weekday: "two weeks from Friday" is a Friday."""

_DAYS = {"hour": 1 / 24, "day": 1, "week": DAYS_IN_WEEK, "fortnight": 2 * DAYS_IN_WEEK, "weekend": DAYS_IN_WEEK}
_MONTHS = {
    "month": 1,
    "quarter": 3,
    **dict.fromkeys(("year", *OF_MONEY), MONTHS_IN_YEAR),
    "decade": MONTHS_IN_YEAR * YEARS_IN_DECADE,
    "century": MONTHS_IN_YEAR * YEARS_IN_CENTURY,
}

_HALF_DECADE = 5

_DAYS_IN_MONTH = 30
"""For halves of months only."""

_LARGEST_ONE = 9


@dataclass(frozen=True, slots=True)
class Amount:
    """A count of units ("two and a half years") and the token behind it; `bare` if no number was written."""

    count: Count
    unit: str
    end: int
    bare: bool = False


def amount(reader: Reader, index: int) -> Amount | None:
    """The amount that begins at a token: "three days", "a couple of weeks", "a year and a half", "a day or two"."""
    counted = count(reader, index)
    if counted is None:
        return _bare(reader, index)
    number, index = counted
    index = reader.skip(index, "filler")
    unit = unit_at(reader, index)
    if not unit:
        return None
    number, index = _tail(reader, number, index + 1)
    return Amount(number, unit, index)


def unit_at(reader: Reader, index: int) -> str:
    """The unit that a token names and that is counted; nights and mornings count as days. Empty if it names none."""
    if reader.kind(index) == "unit" and reader.name(index) not in OF_MONEY:
        return reader.name(index)
    if reader.name(index) == "night" or reader.word(index) in {"nights", "mornings", "evenings"}:
        return "day"
    return ""


def _bare(reader: Reader, index: int) -> Amount | None:
    """A plural without a number: "years", "months and months" is not read."""
    if reader.kind(index) != "unit" or not reader.word(index).endswith("s"):
        return None
    return Amount(MANY, reader.name(index), index + 1, bare=True)


def count(reader: Reader, index: int) -> tuple[Count, int] | None:
    """The number that begins at a token, and the index behind it."""
    kind = reader.kind(index)
    if kind == "article":
        return _behind_article(reader, index + 1)
    if kind == "vague":
        return VAGUE[reader.name(index)], reader.skip(index + 1, "of")
    if kind == "half":
        return Count(0.5, 0.5), reader.skip(index + 1, "article")
    if kind == "decimal":
        value = float(reader.word(index))
        return Count(value, value), index + 1
    if kind in {"cardinal", "number"}:
        return _range(reader, *_cardinal(reader, index))
    return None


def _behind_article(reader: Reader, index: int) -> tuple[Count, int] | None:
    """The number behind "a": "few", "good ten", or one."""
    behind = reader.skip(index, "filler")
    if reader.kind(index) in {"vague", "half"} or reader.kind(behind) == "cardinal":
        return count(reader, behind)
    return ONE, index


def _cardinal(reader: Reader, index: int) -> tuple[int, int]:
    """A number in words or digits: "twenty five" is two words."""
    value = reader.number(index)
    if reader.word(index + 1) == "hundred" and value <= _LARGEST_ONE:
        return value * reader.number(index + 1), index + 2
    behind = reader.skip(index + 1, "dash")
    if reader.kind(index) == "cardinal" and reader.kind(behind) == "cardinal" and value >= 20 and not value % 10:  # noqa: PLR2004 - the tens begin there
        ones = reader.number(behind)
        if ones <= _LARGEST_ONE:
            return value + ones, behind + 1
    return value, index + 1


def _range(reader: Reader, low: int, index: int) -> tuple[Count, int]:
    """Two numbers ("two or three", "2-3", "3 to 4"), a half more ("two and a half"), or the one alone."""
    if reader.word(index) in {"or", "to", "-", "\u2013"} and reader.kind(index + 1) in {"cardinal", "number"}:
        high, behind = _cardinal(reader, index + 1)
        if high > low:
            return Count(low, high), behind
    number, index = _tail(reader, Count(low, low), index)
    return number, index


def _tail(reader: Reader, number: Count, index: int) -> tuple[Count, int]:
    """What follows a number or its unit: "and a half", "or two", "or so"."""
    if reader.word(index) == "and" and reader.kind(index + 1) == "article" and reader.kind(index + 2) == "half":
        return number.plus(0.5), index + 3
    if reader.word(index) == "or" and reader.kind(index + 1) in {"cardinal", "so"}:
        more = reader.number(index + 1) if reader.kind(index + 1) == "cardinal" else 0
        return Count(number.low, max(number.high, more)), index + 2
    return number, index


def away(anchor: date, number: Count, unit: str, sign: int) -> TimeSpan:
    """The days that are `number` units before (-1) or after (1) `anchor`, as wide as the unit is."""
    return _away(anchor, number.low, unit, sign).joined(_away(anchor, number.high, unit, sign))


def _away(anchor: date, number: float, unit: str, sign: int) -> TimeSpan:
    if unit == "workday":
        return one_day(workday_from(anchor, sign * int(number)))
    if unit in _DAYS:
        day = anchor + timedelta(int(sign * number * _DAYS[unit]))
        return around(day, unit)
    months = float(number * _MONTHS[unit])
    day = add_months(anchor, sign * int(months)) + timedelta(round(sign * (months % 1) * _DAYS_IN_MONTH))
    if unit == "century" or (unit == "decade" and number == 1):
        return containing(day, "year")
    return around(day, unit if float(number).is_integer() else "month")


def around(day: date, unit: str) -> TimeSpan:
    """The days that somebody means who counts in `unit` and comes to `day`."""
    if unit == "day":
        return one_day(day)
    if unit in {"week", "fortnight"}:
        return week_of(day)
    if unit == "decade":
        return TimeSpan(year_of(day.year - _HALF_DECADE).start, year_of(day.year + _HALF_DECADE - 1).end)
    return containing(day, unit)


def _quarter(day: date) -> TimeSpan:
    return quarter_of(day.year, (day.month + 2) // 3)


def _year(day: date) -> TimeSpan:
    return year_of(day.year)


def _decade(day: date) -> TimeSpan:
    return decade_of(day.year)


def _century(day: date) -> TimeSpan:
    return century_of(day.year)


_CONTAINING: dict[str, Callable[[date], TimeSpan]] = {
    "week": week_of,
    "weekend": weekend_of,
    "month": month_of_day,
    "quarter": _quarter,
    "year": _year,
    "financial year": financial_year,
    "tax year": tax_year,
    "decade": _decade,
    "century": _century,
}


def containing(day: date, unit: str) -> TimeSpan:
    """The calendar's unit that `day` is in; of a weekend, the one of the week of `day`; of other units the day."""
    return _CONTAINING.get(unit, one_day)(day)


def moved(day: date, unit: str, number: int) -> TimeSpan:
    """The calendar's unit `number` units after the one that `day` is in: -1 is the last one, 1 the next."""
    if unit == "workday":
        return one_day(workday_from(day, number))
    if unit in _DAYS:
        return containing(day + timedelta(number * _DAYS[unit]), unit)
    return containing(add_months(containing(day, unit).start, number * _MONTHS[unit]), unit)


def rolling(day: date, number: Count, unit: str, sign: int) -> TimeSpan:
    """From `number` units before `day` to it (-1), or from `day` to as many behind it (1): "the past two weeks"."""
    if unit == "minute":
        return one_day(day)
    if unit == "workday":
        far = workday_from(day, sign * int(number.high))
    elif unit in _DAYS:
        far = day + timedelta(int(sign * number.high * _DAYS[unit]))
    else:
        months = number.high * _MONTHS[unit]
        far = add_months(day, sign * int(months))
    return TimeSpan(min(day, far), max(day, far))


def weeks_from(day: date, read: Amount, sign: int = 1) -> TimeSpan:
    """The days that are an amount of whole weeks (a unit of `WEEKS`) behind a day, or before it (-1)."""
    distance = sign * timedelta(WEEKS[read.unit])
    near, far = day + distance * read.count.low, day + distance * read.count.high
    return TimeSpan(min(near, far), max(near, far))


def from_now(now: datetime, read: Amount, sign: int) -> TimeSpan:
    """The days that are an amount before (-1) or after (1) `now`; hours are counted from the clock."""
    if read.unit not in CLOCK_UNITS:
        return away(now.date(), read.count, read.unit, sign)
    far = now + timedelta(**{f"{read.unit}s": sign * read.count.high})
    return one_day(far.date())
