"""Rules for parts of longer times: "early June", "the end of last month", "the rest of the week"."""

from __future__ import annotations

from datetime import timedelta
from typing import cast

from streetai_core.text.dates.amounts import containing, moved, rolling
from streetai_core.text.dates.calendars import DAYS_IN_WEEK, Third, edge_of, third_of, weekday_before
from streetai_core.text.dates.numbers import ONE
from streetai_core.text.dates.reader import Found, Reader
from streetai_core.text.dates.spans import TimeSpan, one_day
from streetai_core.text.dates.vocabulary import UNTIL

_CURRENT_UNITS = frozenset({"week", "month", "quarter", "year", "financial year", "tax year", "decade"})
"""Units that stand for the one that is now: "the end of the year"."""

_JUST_GONE = frozenset({"week", "weekend", "month", "quarter", "year"})

_BEFORE_END = UNTIL | {"at", "by", "before"}

_NOTHING_ELSE = frozenset({"eow", "eoq", "eoy"})
"""Short forms that need no word before them: "eom" is also the end of a message, a "cob" is bread."""

_DEADLINES = UNTIL | {"by", "before", "through"}
"""Words before an end that tell that something is to be done by then."""

_FROM = frozenset({"commencing", "beginning", "starting"})

_REMAINING = frozenset({"rest", "remainder", "left"})


def thirds(reader: Reader, index: int) -> Found | None:
    """The early, middle or late part of a time: "early June", "mid-May", "the end of last month", "late in May"."""
    behind = reader.skip(index + 1, "dash")
    through = reader.word(index) == "halfway" and reader.word(behind) == "through"
    behind = behind + 1 if through else reader.skip(behind, "of", "in")
    if reader.kind(index) == "edge" and (behind == index + 1 or reader.word(behind - 1) == "in"):  # "I start in May"
        return None
    if _is_deadline(reader, index) and reader.word(reader.skip(behind, "the")) == "day":  # "by the end of the day"
        return Found(one_day(reader.today), reader.skip(behind, "the") + 1)
    of_current = reader.word(index) == "end" and reader.kind(behind - 1) == "of"  # "end of quarter is brutal"
    whole = whole_at(reader, behind, bare=of_current or _is_deadline(reader, index))
    if whole is None or (reader.kind(index) == "edge" and whole.span.days == 1):
        return None
    if _is_deadline(reader, index):
        return Found(one_day(whole.span.end), whole.end, whole.fixed)
    part = cast("Third", reader.name(index))
    part_of = edge_of if reader.kind(index) == "edge" else third_of
    return Found(part_of(whole.span, part), whole.end, whole.fixed)


def week_from(reader: Reader, index: int) -> Found | None:
    """The seven days from or to a day: "week commencing 8 June", "the week ending 14 June"."""
    if reader.word(index) != "week" or reader.word(index + 1) not in _FROM | {"ending"}:
        return None
    day = reader.expression(reader.skip(index + 2, "the"))
    if day is None or day.span.days > 1:
        return None
    first = day.span.start if reader.word(index + 1) in _FROM else day.span.start - timedelta(DAYS_IN_WEEK - 1)
    return Found(TimeSpan(first, first + timedelta(DAYS_IN_WEEK - 1)), day.end, day.fixed)


def unit_ahead(reader: Reader, index: int) -> Found | None:
    """The unit that begins today: "the week ahead"."""
    if reader.word(index + 1) != "ahead" or reader.kind(index - 1) != "the" or reader.name(index) not in _CURRENT_UNITS:
        return None
    return Found(rolling(reader.today, ONE, reader.name(index), 1), index + 2)


