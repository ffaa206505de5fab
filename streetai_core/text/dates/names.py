"""Names and titles that have a day in them and mean none: "Friday Night Lights", "Sheffield Wednesday"."""

from __future__ import annotations

from streetai_core.text.dates.reader import Reader
from streetai_core.text.dates.scanning import BREAK

_BEFORE = frozenset(
    {"bloody", "ruby", "blue", "freaky", "super", "manic", "gloomy", "sheffield", "girl", "man", "stormy", "tgi"}
)
"""First words of such names, which are written with capitals."""

_BEFORE_ANY = frozenset({"casual", "named", "nicknamed", "christened", "dr", "mr", "mrs", "ms", "miss"})
"""First words of such names, with capitals or without."""

_BEHIND = frozenset({"addams", "times", "telegraph", "bloody", "football", "club"})
_BEHIND_ANY = frozenset({"blues", "vibes", "feeling", "scaries"})
"""Last words of such names, and of kinds of things that belong to no one day."""

_SUNDAY, _OF_SUNDAYS = 6, frozenset({"school", "roast", "best", "driver"})
"""Last words of names that a Sunday alone has: on a Monday, school may start."""

_WHOM = frozenset({"him", "her", "it", "them", "the", "my", "our", "his", "their"})
_NAMING = frozenset({"named", "nicknamed", "christened"})
_FARTHEST = 3
"""Words between "named" and the name."""

_QUOTES = frozenset("\"'\u2018\u2019\u201c\u201d\u00ab\u00bb")


def is_name(reader: Reader, index: int) -> bool:
    """Whether the weekday at a token is a name or part of one."""
    before, behind = reader.token(index - 1), reader.token(index + 1)
    if before.word in _BEFORE_ANY or behind.word in _BEHIND_ANY:
        return True
    of_one = reader.token(index).word.endswith("'s")  # "Sunday's roast" was eaten on one
    if (reader.number(index) == _SUNDAY and behind.word in _OF_SUNDAYS and not of_one) or _is_liked(reader, index):
        return True
    if not reader.token(index).titled:
        return False
    if (before.titled and before.word in _BEFORE) or (behind.titled and behind.word in _BEHIND):
        return True
    if reader.kind(index + 1) == "part" and behind.titled and _goes_on(reader, index + 2):
        return True
    return _is_given(reader, index)


def _is_liked(reader: Reader, index: int) -> bool:
    """Whether all such days are liked: "Friday is my favourite day"."""
    is_mine = (reader.word(index + 1), reader.word(index + 2)) == ("is", "my")
    return is_mine and reader.word(index + 3).startswith("favo")


def _is_given(reader: Reader, index: int) -> bool:
    """Whether it is said that somebody or something is called so: "named the guy Friday", "a parrot called Tuesday"."""
    if reader.word(index - 1) == "called":
        return reader.kind(index - 3) == "article"
    return any(
        reader.word(index - far) in _NAMING and reader.word(index - far + 1) in _WHOM for far in range(2, 2 + _FARTHEST)
    )


def _goes_on(reader: Reader, index: int) -> bool:
    """Whether another word with a capital follows, as in "Saturday Night Live"."""
    token = reader.token(index)
    return token.titled and token.kind == BREAK and token.word != "i" and not token.word.startswith("i'")


def is_title(reader: Reader, index: int, end: int) -> bool:
    """Whether the words from a token to `end` stand in quotation marks alone, with capitals: "Last Christmas"."""
    first = reader.token(index)
    if end == index + 1 or not first.titled or reader.character(first.start - 1) not in _QUOTES:
        return False
    quoted = reader.character(reader.token(end - 1).end) in _QUOTES
    return quoted and all(reader.token(at).titled for at in range(index, end))
