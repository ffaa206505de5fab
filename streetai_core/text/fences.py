"""Code fences: which parts of a text are code.

A fence opens with three or more backticks or tildes at the start of a line (up to three spaces before them) and
closes with a line of at least as many of the same. As people write them in chats, backticks also open in the middle
of a line, and close right behind the last character of the code. A fence that is not closed runs to the end.
Every character is looked at a constant number of times, whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from streetai_core.text.characters import after_space
from streetai_core.types import Chunk

_TICKS = "```"
_OPENER = re.compile(
    r"`{3,}"
    r"|^[ ]{0,3}(?P<tildes>~{3,})(?!~)(?![^\n]*~~~)",  # a second run in the line: decoration
    re.MULTILINE,
)
_CLOSING_TILDES = re.compile(r"^[ ]{0,3}(?P<run>~{3,})[ \t\r]*$", re.MULTILINE)
_CLOSING_TICKS = re.compile(
    r"^[ ]{0,3}(?P<run>`{3,})[ \t\r]*$"
    r"|(?<=[^\s\"'`])(?P<glued>`{3,})(?=\s|\Z)",  # not after a quote: that is a string in the code
    re.MULTILINE,
)
_RUN = re.compile(r"`+")
_LINE_START = re.compile(r"(?:\A|(?<=\n))[ ]{0,3}\Z")
_LONGEST_LINE_START = 4
"""A line feed and three spaces."""


def blocks(text: str) -> Iterator[Chunk]:
    """The text cut into code fences (kind `code`) and what is between them (kind `chunk`), lazily.

    The blocks tile the text, which must not be blank; white space between two blocks belongs to the first.
    """
    position = 0
    for start, end in fences(text):
        if after_space(text, position) < start:
            yield Chunk(position, start)
            position = start
        stop = after_space(text, end)
        yield Chunk(position, stop, kind="code")
        position = stop
    if position < len(text):
        yield Chunk(position, len(text))


def fences(text: str) -> Iterator[tuple[int, int]]:
    """The spans of the fences in order, each from the first to the last of its marks."""
    if _TICKS not in text and "~~~" not in text:
        return
    position = 0
    while opener := _OPENER.search(text, position):
        start, run_end = opener.span("tildes") if opener["tildes"] else opener.span()
        end = _tildes_end(text, start, run_end) if opener["tildes"] else _ticks_end(text, start, run_end)
        if end is not None:
            yield start, end
        position = run_end if end is None else end


def _tildes_end(text: str, start: int, run_end: int) -> int:
    return _closing_end(_CLOSING_TILDES, text, run_end, run_end - start)


def _ticks_end(text: str, start: int, run_end: int) -> int | None:
    """Where the fence that opens with the backticks `[start, run_end)` ends; `None` if they open none."""
    if not _at_line_start(text, start):
        return _mid_line_end(text, run_end)
    line_end = text.find("\n", run_end)
    closing = text.find(_TICKS, run_end, line_end if line_end >= 0 else len(text))
    if closing >= 0:
        return _run_end(text, closing)
    return _closing_end(_CLOSING_TICKS, text, run_end, run_end - start)


def _mid_line_end(text: str, run_end: int) -> int | None:
    """The end of the next run; none if that one plainly opens a fence, so that this one is a mere mention."""
    closing = text.find(_TICKS, run_end)
    if closing < 0:
        return len(text)
    end = _run_end(text, closing)
    line_end = text.find("\n", run_end)
    names_language = end < len(text) and not text[end].isspace()
    if 0 <= line_end < closing and names_language and _at_line_start(text, closing):
        return None
    return end


def _closing_end(closing: re.Pattern[str], text: str, position: int, length: int) -> int:
    """The end of the first closing run of at least `length` marks, else the end of the text."""
    for match in closing.finditer(text, position):
        start, end = match.span(match.lastgroup or 0)
        if end - start >= length:
            return end
    return len(text)


def _run_end(text: str, position: int) -> int:
    run = _RUN.match(text, position)
    return run.end() if run else position


def _at_line_start(text: str, position: int) -> bool:
    return _LINE_START.search(text, max(0, position - _LONGEST_LINE_START), position) is not None
