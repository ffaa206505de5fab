"""Rules for dates made of others: "the week before Easter", "the end of last month", "the first Monday in May"."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from streetai_core.text.dates.amounts import CLOCK_UNITS, amount, containing, moved, unit_at
from streetai_core.text.dates.calendars import (
    DAYS_IN_WEEK,
    MONTHS_IN_YEAR,
    YEARS_IN_DECADE,
    add_months,
    nth_weekday,
    quarter_of,
    week_of,
    weekday_after,
    weekday_before,
    weekend_of,
    workday_from,
)
from streetai_core.text.dates.parts import whole_at
from streetai_core.text.dates.placing import in_frame
from streetai_core.text.dates.reader import Found, Reader, Rule
from streetai_core.text.dates.spans import TimeSpan, one_day

_QUARTERS = 4
_QUARTER_FRAMES = frozenset({"in", "by", "for", "during", "until", "of", "on"})
"""Words before "the third quarter" that show that it is one of the year."""

_DAYS = {"day": 1, "week": DAYS_IN_WEEK, "fortnight": 2 * DAYS_IN_WEEK}
_MONTHS = {"month": 1, "quarter": 3, "year": MONTHS_IN_YEAR, "decade": MONTHS_IN_YEAR * YEARS_IN_DECADE}
_SATURDAY, _SUNDAY = 5, 6
_SHORTEST_MONTH, _LONGEST_MONTH = 28, 31
_SHORTEST_YEAR = 360


def behind_the(reader: Reader, index: int) -> Found | None:
    """What stands behind "the"."""
    return reader.expression(index + 1)


def beside(reader: Reader, index: int) -> Found | None:
    """A unit, weekday or part of a day before, after or of another time: "the Sunday before 25 May 2023"."""
    side = reader.skip(index + 1, "part") if reader.kind(index) == "weekday" else index + 1
    if reader.kind(side) == "side" and reader.word(side + 1) in {"last", "next"}:
        skipping = _beside_shift(reader, index, side)
        if skipping is not None:
            return skipping
    if reader.kind(side) not in {"side", "of"} or reader.word(index).removesuffix("'s").endswith("s"):
        return None
    kind, sign = reader.kind(side), reader.number(side)
    if kind == "of" and reader.kind(index) not in {"unit", "part"}:
        return None
    other = reader.expression(side + 1)
    if other is None:
        return None
    span = _of(reader, index, other.span) if kind == "of" else _next_to(reader, index, other.span, sign)
    return None if span is None else Found(span, other.end, other.fixed)


def _beside_shift(reader: Reader, index: int, side: int) -> Found | None:
    """The one before the last, the one after the next."""
    sign, behind = reader.number(side), side + 2
    if (sign < 0) != (reader.word(side + 1) == "last"):
        return None
    today = reader.today
    kind, number = reader.kind(index), reader.number(index)
    if kind == "weekday":
        nearest = weekday_before(today, number) if sign < 0 else moved(today, "week", 1).start + timedelta(number)
        return _alone(reader, Found(one_day(nearest + timedelta(sign * DAYS_IN_WEEK)), behind))
    if kind in {"month", "season", "holiday"}:
        of_year = reader.yearly(index)
        span = reader.nearest(of_year, lambda span: span.end < today if sign < 0 else span.start > today)
        return _alone(reader, Found(of_year(span.start.year + sign), behind))
    unit = unit_at(reader, index)
    if not unit or unit in CLOCK_UNITS:
        return None
    return _alone(reader, Found(moved(today, unit, 2 * sign), behind))


def _alone(reader: Reader, found: Found) -> Found | None:
    """Nothing, if the shift belongs to something else: "the week before last Christmas"."""
    following = reader.kind(found.end)
    return None if following in {"unit", "weekday", "month", "season", "holiday", "part", "vague"} else found


def _next_to(reader: Reader, index: int, other: TimeSpan, sign: int) -> TimeSpan | None:
    """The nearest unit, weekday, season or part of a day strictly before or after `other`."""
    edge = other.start if sign < 0 else other.end
    kind = reader.kind(index)
    if kind == "weekday":
        return one_day((weekday_before if sign < 0 else weekday_after)(edge, reader.number(index)))
    if kind in {"month", "season", "holiday"}:
        return _next_in_year(reader.yearly(index), edge, sign)
    unit = "day" if kind == "part" else unit_at(reader, index)
    if unit == "weekend":
        return _weekend_next_to(edge, sign)
    if unit == "workday":
        return one_day(workday_from(edge, sign))
    if unit in _MONTHS and other.days >= _SHORTEST_MONTH:
        return moved(edge, unit, sign)
    far = _far(edge, unit, sign)
    return None if far is None else _beyond(edge, far, sign)


def _far(edge: date, unit: str, sign: int) -> date | None:
    """The last day of the unit that begins next to `edge`."""
    if unit in _DAYS:
        return edge + timedelta(sign * _DAYS[unit])
    return add_months(edge, sign * _MONTHS[unit]) if unit in _MONTHS else None


def _next_in_year(of_year: Callable[[int], TimeSpan], edge: date, sign: int) -> TimeSpan:
    spans = [of_year(year) for year in range(edge.year - 1, edge.year + 2)]
    if sign < 0:
        return max((span for span in spans if span.end < edge), key=lambda span: span.end)
    return min((span for span in spans if span.start > edge), key=lambda span: span.start)


def _weekend_next_to(edge: date, sign: int) -> TimeSpan:
    weekend = weekend_of(edge)
    if sign < 0:
        return weekend.shifted(-DAYS_IN_WEEK)
    return weekend if edge < weekend.start else weekend.shifted(DAYS_IN_WEEK)


def _beyond(edge: date, far: date, sign: int) -> TimeSpan:
    """From the day next to `edge` to `far`."""
    near = edge + timedelta(sign)
    return TimeSpan(min(near, far), max(near, far))


def _of(reader: Reader, index: int, other: TimeSpan) -> TimeSpan | None:
    """The unit that holds `other`: "the week of 23 August", "the weekend of 24 June", "the evening of 3 May"."""
    if reader.kind(index) == "part":
        return other if other.days == 1 else None
    unit = unit_at(reader, index)
    if other.days > containing(other.start, unit).days:
        return None
    return containing(other.start, unit) if unit in {"day", "week", "weekend", "month", "year"} else None


def nth_of(reader: Reader, index: int) -> Found | None:
    """The so-maniest unit of a time: "the first week of May", "the last Friday in June", "the 1st of next month"."""
    if reader.kind(index) == "shift" and reader.word(index) != "last":
        return None
    number, at_unit = reader.number(index), index + 1
    if reader.kind(at_unit) == "of":
        return _nth_day_of(number, whole_at(reader, at_unit + 1))
    full = reader.word(at_unit) in {"full", "whole"} and reader.name(at_unit + 1) == "week"
    at_unit += full
    if reader.kind(at_unit) not in {"unit", "weekday", "half", "part"}:
        return None
    at_whole = reader.skip(at_unit + 1, "of", "in")
    if at_whole == at_unit + 1 and reader.kind(at_whole) != "shift":  # "the first quarter this year"
        return None
    whole = whole_at(reader, at_whole)
    if whole is not None and reader.word(whole.end - 1) == "new year" and whole.span.days == 1:
        whole = Found(containing(whole.span.start, "year"), whole.end, whole.fixed)
    span = None if whole is None else _nth(reader, at_unit, number, whole.span, full=full)
    return None if whole is None or span is None else _checked(span, whole)


def _nth_day_of(number: int, whole: Found | None) -> Found | None:
    if whole is None or not _SHORTEST_MONTH <= whole.span.days <= _LONGEST_MONTH or number < 1:
        return None
    return _checked(one_day(whole.span.start + timedelta(number - 1)), whole)


def nth_quarter(reader: Reader, index: int) -> Found | None:
    """A quarter of the year that is not named: "in the third quarter"."""
    number = reader.number(index)
    framed = reader.kind(index - 1) == "the" and reader.word(index - 2) in _QUARTER_FRAMES
    if reader.name(index + 1) != "quarter" or not framed or not 1 <= number <= _QUARTERS:
        return None
    if reader.kind(index + 2) in {"of", "in"}:  # "of the game"
        return None
    return in_frame(reader, index, index + 2, lambda year: quarter_of(year, number))


def several_of(reader: Reader, index: int) -> Found | None:
    """The first or last days of a time: "the first ten days of November", "the last days of 2015", which are seven."""
    number, read = reader.number(index), amount(reader, index + 1)
    if read is None or read.unit not in _DAYS or number not in {1, -1} or reader.kind(read.end) not in {"of", "in"}:
        return None
    whole = whole_at(reader, read.end + 1)
    days = DAYS_IN_WEEK if read.bare else int(read.count.high * _DAYS[read.unit])
    if whole is None or whole.span.days <= days:
        return None
    start, end, rest = whole.span.start, whole.span.end, timedelta(whole.span.days - days)
    return Found(TimeSpan(start, end - rest) if number > 0 else TimeSpan(start + rest, end), whole.end, whole.fixed)


def _checked(span: TimeSpan, whole: Found) -> Found | None:
    """The part, if it begins in the whole."""
    return Found(span, whole.end, whole.fixed) if whole.span.contains(span.start) else None


def _nth(reader: Reader, index: int, number: int, whole: TimeSpan, *, full: bool) -> TimeSpan | None:
    if full:
        return _full_week(whole, number)
    kind = reader.kind(index)
    if kind == "weekday":
        return one_day(nth_weekday(whole, reader.number(index), number))
    return _half(whole, number) if kind == "half" else _nth_unit(unit_at(reader, index), number, whole)


def _nth_unit(unit: str, number: int, whole: TimeSpan) -> TimeSpan | None:
    """The so-maniest unit of a time, from its end if the number is negative."""
    if unit == "weekend":
        saturday = nth_weekday(whole, _SATURDAY, number)
        return TimeSpan(saturday, saturday + timedelta(1))
    if unit == "workday":
        beside = whole.end + timedelta(1) if number < 0 else whole.start - timedelta(1)
        return one_day(workday_from(beside, number))
    if unit in _DAYS:
        days = _DAYS[unit]
        first = whole.end + timedelta(days * number + 1) if number < 0 else whole.start + timedelta(days * (number - 1))
        return TimeSpan(first, min(whole.end, first + timedelta(days - 1)))
    if unit in _MONTHS and whole.days > _SHORTEST_MONTH * 2:
        origin, units = (whole.end, number + 1) if number < 0 else (whole.start, number - 1)
        return containing(add_months(origin.replace(day=1), units * _MONTHS[unit]), unit)
    return None


def _full_week(whole: TimeSpan, number: int) -> TimeSpan:
    """The so-maniest week from Monday to Sunday that lies in a time; -1 is the last one."""
    if number > 0:
        return week_of(nth_weekday(whole, 0, number))
    return week_of(nth_weekday(whole, _SUNDAY, number))


def _half(whole: TimeSpan, number: int) -> TimeSpan | None:
    if number not in {1, 2, -1}:
        return None
    if whole.days >= _SHORTEST_YEAR:
        middle = add_months(whole.start, (whole.end.year - whole.start.year + 1) * 6)
    else:
        middle = whole.start + timedelta(whole.days // 2)
    return TimeSpan(whole.start, middle - timedelta(1)) if number == 1 else TimeSpan(middle, whole.end)


def narrowed(rule: Rule) -> Rule:
    """The rule, and what its time is narrowed to: "last year in May", "next week on Tuesday"."""

    def read(reader: Reader, index: int) -> Found | None:
        found = rule(reader, index)
        return None if found is None else _narrow(reader, found) or found

    return read


def _narrow(reader: Reader, outer: Found) -> Found | None:
    behind = reader.skip(outer.end, "in", "on", "comma")
    inner = reader.skip(behind, "the")
    kind = reader.kind(inner)
    if kind == "weekday" and 1 < outer.span.days <= DAYS_IN_WEEK and reader.kind(behind - 1) != "comma":
        day = weekday_after(outer.span.start - timedelta(1), reader.number(inner))
        return Found(one_day(day), reader.skip(inner + 1, "part"))
    if kind == "nth" and inner > behind > outer.end and _SHORTEST_MONTH <= outer.span.days <= _LONGEST_MONTH:
        return _checked(one_day(outer.span.start + timedelta(reader.number(inner) - 1)), Found(outer.span, inner + 1))
    if kind not in {"month", "season", "holiday"} or outer.span.days < _SHORTEST_YEAR or reader.year(inner + 1):
        return None
    if kind == "month" and (behind == outer.end or reader.kind(inner + 1) in {"number", "nth"}):
        return None
    span = reader.yearly(inner)(outer.span.start.year)
    return Found(span, inner + 1)
