"""Rules for times from one date to another."""

from __future__ import annotations

from datetime import timedelta

from streetai_core.text.dates.calendars import add_months, month_of_day
from streetai_core.text.dates.placing import stands_alone
from streetai_core.text.dates.reader import Found, Reader
from streetai_core.text.dates.spans import TimeSpan, one_day

_MOVED = frozenset(
    {"move", "moved", "push", "pushed", "shift", "shifted", "change", "changed", "postponed", "rescheduled"}
)
_WORDS_OF_A_MOVE = 6
"""How far before "the 12th to the 19th" to look for what was moved from the one to the other."""

_LONGEST_RANGE = 366 * 10
"""Days; what is farther apart was not meant as one time."""


def spread(reader: Reader, index: int) -> Found | None:
    """From one time to another: "from 3 to 5 May", "between June and August", "from now until Friday"."""
    first = index + 1
    joints = {"to", "dash"} if reader.kind(index) == "from" else {"and"}
    if reader.kind(first) in {"number", "nth"} and reader.kind(first + 1) in joints:
        return _days_of_one_month(reader, first)
    now = Found(one_day(reader.today), first + 1) if reader.word(first) == "now" else None
    opening = now or reader.expression(first)
    if opening is None or reader.kind(opening.end) not in joints:
        return None
    found = extended(reader, first, opening)
    if found is not None and reader.kind(index) == "between" and _are_holidays(reader, first, found.end - 1):
        return Found(TimeSpan(found.span.start + timedelta(1), found.span.end - timedelta(1)), found.end, found.fixed)
    return found


def _are_holidays(reader: Reader, first: int, last: int) -> bool:
    """Whether it is the days between two feasts that are meant, without the feasts."""
    apart = last - first > 1 and reader.kind(first) == reader.kind(last) == "holiday"
    return apart and reader.word(first) != reader.word(last)


def _days_of_one_month(reader: Reader, index: int) -> Found | None:
    """From 3 to 5 May; between 2019 and 2021."""
    closing = reader.expression(index + 2)
    if closing is None:
        return None
    number = reader.number(index)
    if closing.span.days == 1 and number <= closing.span.end.day and reader.kind(index + 2) in {"number", "nth"}:
        return Found(TimeSpan(closing.span.start.replace(day=number), closing.span.end), closing.end, closing.fixed)
    opening = reader.expression(index)
    return None if opening is None else _joined(opening, closing)


def extended(reader: Reader, index: int, opening: Found) -> Found | None:
    """The span from `opening`, read at `index`, to the time behind "to", "and" or a dash; `None` if none is there."""
    at_closing = reader.skip(opening.end + 1, "the") if reader.word(opening.end + 1) == "the" else opening.end + 1
    if reader.word(at_closing) == "now":
        return _joined(opening, Found(one_day(reader.today), at_closing + 1))
    closing = reader.expression(at_closing) or _day_behind(reader, at_closing, opening)
    if closing is None:
        return None
    if closing.fixed and not opening.fixed:
        opening = reader.expression_from(index, closing.span.start, -1) or opening
    elif not closing.fixed:
        closing = reader.expression_from(at_closing, opening.span.start, 1) or closing
    return _joined(opening, closing)


def both(reader: Reader, first: Found) -> Found | None:
    """Two months or days that follow each other: "July and August", "the 29th and 30th", "today and tomorrow"."""
    index, following = first.end + 1, first.span.end + timedelta(1)
    if reader.kind(index) == "month" and first.span == month_of_day(first.span.start):
        second = reader.expression_from(index, first.span.start, 1)
        follows = second is not None and second.span.start == following
        return Found(first.span.joined(second.span), second.end, first.fixed) if second and follows else None
    if reader.kind(index) in {"day", "weekday"} and first.span.days == 1:
        second = reader.expression_from(index, first.span.start, 1)
        follows = second is not None and second.span == one_day(following)
        return Found(first.span.joined(second.span), second.end, first.fixed) if second and follows else None
    index = reader.skip(index, "the")
    if reader.kind(index) != "nth" or reader.number(index) != following.day or not stands_alone(reader, index + 1):
        return None
    return Found(TimeSpan(first.span.start, following), index + 1, first.fixed) if first.span.days == 1 else None


def opens_with_day(reader: Reader, index: int) -> bool:
    """Whether a day of a month begins a range that nothing announces: "the 19th to the 23rd"; not what was moved."""
    if reader.kind(index) != "the" or reader.kind(index + 1) != "nth":
        return False
    return all(reader.word(index - far) not in _MOVED for far in range(1, min(index, _WORDS_OF_A_MOVE) + 1))


def _day_behind(reader: Reader, index: int, opening: Found) -> Found | None:
    """The day of a month behind the one day of `opening`: "the 12th to 14th"."""
    number, first = reader.number(index), opening.span.start
    if reader.kind(index) != "nth" or opening.span.days > 1 or not stands_alone(reader, index + 1):
        return None
    month = first if number > first.day else add_months(first.replace(day=1), 1)
    return Found(one_day(month.replace(day=number)), index + 1)


def _joined(opening: Found, closing: Found) -> Found | None:
    if closing.span.start < opening.span.start or (closing.span.end - opening.span.start).days > _LONGEST_RANGE:
        return None
    return Found(opening.span.joined(closing.span), closing.end, opening.fixed and closing.fixed)
