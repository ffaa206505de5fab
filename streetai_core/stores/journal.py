"""The journal of a memory: what each writing operation did to its messages, as numbers, never as text.

Each entry carries a hash of itself and of the one before it, so that no entry can be changed, left out or put in
between without breaking the chain, and the sum of the seals of all messages after it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from streetai_core.errors import DamagedFileError
from streetai_core.stores.provenance import JournalRow, Spans
from streetai_core.stores.rows import Origin, Row, checksum, time_text
from streetai_core.stores.seals import SUM_BYTES, added, share
from streetai_core.stores.types import Changes, Head

Seals: TypeAlias = Mapping[int, bytes]
"""Sequence of a message -> seal of its row."""

Event: TypeAlias = Literal["", "reset", "reencode", "rollback"]

START = bytes(SUM_BYTES)
"""The sum and the hash before the first entry."""


@dataclass(frozen=True, slots=True)
class Link:
    """The end of the chain."""

    total: bytes = START
    """The seals of all messages added up."""
    digest: bytes = START
    """The hash of the last entry."""


def entry_of(changes: Changes, head: Head, before: Iterable[int], after: Iterable[int], now: datetime) -> JournalRow:
    """What an operation did.

    Args:
        changes: the operation.
        head: the head after it.
        before: which of the messages that it touches were there before.
        after: which of them are there now.
        now: when it was.
    """
    old, new = set(before), set(after)
    written = {int(message.sequence) for message in changes.messages}
    return JournalRow(
        version=head.version,
        added=spans_of(new - old),
        changed=spans_of(old & new & written),
        # What a reset deletes is not listed: nothing of before can be asked for any more.
        removed=() if changes.wipe else spans_of(old - new),
        event="reset" if changes.wipe else changes.event,
        target=None if changes.wipe else changes.target,
        next_sequence=int(head.next_sequence),
        next_signal=int(head.next_signal),
        created_at=now,
    )


def is_worth_noting(entry: JournalRow) -> bool:
    """Whether an operation did anything to messages, or to all signals."""
    return bool(entry.added or entry.changed or entry.removed or entry.event)


def touched(changes: Changes) -> set[int]:
    """Sequences of all messages that an operation writes or deletes."""
    return {int(message.sequence) for message in changes.messages} | set(map(int, changes.deleted_messages))


def spans_of(sequences: Iterable[int]) -> Spans:
    """Numbers as spans: first and last of each run, ascending."""
    spans: list[tuple[int, int]] = []
    for number in sorted(sequences):
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return tuple(spans)


def numbers_in(spans: Spans) -> set[int]:
    """The inverse of `spans_of`."""
    return {number for first, last in spans for number in range(first, last + 1)}


def alive_after(entries: Iterable[JournalRow]) -> set[int]:
    """Sequences of the messages that are there after these operations, which are all that there were, in order."""
    alive: set[int] = set()
    for entry in entries:
        if entry.event == "reset":
            alive.clear()
        alive = (alive | numbers_in(entry.added)) - numbers_in(entry.removed)
    return alive


def next_link(last: Link, cells: Row, before: Seals, after: Seals) -> Link:
    """The end of the chain after one more entry.

    Args:
        last: the end so far.
        cells: the entry, as `entry_cells` gives it.
        before: the seals that go.
        after: the seals that come.
    """
    total = added(last.total, _shares(after), _shares(before))
    return Link(total, chained(last.digest, cells, total))


def chained(digest: bytes, cells: Row, total: bytes) -> bytes:
    """The hash of an entry that follows the one with this hash."""
    return hashlib.blake2b(digest + total + ascii(cells).encode(), digest_size=SUM_BYTES).digest()


def total_of(seals: Seals) -> bytes:
    """The seals of messages added up."""
    return added(START, _shares(seals))


def entry_cells(entry: JournalRow, memory_key: int) -> Row:
    """Columns of `journal`, as far as they are chained."""
    return (
        memory_key,
        entry.version,
        json.dumps(entry.added),
        json.dumps(entry.changed),
        json.dumps(entry.removed),
        entry.event,
        entry.target,
        entry.next_sequence,
        entry.next_signal,
        time_text(entry.created_at),
    )


def entry_row(cells: Row, link: Link) -> Row:
    """Columns of `journal`."""
    whole = (*cells, link.total, link.digest)
    return (*whole, checksum(whole))


def entry_from(row: Row, origin: Origin) -> JournalRow:
    """The entry of a row.

    Raises:
        DamagedFileError: the row does not fit its checksum.
    """
    if checksum(row[:-1]) != row[-1]:
        raise origin.damaged("journal entry", row[1])
    return JournalRow(
        version=row[1],
        added=_spans_from(row[2]),
        changed=_spans_from(row[3]),
        removed=_spans_from(row[4]),
        event=row[5],
        target=row[6],
        next_sequence=row[7],
        next_signal=row[8],
        created_at=datetime.fromisoformat(row[9]),
        digest=row[11].hex(),
    )


def is_readable(row: Row, origin: Origin) -> bool:
    """Whether an entry fits its checksum."""
    try:
        entry_from(row, origin)
    except (DamagedFileError, ValueError, TypeError, AttributeError):
        # Edited behind the library with a checksum to it, a column may be of any form.
        return False
    return True


def _shares(seals: Seals) -> int:
    return sum(share(sequence, sealed) for sequence, sealed in seals.items())


def _spans_from(text: str) -> Spans:
    return tuple((int(first), int(last)) for first, last in json.loads(text))
