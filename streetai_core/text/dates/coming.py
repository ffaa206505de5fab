"""Rules for dates told as so far ahead: "in three days", "in two weeks' time", "a week on Friday"."""

from __future__ import annotations

from streetai_core.text.dates.amounts import CLOCK_UNITS, WEEKS, Amount, amount, from_now, weeks_from
from streetai_core.text.dates.numbers import ONE
from streetai_core.text.dates.reader import Found, Reader
from streetai_core.text.dates.verbs import BASE

_NEXT_TO_HAPPEN = frozenset({"back", "home", "off", "over", "out", "here", "there", "away", "due", "up", "again"})
"""Words that stand before "in a week" where something happens then."""

_DUE = frozenset({"is", "it's", "that's", "due", "until", "be"})
"""Words before "a week Thursday" that show that it is a day."""

_NEXT_VERBS = frozenset({"i'm", "we're", "you're", "they're", "he's", "she's", "it's"})
"""Words that follow on "in a week" where it opens a sentence about what is to come."""


def ahead(reader: Reader, index: int) -> Found | None:
    """A day so far ahead: "in three days", "in two weeks' time"; what took three days is left alone."""
    start = reader.skip(index + 1, "about")
    read = amount(reader, start)
    if read is None or read.bare or reader.kind(read.end) in {"side", "ago", "from"}:
        return None
    announced = reader.word(read.end) == "time"
    single = reader.kind(start) == "article" and read.count == ONE
    is_then = _is_then(reader, index)
    certain = announced or is_then or _is_announced(reader, index, read)
    if not is_then and reader.direction(index, last=read.end - 1) < 0:
        return None
    if (single or read.unit in CLOCK_UNITS) and not certain:
        return None
    return Found(from_now(reader.now, read, 1), read.end + announced)


def _is_then(reader: Reader, index: int) -> bool:
    """Whether something is in three days, whatever is told of beside: "my flight's in three days, I've not packed"."""
    before = reader.word(index - 1)
    is_so = before in {"is", "are"} or before.endswith(("'s", "'re", "'m"))
    return is_so and reader.kind(index - 2) != "unit"


def _is_announced(reader: Reader, index: int, read: Amount) -> bool:
    """Whether the words round "in a week" show that it is not how long something takes."""
    before = reader.word(index - 1)
    if before in _NEXT_TO_HAPPEN or reader.direction(index, BASE) > 0:
        return True
    return not before.isalpha() and reader.word(read.end) in _NEXT_VERBS


def weeks_hence(reader: Reader, index: int) -> Found | None:
    """A day so many weeks behind a day to come: "a week tomorrow", "two weeks on Friday"."""
    read = amount(reader, index)
    if read is None or read.bare or read.unit not in WEEKS or not _is_weeks_hence(reader, index, read.end):
        return None
    origin = reader.expression_from(reader.skip(read.end, "on"), reader.today, 1)
    return None if origin is None else Found(weeks_from(origin.span.start, read), origin.end)


def _is_weeks_hence(reader: Reader, index: int, behind: int) -> bool:
    """Whether the day behind an amount is where it is counted from, and not when something is done "twice a week"."""
    if reader.kind(behind) == "day":
        hence = reader.number(behind) >= 0
    else:
        due = reader.word(index - 1) in _DUE and reader.kind(index) == "article"  # "it's a week Thursday"
        hence = (due or reader.word(behind) == "on") and reader.kind(reader.skip(behind, "on")) == "weekday"
    counts = reader.word(index - 1) in {"once", "twice", "times"} or reader.kind(index - 1) == "unit"
    return hence and not counts and reader.direction(index) >= 0
