"""Rules for dates made of others: "the week before Easter", "the end of last month", "the first Monday in May"."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import cast

from streetai_core.text.dates.amounts import CLOCK_UNITS, containing, moved, unit_at
from streetai_core.text.dates.calendars import (
    DAYS_IN_WEEK,
    MONTHS_IN_YEAR,
    YEARS_IN_DECADE,
    Third,
    add_months,
    edge_of,
    nth_weekday,
    third_of,
    weekday_after,
    weekday_before,
    weekend_of,
)
from streetai_core.text.dates.reader import Found, Reader, Rule
from streetai_core.text.dates.spans import TimeSpan, one_day

_CURRENT_UNITS = frozenset({"week", "month", "quarter", "year", "decade"})
"""Units that stand for the one that is now: "the end of the year"."""

_DAYS = {"day": 1, "week": DAYS_IN_WEEK}
_MONTHS = {"month": 1, "quarter": 3, "year": MONTHS_IN_YEAR, "decade": MONTHS_IN_YEAR * YEARS_IN_DECADE}
_SATURDAY = 5
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


def thirds(reader: Reader, index: int) -> Found | None:
    """The early, middle or late part of a time: "early June", "mid-May", "the end of last month", "late in May"."""
    behind = reader.skip(index + 1, "dash")
    behind = reader.skip(behind, "of", "in")
    if reader.kind(index) == "edge" and (behind == index + 1 or reader.word(behind - 1) == "in"):  # "I start in May"
        return None
    whole = _whole(reader, behind, bare=_is_deadline(reader, index))
    if whole is None or (reader.kind(index) == "edge" and whole.span.days == 1):
        return None
    if _is_deadline(reader, index):
        return Found(one_day(whole.span.end), whole.end, whole.fixed)
    part = cast("Third", reader.name(index))
    part_of = edge_of if reader.kind(index) == "edge" else third_of
    return Found(part_of(whole.span, part), whole.end, whole.fixed)


def _is_deadline(reader: Reader, index: int) -> bool:
    """Whether something is to be done by the end that a token names."""
    before = index - 2 if reader.kind(index - 1) == "the" else index - 1
    return reader.word(index) == "end" and reader.word(before) in {"by", "until", "till", "before"}


def _whole(reader: Reader, index: int, *, bare: bool = False) -> Found | None:
    """The time whose part is asked for; a unit alone is the current one, behind "the" unless it may stand `bare`."""
    at_unit = reader.skip(index, "the")
    unit = reader.name(at_unit)
    if (bare or at_unit > index) and unit in _CURRENT_UNITS and reader.kind(at_unit) == "unit":
        current = Found(containing(reader.today, unit), at_unit + 1)
        return reader.expression(index) or current
    return reader.expression(index)


def nearer(reader: Reader, index: int) -> Found | None:
    """What is over or still to come of the current time: "earlier this year", "later today", "later in the week"."""
    sign = reader.number(index)
    behind = reader.skip(index + 1, "in")
    if reader.word(behind) not in {"this", "the", "today", "tonight"}:
        return None
    whole = _whole(reader, behind)
    today = reader.today
    if whole is None or not whole.span.contains(today):
        return None
    if whole.span.days == 1:
        return whole
    if sign < 0:
        return Found(TimeSpan(whole.span.start, max(whole.span.start, today - timedelta(1))), whole.end)
    return Found(TimeSpan(min(whole.span.end, today + timedelta(1)), whole.span.end), whole.end)


def nth_of(reader: Reader, index: int) -> Found | None:
    """The so-maniest unit of a time: "the first week of May", "the last Friday in June", "the 1st of next month"."""
    number = reader.number(index)
    if reader.kind(index) == "shift" and reader.word(index) != "last":
        return None
    at_unit = index + 1
    whole = None
    if reader.kind(at_unit) == "of":
        whole = _whole(reader, at_unit + 1)
        if whole is None or not _SHORTEST_MONTH <= whole.span.days <= _LONGEST_MONTH or number < 1:
            return None
        return _checked(one_day(whole.span.start + timedelta(number - 1)), whole)
    if reader.kind(at_unit) not in {"unit", "weekday", "half", "part"} or reader.kind(at_unit + 1) not in {"of", "in"}:
        return None
    whole = _whole(reader, at_unit + 2)
    if whole is None:
        return None
    span = _nth(reader, at_unit, number, whole.span)
    return None if span is None else _checked(span, whole)


def _checked(span: TimeSpan, whole: Found) -> Found | None:
    """The part, if it begins in the whole."""
    return Found(span, whole.end, whole.fixed) if whole.span.contains(span.start) else None


def _nth(reader: Reader, index: int, number: int, whole: TimeSpan) -> TimeSpan | None:
    kind = reader.kind(index)
    if kind == "weekday":
        return one_day(nth_weekday(whole, reader.number(index), number))
    if kind == "half":
        return _half(whole, number)
    unit = unit_at(reader, index)
    if unit == "weekend":
        saturday = nth_weekday(whole, _SATURDAY, number)
        return TimeSpan(saturday, saturday + timedelta(1))
    if unit in _DAYS:
        days = _DAYS[unit]
        first = whole.end - timedelta(days - 1) if number < 0 else whole.start + timedelta(days * (number - 1))
        return TimeSpan(first, min(whole.end, first + timedelta(days - 1)))
    if unit in _MONTHS and whole.days > _SHORTEST_MONTH * 2:
        return containing(whole.end if number < 0 else add_months(whole.start, (number - 1) * _MONTHS[unit]), unit)
    return None


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
