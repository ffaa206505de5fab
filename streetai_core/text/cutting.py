"""Where to cut what is too large: prose near its middle, code at the ends of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from streetai_core.text.characters import after_space, core, cut_near
from streetai_core.types import Chunk

_PAUSES = (
    ",;"
    "\u3001\uff0c\uff1b\ufe50\ufe51\ufe54\uff64"  # Chinese and Japanese
    "\u060c\u061b"  # Arabic
    "\u1363\u1364\u104a"  # Ethiopic, Burmese
)
_PAUSE = re.compile(rf"[{_PAUSES}](?:(?!\d)|(?<!\d.))", re.DOTALL)
"""A comma or semicolon that is not inside a number. Reads the same backwards."""

_UNSPACED_MARKS = "\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f"
"""Stops, commas and the like of Chinese and Japanese, behind which no space stands."""

_WORD = re.compile(r"\S+")

_LEAST_TO_CUT = 2
"""Characters: a single one cannot be cut."""

_LEAST_SHARE = 4
"""A half shorter than the least size and than one in so many of the whole is no half."""

_LONG_LINE = 2048
"""Characters from which a line of code comes in pieces, so that nobody counts the tokens of 10 MB in one line."""


def prose_cut(text: str, start: int, end: int, least: int) -> int | None:
    """Where to cut the prose `[start, end)` in two, or `None` if it is a single character.

    Behind the comma or semicolon nearest the middle, if that leaves more than `least` characters on both sides;
    else before the middle word, unless that leaves next to nothing on one side (a very long word); else at the
    middle character. White space stays on the left.
    """
    left, right = core(text, start, end)
    if right - left < _LEAST_TO_CUT:
        return None
    for cut in (_pause_cut(text, left, right, least), _word_cut(text, left, right, least)):
        if cut is not None:
            return cut
    return _character_cut(text, (left + right) // 2, left, right)


def code_cut(text: str, start: int, end: int) -> int | None:
    """Where to cut the code `[start, end)` in two, or `None` if it is a single character.

    At the end of the line nearest the middle; inside a single line at the middle character.
    """
    left, right = core(text, start, end)
    if right - left < _LEAST_TO_CUT:
        return None
    middle = (left + right) // 2
    feeds = (text.rfind("\n", left, middle), text.find("\n", middle, right))
    found = [feed for feed in feeds if feed >= 0]
    if found:
        return _line_end(text, min(found, key=lambda feed: abs(feed - middle)), right)
    return _character_cut(text, middle, left, right)


def code_lines(text: str, block: Chunk) -> Iterator[Chunk]:
    """The lines of the code `block`, lazily; blank lines belong to the line before them.

    A line of more than 2,048 characters comes in pieces of about that length.
    """
    start = block.start
    while start < block.end:
        content = after_space(text, start)
        reach = min(content + _LONG_LINE, block.end)
        feed = text.find("\n", content, reach)
        if feed >= 0:
            end = _line_end(text, feed, block.end)
        else:
            end = block.end if reach == block.end else _character_cut(text, reach, content, block.end)
        yield part_of(block, start, end)
        start = end


def code_parts(text: str, line: Chunk, count: int) -> list[Chunk]:
    """The code `line` in about `count` pieces of equal length, at least two; none if it is a single character."""
    left, right = core(text, line.start, line.end)
    if right - left < _LEAST_TO_CUT:
        return []
    count = min(max(count, 2), right - left)
    targets = (left + (right - left) * part // count for part in range(1, count))
    cuts = sorted({_character_cut(text, target, left, right) for target in targets})
    edges = [line.start, *cuts, line.end]
    return [part_of(line, start, end) for start, end in pairwise(edges)]


def last_border(text: str, start: int, end: int) -> int:
    """The last place from `start` to `end` where a text may end: before a space, or behind a Chinese mark; -1: none.

    Where no spaces stand between words, nothing else tells where one ends.
    """
    marks = (text.rfind(mark, start, end) for mark in _UNSPACED_MARKS)
    return max(text.rfind(" ", start, end), *(mark + 1 if mark >= 0 else -1 for mark in marks))


def first_border(text: str, start: int, end: int) -> int:
    """The first place from `start` to `end` where a text may begin: behind a space, or a Chinese mark; -1: none."""
    found = (text.find(mark, start, end) for mark in (" ", *_UNSPACED_MARKS))
    return min((place + 1 for place in found if place >= 0), default=-1)


def part_of(block: Chunk, start: int, end: int) -> Chunk:
    """The span `[start, end)` of `block`, of the same kind; of code it remembers the whole fence."""
    if block.kind == "code":
        return Chunk(start, end, block.kind, block.block_start, block.block_end)
    return Chunk(start, end, block.kind)


def _pause_cut(text: str, left: int, right: int, least: int) -> int | None:
    middle = (left + right) // 2
    ahead = _PAUSE.search(text, middle, right)
    reversed_half = text[left : middle + 1][::-1]  # one more, so that the pattern sees what is behind the mark
    behind = _PAUSE.search(reversed_half, 1)
    marks = [middle - behind.start()] if behind else []
    marks += [ahead.start()] if ahead else []
    if not marks:
        return None
    mark = min(marks, key=lambda position: abs(position - middle)) + 1
    cut = after_space(text, mark)
    return cut if mark - left > least and right - cut > least else None


def _word_cut(text: str, left: int, right: int, least: int) -> int | None:
    count = sum(1 for _ in _WORD.finditer(text, left, right))
    middle = next(islice(_WORD.finditer(text, left, right), count // 2, None))
    cut = middle.start()
    shorter = min(len(text[left:cut].rstrip()), right - cut)
    return cut if shorter > least or 0 < shorter * _LEAST_SHARE >= right - left else None


def _character_cut(text: str, target: int, left: int, right: int) -> int:
    return after_space(text, cut_near(text, target, left, right))


def _line_end(text: str, feed: int, end: int) -> int:
    """Where the line that ends with the line feed at `feed` ends, blank lines behind it included."""
    behind = after_space(text, feed)
    return end if behind >= end else text.rfind("\n", feed, behind) + 1
