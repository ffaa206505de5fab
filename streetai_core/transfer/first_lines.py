"""The first lines of a text file, each by itself: are there messages on them, or are they pieces of one JSON value?"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from streetai_core.errors import ImportFormatError
from streetai_core.transfer.archive import MARK
from streetai_core.transfer.files import LONGEST_LINE, enumerate_lines, opened_text, parsed
from streetai_core.transfer.readers.plain import is_plain_message
from streetai_core.transfer.values import FormatName

LINES = 20
"""Lines that are looked at: the first ones may be damaged."""

_START = 1024
"""Characters in which a list begins, behind white space."""


class FirstLines(NamedTuple):
    """What the first lines are; blank ones do not count."""

    found: FormatName | None
    """The format of the first of them that tells one; in a value over several lines it may be a piece that does."""
    first_is_value: bool
    """Whether the first of them is a JSON value by itself."""
    values: int
    """So many are."""
    others: int
    """So many are pieces of one, damaged, or no JSON."""
    too_long: int
    """So many were not looked at."""

    @property
    def has_one_each(self) -> bool:
        """Whether there is a value a line for sure.

        In one value over several lines none begins it alone, and between any two that could stand alone is one that
        could not, with the comma. So they are at most half of its lines, however many of these are looked at.
        """
        return self.first_is_value or self.values > self.others + self.too_long

    @property
    def may_have_one_each(self) -> bool:
        """Whether there may be a value a line with some that are damaged, if they are not one value all together."""
        return self.values >= self.others


def first_lines(path: Path) -> FirstLines:
    """Look at the first lines of a file.

    Raises:
        InputError: it cannot be read.
        ImportFormatError: it is not UTF-8.
    """
    found: FormatName | None = None
    are_values: list[bool] = []
    too_long = 0
    with opened_text(path) as source:
        for _, line in islice(enumerate_lines(source, LONGEST_LINE), LINES):
            if line is not None and line.isspace():
                continue
            is_value, value = _value(line)
            too_long += line is None
            are_values.append(is_value)
            found = found or _format(value)
    values = sum(are_values)
    return FirstLines(found, are_values[:1] == [True], values, len(are_values) - values - too_long, too_long)


def is_list(path: Path) -> bool:
    """Whether a JSON file is one list, and not a value a line, of which the first may be a list as well.

    Raises:
        InputError: it cannot be read.
        ImportFormatError: it is not UTF-8.
    """
    with opened_text(path) as source:
        begins_as_list = source.read(_START).lstrip().startswith("[")
    if not begins_as_list:
        return False
    lines = first_lines(path)
    return lines.values + lines.others + lines.too_long == 1 or not lines.has_one_each


def _value(line: str | None) -> tuple[bool, Any]:
    """Whether a line is a JSON value by itself, and which."""
    try:
        return (False, None) if line is None else (True, parsed(line, "it"))
    except ImportFormatError:
        return False, None


def _format(value: Any) -> FormatName | None:
    """The format of a file with such a value on a line; `None` if it does not tell."""
    if isinstance(value, dict) and MARK in value and "memory_id" in value:
        return "streetai"
    return "jsonl" if is_plain_message(value) else None
