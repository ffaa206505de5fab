"""Sentences: where they end, in scripts with and without capitals and spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from streetai_core.text.characters import UNSPACED, after_space

_STRONG = (
    "\u3002\uff01\uff1f\uff61\uff0e\ufe12\ufe52\ufe56\ufe57"  # Chinese and Japanese
    "\u2026\u203c\u2047\u2048\u2049"  # ellipsis and doubled marks
    "\u061f\u06d4"  # Arabic question mark, Urdu full stop
    "\u0964\u0965"  # danda of the Indian scripts
    "\u0589\u1362\u1367\u1368"  # Armenian, Ethiopic
    "\u17d4\u17d5\u104b\u0e5a\u0e5b\u0f0d\u0f0e"  # Khmer, Burmese, Thai, Tibetan
    "\u1803\u1809"  # Mongolian
)
"""Marks that end a sentence without a space behind them."""

_CLOSERS = (
    "\"'\u201d\u2019\u201c\u00bb\u203a\u00ab\u2039\uff02\uff07"  # quotes; German and French ones close either way
    ")\\]}\uff09\uff3d\uff5d\u300d\u300f\u3011\u3009\u300b\u3015\u3017\u3019\u301b"  # brackets
    "\ufe0f"  # variation selector of a mark shown as emoji
)
"""What may stand between the mark and the end of the sentence."""

_EMPHASIS = "*_"
"""Markdown emphasis, which closes before the space and opens after it, as quotes do."""

# Told first of all, so that the many characters that end nothing are passed over in a fraction of the time.
_BEGINNING = rf"(?=[.!?\r\n\u2028\u2029{_STRONG}])"
_SENTENCE_END = (
    rf"(?<![.!?])(?P<weak>[.!?]+)[{_CLOSERS}{_EMPHASIS}]*(?=\s+[^\sa-z0-9.!?,;])"
    rf"|(?<![.!?])[.!?]*[!?](?=[{UNSPACED}])"
    rf"|(?P<strong>[{_STRONG}])[{_STRONG}{_CLOSERS}]*"
)
_SMALL_END = r"(?<![.!?])(?P<small>[.!?]+)(?=\s+[^\W\d_])"
"""Where a sentence may end in a text that is typed in small letters; told before `_SENTENCE_END`."""
_NEW_LINE = r"(?:\r\n|\n|\r(?!\n)|[\u2028\u2029])"
_BLANK_LINE = rf"{_NEW_LINE}[^\S\r\n]*[\r\n\u2028\u2029]"
_IN_PROSE = re.compile(rf"{_BEGINNING}(?:{_SENTENCE_END}|{_BLANK_LINE})")
_IN_SMALL_PROSE = re.compile(rf"{_BEGINNING}(?:{_SMALL_END}|{_SENTENCE_END}|{_BLANK_LINE})")
_IN_LINES = re.compile(rf"{_BEGINNING}(?:{_SENTENCE_END}|{_NEW_LINE})")

_OPENERS = frozenset("\"'`\uff02\uff07\u00bf\u00a1" + _EMPHASIS)
"""What opens a sentence beside letters and what Unicode knows as opening."""

_OPENING_CATEGORIES = frozenset({"Lu", "Lt", "Lo", "Ps", "Pi", "Pf"})
"""Capitals, letters of scripts without capitals, opening brackets, quotes of either direction."""

_LIST_NUMBER = re.compile(r"(?:\A|[\r\n])[ \t>]*(?:\d+|[A-Za-z])\Z")
_LIST_NUMBER_REACH = 16
"""How far back to look for the start of the line of a list number."""

_ABBREVIATION = re.compile(
    r"(?<![^\W\d_])(?:[^\W\d_]|approx|cf|dept|dr|etc|ext|fig|inc|incl|jr|ltd|max|min|mr|mrs|ms|prof|sr|st|tel|vol|vs)\Z"
)
"""What a point belongs to that ends nothing: a single letter, as in "e.g.", or a short form."""
_ABBREVIATION_REACH = 8
"""How far back to look for the start of an abbreviation."""

_TELLING = 4000
"""Characters by which it is told how a text is typed."""


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """The spans of the sentences of `text[start:end]`; the end of a line, so every list item, ends a sentence too.

    The spans tile `[start, end)`; white space belongs to the sentence before it, at the start to the first one.
    """
    stop = len(text) if end is None else end
    return list(_spans(_IN_LINES, text, start, stop))


def prose_spans(text: str, start: int, end: int, *, small: bool = False) -> Iterator[tuple[int, int]]:
    """The spans of the sentences of `text[start:end]`, lazily; a line ends one only before a blank line.

    Args:
        text: any text.
        start: where its part begins.
        end: where its part ends.
        small: whether a sentence may begin with a small letter too.
    """
    return _spans(_IN_SMALL_PROSE if small else _IN_PROSE, text, start, end)


def is_typed_small(text: str) -> bool:
    """Whether no sentence begins with a capital, as where people type in small letters; told by a text's beginning."""
    beginnings = (next(filter(str.isalpha, text[start:end]), "") for start, end in sentence_spans(text[:_TELLING]))
    return not any(map(str.isupper, beginnings))


def _spans(breaks: re.Pattern[str], text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    position = after_space(text, start)
    while match := breaks.search(text, position, end):
        position = match.end()
        behind = after_space(text, position)
        if behind >= end:
            break
        if _is_break(match, text, behind):
            yield start, behind
            start = position = behind
    if start < end:
        yield start, end


def _is_break(match: re.Match[str], text: str, behind: int) -> bool:
    """Whether a sentence really ends at `match`; `behind` is the first character after the white space."""
    if match.lastgroup in {"weak", "small"}:
        mark = match[match.lastgroup]
        if mark == "." and _is_list_number(text, match.start()):
            return False
        if match.lastgroup == "small" and text[behind].islower():
            return _ends_before_small(mark, text, match.start())
        return _may_open(text[behind])
    if match["strong"] == "\u2026":  # an ellipsis inside a sentence
        return not text[behind].islower()
    if match["strong"] == "\uff0e":  # a decimal point in full width
        return not text[behind].isdigit()
    return True


def _may_open(character: str) -> bool:
    return character in _OPENERS or unicodedata.category(character) in _OPENING_CATEGORIES


def _ends_before_small(mark: str, text: str, place: int) -> bool:
    """Whether a mark ends a sentence although a small letter stands behind it: dots in a row may be a pause."""
    if mark != ".":
        return not mark.startswith("..")
    return _ABBREVIATION.search(text, max(0, place - _ABBREVIATION_REACH), place) is None


def _is_list_number(text: str, dot: int) -> bool:
    """Whether the dot follows the number or letter that a line begins with."""
    return _LIST_NUMBER.search(text, max(0, dot - _LIST_NUMBER_REACH), dot) is not None
