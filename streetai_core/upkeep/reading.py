"""Reading whatever can be read of a database that may be damaged anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from streetai_core.errors import DamagedFileError
from streetai_core.stores import _sqlite
from streetai_core.stores.journal import entry_from
from streetai_core.stores.rows import (
    Origin,
    Row,
    credit_from,
    cue_from,
    message_from,
    quarantine_from,
    signal_from,
    stack_from,
    weight_from,
)
from streetai_core.stores.selects import CREDITS, CUES, MESSAGES, QUARANTINES, SIGNALS, STACKS, WEIGHTS, WORDS
from streetai_core.stores.sqlite_audit import JOURNAL
from streetai_core.stores.words_rows import words_from

_MOST_ATTEMPTS = 20_000
"""Failing queries, for one table of one memory, after which what is left between them is given up."""

LAST = 1 << 40
"""Above every key that is in use."""

UNDECODABLE = (DamagedFileError, ValueError, TypeError, OverflowError)
"""What decoding a damaged row can raise."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A table, and how its rows become values."""

    table: str
    select: str
    """All rows of one memory."""
    span: str | None
    """Narrows them to a span of their own keys, which is the second column; `None`: they have no number."""
    decode: Callable[[Row, Origin], Any]


_JOURNAL = JOURNAL.replace("ORDER BY version", "")

KINDS = (
    Kind("messages", MESSAGES, " AND sequence BETWEEN ? AND ?", message_from),
    Kind("signals", SIGNALS, " AND signals.signal_key BETWEEN ? AND ?", signal_from),
    Kind("weights", WEIGHTS, " AND signal_key BETWEEN ? AND ?", weight_from),
    Kind("stacks", STACKS, " AND stack_key BETWEEN ? AND ?", stack_from),
    Kind("words", WORDS, " AND sequence BETWEEN ? AND ?", words_from),
    Kind("credits", CREDITS, " AND version BETWEEN ? AND ?", credit_from),
    Kind("journal", _JOURNAL, " AND version BETWEEN ? AND ?", entry_from),
    Kind("cues", CUES, " AND signal_key BETWEEN ? AND ?", cue_from),
    Kind("quarantines", QUARANTINES, None, quarantine_from),
)
"""All tables but `memories`."""

BY_TABLE = {kind.table: kind for kind in KINDS}


@dataclass(slots=True)
class Found:
    """What could be read of one table of one memory."""

    values: list[Any] = field(default_factory=list)
    """Decoded, each under its checksum."""
    damaged: int = 0
    """Rows that do not fit their checksum."""
    unreadable: bool = False
    """Whether pages could not be read, so that nobody knows how many rows there were."""


def read(connection: _sqlite.Connection, kind: Kind, memory_key: int, origin: Origin, last: int = LAST) -> Found:
    """All rows of one memory that are as they were written.

    Args:
        connection: from `tolerant`.
        kind: the table.
        memory_key: whose rows.
        origin: where they are, for errors.
        last: above every key of theirs, if that is known.
    """
    found = Found()
    for row in _rows(connection, kind, memory_key, last, found):
        try:
            found.values.append(kind.decode(row, origin))
        except UNDECODABLE:  # noqa: PERF203 - each row by itself may be damaged
            found.damaged += 1
    return found


def tolerant(connection: _sqlite.Connection) -> _sqlite.Connection:
    """The same connection, which gives damaged text back instead of an error, so that its checksum can tell."""
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    return connection


def attempted(fetch: Callable[[int, int], list[Row]], last: int, found: Found) -> Iterator[Row]:
    """Rows of the keys 0 to `last`; around pages that cannot be read the span is halved until it can be."""
    attempts = 0
    spans = [(0, last)]
    while spans:
        low, high = spans.pop()
        try:
            yield from fetch(low, high)
        except _sqlite.FAILURES:
            attempts += 1
            found.unreadable = True
            if low < high and attempts < _MOST_ATTEMPTS:
                middle = (low + high) // 2
                spans += [(middle + 1, high), (low, middle)]


def _rows(connection: _sqlite.Connection, kind: Kind, memory_key: int, last: int, found: Found) -> Iterator[Row]:
    span = kind.span
    if span is None:
        try:
            yield from connection.execute(kind.select, (memory_key,)).fetchall()
        except _sqlite.FAILURES:
            found.unreadable = True
        return

    def fetch(low: int, high: int) -> list[Row]:
        return connection.execute(kind.select + span, (memory_key, low, high)).fetchall()

    yield from attempted(fetch, last, found)
