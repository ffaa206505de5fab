"""Reading files that anybody may have written: bounded sizes, plain JSON, and errors that say where."""

from __future__ import annotations

import json
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NoReturn

from streetai_core.errors import ImportFormatError, InputError

LONGEST_LINE = 8 << 20
"""Characters of a line of somebody else's file; ten times the longest message that chat programs take."""

LARGEST_DOCUMENT = 1 << 30
"""Bytes of a file that is one JSON value, and so has to be held in memory whole."""

_DATABASE = b"SQLite format 3\0"
"""How a file of SQLite begins."""

_BLOCK = 1 << 20
"""Bytes that are looked at together: a file may be one line."""

_SHOWN = 60
"""Characters of an error of the JSON parser."""


@contextmanager
def opened_text(path: Path) -> Iterator[IO[str]]:
    """The file, as UTF-8 with or without a byte order mark.

    Raises:
        InputError: it cannot be read.
        ImportFormatError: it is not UTF-8.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as source:
            yield source
    except UnicodeDecodeError as error:
        wide = error.object.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
        byte = f"has a byte 0x{error.object[error.start]:02X} on line {_line_of_damage(path)}"
        found = "begins as UTF-16 does" if wide else byte
        raise ImportFormatError(
            f"{path.name} is not UTF-8 text (it {found}): save it as UTF-8, and import that"
        ) from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error


def _line_of_damage(path: Path) -> int:
    """The number of the first line that is not UTF-8, from 1 on; the last one if all are."""
    decoder, line = getincrementaldecoder("utf-8")(), 1
    with path.open("rb") as source:
        while block := source.read(_BLOCK):
            try:
                decoder.decode(block)
            except UnicodeDecodeError as error:
                return line + error.object.count(b"\n", 0, error.start)
            line += block.count(b"\n")
    return line


def start_of(path: Path, size: int) -> bytes:
    """The first bytes of a file.

    Raises:
        InputError: it cannot be read.
    """
    try:
        with path.open("rb") as source:
            return source.read(size)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error


def is_database(path: Path) -> bool:
    """Whether a file begins as SQLite's do.

    Raises:
        InputError: it cannot be read.
    """
    return start_of(path, len(_DATABASE)) == _DATABASE


def read_document(path: Path) -> Any:
    """The one JSON value of a file.

    Raises:
        ImportFormatError: it is not JSON, or larger than `LARGEST_DOCUMENT`.
    """
    with opened_text(path) as source:
        size = path.stat().st_size
        if size > LARGEST_DOCUMENT:
            raise ImportFormatError(f"{path.name} has {size:,} bytes; split it into files of {LARGEST_DOCUMENT:,}")
        return parsed(source.read(), path.name)


def read_lines(source: IO[str], longest: int = LONGEST_LINE) -> Iterator[tuple[int, Any]]:
    """The JSON value of each line that is not blank, with its number from 1 on.

    Raises:
        ImportFormatError: a line is not JSON, or too long; of the last one, that the file was cut short in it.
    """
    for number, line in enumerate_lines(source, longest):
        if line is None:
            raise ImportFormatError(f"line {number} has more than {longest:,} characters")
        if line.isspace():
            continue
        try:
            yield number, parsed(line, f"line {number}")
        except ImportFormatError as error:
            if line.endswith("\n"):
                raise
            raise ImportFormatError(f"the file was cut short in line {number}. Export the memory again.") from error


def enumerate_lines(source: IO[str], longest: int) -> Iterator[tuple[int, str | None]]:
    """The lines with their numbers from 1 on; `None` for one that is too long, whose end is looked for."""
    number = 0
    while line := source.readline(longest + 1):
        number += 1
        if len(line) <= longest or line.endswith("\n"):
            yield number, line
            continue
        while (rest := source.readline(longest)) and not rest.endswith("\n"):
            pass
        yield number, None


def parsed(text: str, what: str) -> Any:
    """The value of a JSON text.

    Raises:
        ImportFormatError: it is not JSON (which has no NaN), or nested too deep; `what` names it.
    """
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise ImportFormatError(f"{what} is nested too deep") from error
    except ValueError as error:
        raise ImportFormatError(f"{what} is not JSON: {str(error)[:_SHOWN]}") from error


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")
