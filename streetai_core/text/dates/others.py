"""Rules for times told from the one named before: "not this Saturday but the one after", "the Friday after"."""

from __future__ import annotations

from datetime import timedelta

from streetai_core.text.dates.absolute import weekday
from streetai_core.text.dates.amounts import moved
from streetai_core.text.dates.calendars import DAYS_IN_WEEK, weekday_after
from streetai_core.text.dates.reader import Found, Reader
from streetai_core.text.dates.relative import shifted
from streetai_core.text.dates.scanning import BREAK
from streetai_core.text.dates.spans import TimeSpan, one_day

_SIDES = {"after": 1, "before": -1}
_STEPS = frozenset({"week", "weekend", "month", "year"})
_FOLLOWING = frozenset({"day", "week", "weekend"})
_ENDING = frozenset({"that", "instead", "too", "also", "and", "or", "but", "works", "is", "would", "then", "please"})
"""Words behind "the Saturday after" that show that nothing more is said of what it comes after."""

_SHORT_TIME = DAYS_IN_WEEK
"""Days of the longest time that "the Saturday after" may be told from."""


def denied(reader: Reader, index: int) -> Found | None:
    """The one beside the one that is denied: "not this Saturday but the one after", "not this week but next"."""
    before = index - 2 if reader.kind(index - 1) == "the" else index - 1
    if reader.word(before) != "not":
        return None
    found = (shifted if reader.kind(index) == "shift" else weekday)(reader, index)
    if found is None:
        return None
    behind = reader.skip(found.end, "comma", "dash")
    behind = behind + 1 if reader.word(behind) in {"but", "it's"} else behind
    if behind == found.end:
        return None
    return _beside(reader, found, behind, at_unit=found.end - 1)


def _beside(reader: Reader, found: Found, index: int, at_unit: int) -> Found | None:
    """The time beside the one found whose unit is at a token, if the words at `index` tell it."""
    index = reader.skip(index, "the")
    same = {"one", reader.word(at_unit)}
    if reader.word(index) in {"next", "following"}:
        end = index + 2 if reader.word(index + 1) in same else index + 1
        return _step(reader, found.span, at_unit, 1, end)
    sign = _SIDES.get(reader.word(index + 1), 0)
    if not sign or reader.word(index) not in same:
        return None
    return _step(reader, found.span, at_unit, sign, index + 3 if reader.word(index + 2) == "that" else index + 2)


def _step(reader: Reader, span: TimeSpan, at_unit: int, sign: int, end: int) -> Found | None:
    if reader.kind(at_unit) == "weekday":
        return Found(span.shifted(sign * DAYS_IN_WEEK), end)
    unit = reader.name(at_unit)
    return Found(moved(span.start, unit, sign), end) if unit in _STEPS else None


def the_one_after(reader: Reader, index: int) -> Found | None:
    """The next weekday or unit behind the time named before: "the Saturday after", "the week after that".

    Where no time was named, the weekday behind the coming one.
    """
    if reader.kind(index - 1) != "the" or reader.word(index + 1) != "after" or not _ends(reader, index + 2):
        return None
    end = index + 3 if reader.word(index + 2) == "that" else index + 2
    if reader.previous is not None:
        span = _behind(reader, index, reader.previous)
        return None if span is None else Found(span, end)
    if reader.kind(index) != "weekday" or reader.direction(index) < 0 or end > index + 2:
        return None
    coming = weekday_after(reader.today, reader.number(index))
    return Found(one_day(coming + timedelta(DAYS_IN_WEEK)), end)


def _ends(reader: Reader, index: int) -> bool:
    """Whether nothing is said of what "the Saturday after" comes after."""
    word = reader.word(index)
    return reader.kind(index) in {BREAK, "comma", "and"} and (not word.isalnum() or word in _ENDING)


def _behind(reader: Reader, index: int, previous: TimeSpan) -> TimeSpan | None:
    """The next day or week of the kind that a token names, behind a time that was named before."""
    if previous.days > _SHORT_TIME:
        return None
    if reader.kind(index) == "weekday":
        return one_day(weekday_after(previous.end, reader.number(index)))
    unit = reader.name(index)
    return moved(previous.end, unit, 1) if unit in _FOLLOWING else None
