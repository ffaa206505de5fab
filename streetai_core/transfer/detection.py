"""Which program wrote a file, seen from what is in it; never from its name."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from streetai_core.errors import ImportFormatError
from streetai_core.transfer.databases import foreign_database
from streetai_core.transfer.files import (
    LONGEST_LINE,
    enumerate_lines,
    is_database,
    opened_text,
    parsed,
    read_document,
    start_of,
)
from streetai_core.transfer.first_lines import LINES, first_lines
from streetai_core.transfer.readers.chatgpt import is_chatgpt
from streetai_core.transfer.readers.claude import is_claude
from streetai_core.transfer.readers.langchain import is_langchain
from streetai_core.transfer.readers.langchain_sql import histories_in
from streetai_core.transfer.readers.llamaindex import is_llamaindex
from streetai_core.transfer.readers.mem0 import is_mem0
from streetai_core.transfer.readers.plain import is_plain, is_plain_message
from streetai_core.transfer.readers.published import is_published
from streetai_core.transfer.readers.telegram import is_telegram
from streetai_core.transfer.unknown import told_of_text, told_of_value
from streetai_core.transfer.values import FormatName

_PACKED = {b"PK\x03\x04": "a ZIP archive", b"\x1f\x8b": "compressed by gzip"}
"""How files begin that have others in them."""

_KEYS = 5
"""Keys of a line that an error names."""

_SHOWN = 40
"""Characters of each."""

_OUR_TABLES = {"memories", "messages", "credits"}

LOOKS: dict[FormatName, Callable[[Any], bool]] = {
    "chatgpt": is_chatgpt,
    "claude": is_claude,
    "telegram": is_telegram,
    "llamaindex": is_llamaindex,
    "langchain": is_langchain,
    "mem0": is_mem0,
    "jsonl": is_plain,
}
"""What the formats that are one JSON value look like, the surest first."""


def detect(path: Path) -> tuple[FormatName, Any]:
    """The format of a file, and the JSON value in it where it is one.

    Raises:
        InputError: the file cannot be read.
        ImportFormatError: its format is not known.
    """
    if is_database(path):
        return _database_format(path), None
    start = start_of(path, max(map(len, _PACKED)))
    for mark, packed in _PACKED.items():
        if start.startswith(mark):
            raise ImportFormatError(f"{path.name} is {packed}: unpack it, and import the JSON file that is in it")
    if not start:
        raise ImportFormatError(f"{path.name} is empty")
    lines = first_lines(path)
    if lines.found is not None and lines.has_one_each:
        return lines.found, None
    try:
        document = _document(path)
    except ImportFormatError:
        if lines.found is None or not lines.may_have_one_each:
            raise
        return lines.found, None
    return _document_format(path, document)


def _document_format(path: Path, document: Any) -> tuple[FormatName, Any]:
    """The format of a file that is one JSON value, and this value."""
    if is_plain_message(document):
        # A single line, which was too long to be looked at: the reader says so of it.
        return "jsonl", None
    for name, looks in LOOKS.items():
        if looks(document):
            return name, document
    raise ImportFormatError(f"{path.name} {told_of_value(document)}")


def _document(path: Path) -> Any:
    """The one JSON value of a file.

    Raises:
        ImportFormatError: it is none, or has several, of which the first are no messages or too long to be looked at.
    """
    try:
        return read_document(path)
    except ImportFormatError as error:
        with opened_text(path) as source:
            lines = list(islice(enumerate_lines(source, LONGEST_LINE), LINES))
        if len(lines) > 1 and any(line is None for _, line in lines):
            number = next(number for number, line in lines if line is None)
            raise ImportFormatError(
                f"line {number} of {path.name} has more than {LONGEST_LINE:,} characters, and no other of the first "
                f"{len(lines)} tells the format. Give the format; lines that are too long are left out then."
            ) from error
        objects = [value for _, line in lines if line and isinstance(value := _value(line), dict)]
        if len(objects) > 1:
            raise ImportFormatError(
                f"{path.name} has a JSON object a line, but none of the first {len(lines)} lines is a message: each "
                f"needs role and content, this has {_keys(objects[0])}"
            ) from error
        told = told_of_text(next((line for _, line in lines if line and not line.isspace()), ""))
        if told is not None:
            raise ImportFormatError(f"{path.name} {told}") from error
        raise


def _value(line: str) -> Any:
    """The JSON value of a line; `None` if it is none."""
    try:
        return parsed(line, "it")
    except ImportFormatError:
        return None


def _keys(values: dict[str, Any]) -> str:
    """The first keys of an object, for an error."""
    return ", ".join(ascii(name)[:_SHOWN] for name in list(values)[:_KEYS]) or "none"


def _database_format(path: Path) -> FormatName:
    with foreign_database(path) as database:
        tables = database.tables()
    if is_published(tables):
        return "streetai-memory"
    if tables.keys() >= _OUR_TABLES:
        raise ImportFormatError(
            f"{path.name} is a database of this library: use it as it is, or export a memory of it and import that"
        )
    if histories_in(tables):
        return "langchain-sql"
    raise ImportFormatError(f"{path.name} is a SQLite database, but not one with messages that are known")