def end_of_unit(reader: Reader, index: int) -> Found | None:
    """The end of the current unit: "by year's end", "before the month is out"."""
    unit, before = reader.name(index), reader.word(index - 1)
    behind = reader.skip(index + 1, "dash")
    if before == "the" and reader.word(index - 2) == "before" and unit in _CURRENT_UNITS:
        passing = f"{reader.word(behind)} {reader.word(behind + 1)}"
        if passing in {"is out", "is over"} or reader.word(behind) == "ends":
            return Found(one_day(containing(reader.today, unit).end), behind + 1 + passing.startswith("is"))
    if unit not in _CURRENT_UNITS or reader.word(behind) != "end" or before not in _BEFORE_END:
        return None
    current = containing(reader.today, unit)
    return Found(edge_of(current, "late") if before == "at" else one_day(current.end), behind + 1)


def to_date(reader: Reader, index: int) -> Found | None:
    """What is over of the current unit: "year to date"."""
    if (reader.word(index + 1), reader.word(index + 2)) != ("to", "date") or reader.name(index) not in _CURRENT_UNITS:
        return None
    return Found(TimeSpan(containing(reader.today, reader.name(index)).start, reader.today), index + 3)


def just_gone(reader: Reader, index: int) -> Found | None:
    """The last one: "the month just gone", "the Friday just gone"."""
    if (reader.word(index + 1), reader.word(index + 2)) != ("just", "gone"):
        return None
    if reader.kind(index) == "weekday":
        return Found(one_day(weekday_before(reader.today, reader.number(index))), index + 3)
    unit = reader.name(index)
    return Found(moved(reader.today, unit, -1), index + 3) if unit in _JUST_GONE else None


def shorthand(reader: Reader, index: int) -> Found | None:
    """The end of the day, week, month or year: "by EOD", "EOW", "COB Friday"; no corn on the cob."""
    behind = reader.skip(index + 1, "on")
    if reader.kind(behind) in {"weekday", "day"}:
        return reader.expression(behind)
    framed = reader.word(index - 1) in _BEFORE_END or reader.word(index) in _NOTHING_ELSE
    if not framed and not reader.token(index).titled:
        return None
    current = containing(reader.today, reader.name(index))
    if reader.word(index - 1) in _DEADLINES or reader.name(index) == "day":
        return Found(one_day(current.end), index + 1)
    return Found(edge_of(current, "late"), index + 1)


def _is_deadline(reader: Reader, index: int) -> bool:
    """Whether something is to be done by the end that a token names."""
    before = index - 2 if reader.kind(index - 1) == "the" else index - 1
    return reader.word(index) == "end" and reader.word(before) in _DEADLINES


def whole_at(reader: Reader, index: int, *, bare: bool = False) -> Found | None:
    """The time whose part is asked for; a unit alone is the current one, behind "the" unless it may stand `bare`."""
    at_unit = reader.skip(index, "the")
    unit = reader.name(at_unit)
    if (bare or at_unit > index) and unit in _CURRENT_UNITS and reader.kind(at_unit) == "unit":
        current = Found(containing(reader.today, unit), at_unit + 1)
        return reader.expression(index) or current
    return reader.expression(index)


def nearer(reader: Reader, index: int) -> Found | None:
    """What is over or still to come of the current time: "earlier this year", "later today", "the rest of the week"."""
    sign = reader.number(index)
    joint = "of" if reader.word(index) in _REMAINING else "in"
    behind = reader.skip(index + 1, joint)
    if joint == "of" and behind == index + 1:  # "she left this week"
        return None
    if reader.word(behind) not in {"this", "the", "today", "tonight"} and reader.kind(behind) != "month":
        return None
    whole = whole_at(reader, behind)
    today = reader.today
    if whole is None or not whole.span.contains(today):
        return None
    if whole.span.days == 1:
        return whole
    if sign < 0:
        return Found(TimeSpan(whole.span.start, max(whole.span.start, today - timedelta(1))), whole.end)
    first = today if reader.word(index) in _REMAINING else min(whole.span.end, today + timedelta(1))
    return Found(TimeSpan(first, whole.span.end), whole.end)
