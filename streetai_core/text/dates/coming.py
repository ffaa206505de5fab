"""Rules for dates told as so far ahead: "in three days", "in two weeks' time", "a week on Friday"."""

from __future__ import annotations

from itertools import pairwise

from streetai_core.text.dates.amounts import CLOCK_UNITS, WEEKS, Amount, amount, from_now, rolling, weeks_from
from streetai_core.text.dates.numbers import ONE
from streetai_core.text.dates.reader import Found, Reader
from streetai_core.text.dates.verbs import BASE, CLEAR

_NEXT_TO_HAPPEN = frozenset({"back", "home", "off", "over", "out", "here", "there", "away", "due", "up", "again"})
"""Words that stand before "in a week" where something happens then."""

_NOT_SINCE = frozenset({"haven", "hasn", "havent", "hasnt"})
"""What has not been "in six days" looks back; a token ends at the apostrophe of "haven't"."""
_GOING_ON = frozenset({"been", "had", "known", "lived", "worked", "owned", "used", "kept", "wanted"})
"""What has been so for a time still is."""
_WORDS_OF_CLAUSE = 7

_HOURS_IN_DAY = 24

_DUE = frozenset({"is", "it's", "that's", "due", "until", "be"})
"""Words before "a week Thursday" that show that it is a day."""

_NEXT_VERBS = frozenset({"i'm", "we're", "you're", "they're", "he's", "she's", "it's"})
"""Words that follow on "in a week" where it opens a sentence about what is to come."""


def within(reader: Reader, index: int) -> Found | None:
    """Each day until one so far ahead: "within a week", "in less than ten days"."""
    less = reader.word(index + 1) == "under" or (reader.word(index + 1), reader.word(index + 2)) == ("less", "than")
    behind = index + 1 + (less and 1 + (reader.word(index + 1) == "less"))
    read = amount(reader, reader.skip(behind, "about"))
    if read is None or read.bare or not (less or reader.word(index) == "within"):
        return None
    if read.unit == "minute" or (read.unit == "hour" and read.count.high < _HOURS_IN_DAY):
        return None
    if reader.kind(read.end) in {"side", "ago", "from"} or _was_within(reader, index):
        return None
    return Found(rolling(reader.today, read.count, read.unit, 1), read.end)


def _was_within(reader: Reader, index: int) -> bool:
    """Whether something took no longer than that: not so of what "is processed within a week"."""
    return reader.direction(index, CLEAR) < 0 and not reader.is_so(index)


def ahead(reader: Reader, index: int) -> Found | None:
    """A day so far ahead: "in three days", "in two weeks' time"; what took three days is left alone.

    What has not been "in three days" looks back on them.
    """
    start = reader.skip(index + 1, "about")
    read = amount(reader, start)
    if read is None or read.bare or reader.kind(read.end) in {"side", "ago", "from"}:
        return None
    if _has_not_been(reader, index):
        return Found(rolling(reader.today, read.count, read.unit, -1), read.end)
    announced = reader.word(read.end) == "time"
    single = reader.kind(start) == "article" and read.count == ONE and read.unit != "fortnight"
    is_then = _is_then(reader, index)
    certain = announced or is_then or _is_announced(reader, index, read)
    if reader.word(index - 1) in _NEXT_TO_HAPPEN:  # whatever is told of beside: "they go back in a week, I've noticed"
        is_then = not reader.looks_back(index)
    if not is_then and reader.direction(index, last=read.end - 1) < 0:
        return None
    if (single or read.unit in CLOCK_UNITS) and not certain:
        return None
    return Found(from_now(reader.now, read, 1), read.end + announced)


def another(reader: Reader, index: int) -> Found | None:
    """The days from now on of what goes on: "for another five days", "we're here another week"."""
    read = _one_or_more(reader, index + 1)
    if read is None or read.bare or read.unit in CLOCK_UNITS or reader.looks_back(index):
        return None
    if reader.kind(read.end) == "of":  # "another week of rain"
        return None
    if reader.direction(index, BASE) < (0 if reader.word(index - 1) == "for" else 1):
        return None
    return Found(rolling(reader.today, read.count, read.unit, 1), read.end)


def _one_or_more(reader: Reader, index: int) -> Amount | None:
    """The amount behind "another": "five days", or "week" for one."""
    single = reader.kind(index) == "unit" and not reader.word(index).endswith("s")
    return Amount(ONE, reader.name(index), index + 1) if single else amount(reader, index)


def going_on(reader: Reader, index: int) -> Found | None:
    """Since when something is so: "it has been raining for two weeks", "I haven't slept for three days"."""
    if reader.word(index) != "for":
        return None
    read = amount(reader, reader.skip(index + 1, "about"))
    if read is None or read.bare or read.unit in CLOCK_UNITS:
        return None
    now = reader.word(read.end) == "now"
    # "I have worked here for seven years now" names the beginning.
    if not _has_not_been(reader, index) and (now or not _has_been(reader, index)):
        return None
    return Found(rolling(reader.today, read.count, read.unit, -1), read.end + now)


def _has_been(reader: Reader, index: int) -> bool:
    """Whether the words before a token tell of what goes on: "we've had it", "it has been raining"."""
    for at in range(max(1, index - _WORDS_OF_CLAUSE), index):
        perfect = reader.word(at - 1) in {"have", "has", "ve"} or reader.word(at - 1).endswith("'ve")
        if perfect and reader.word(at) in _GOING_ON and reader.word(at + 1) != "to":
            return True
    return False


def _has_not_been(reader: Reader, index: int) -> bool:
    """Whether the words before a token tell that something has not been."""
    words = [reader.word(before) for before in range(max(0, index - _WORDS_OF_CLAUSE), index)]
    if not _NOT_SINCE.isdisjoint(words):
        return True
    return any(word in {"have", "has"} and following == "not" for word, following in pairwise(words))


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


def left(reader: Reader, index: int) -> Found | None:
    """The days until a time that is so far ahead: "two weeks left", "ten days to go"; the time: "a week away"."""
    read = amount(reader, index)
    if read is None or read.bare or read.unit in CLOCK_UNITS or reader.word(index - 1) in {"had", "was", "were"}:
        return None
    word, following = reader.word(read.end), reader.word(read.end + 1)
    if (word == "away" and following != "from") or (word == "out" and _ends_with(reader, index, read.end + 1)):
        exact = reader.word(index - 1) == "exactly" and read.unit in WEEKS
        return Found(weeks_from(reader.today, read) if exact else from_now(reader.now, read, 1), read.end + 1)
    given = word == "to" and reader.word(index - 1) in {"got", "have", "has"}  # "you've got ten days to pay"
    if not given and word != "left" and (word, following) != ("to", "go"):
        return None
    return Found(rolling(reader.today, read.count, read.unit, 1), read.end + (0 if given else 1 + (word == "to")))


def _ends_with(reader: Reader, index: int, end: int) -> bool:
    """Whether something "is nine weeks out", and nothing more is said of it."""
    before = reader.word(index - 1)
    is_so = before in {"is", "are", "still", "only", "about"} or before.endswith(("'s", "'re"))
    return is_so and not reader.word(end).isalnum()


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
    return hence and not counts and not reader.looks_back(index)
