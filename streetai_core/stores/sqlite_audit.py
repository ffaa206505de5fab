"""Finding what was edited in a memory behind the library: rows are compared with their seals and with the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from streetai_core.stores.journal import START, alive_after, chained, entry_from, is_readable, total_of
from streetai_core.stores.provenance import Edit
from streetai_core.stores.rows import Origin, Row
from streetai_core.stores.seals import seal

_ROWS = """
SELECT memory_key, sequence, message_id, turn, conversation_id, role, name, created_at, metadata, sanitised,
       source, trust, writer, salt, seal, content
FROM messages WHERE memory_key = ? ORDER BY sequence
"""
JOURNAL = """
SELECT memory_key, version, added, changed, removed, event, target, next_sequence, next_signal, created_at, total,
       digest, crc
FROM journal WHERE memory_key = ? ORDER BY version
"""

_CELLS = 13
"""Columns of a message that are sealed, its salt, its seal and its text come after them."""

_MOST_PAIRS = 200
"""Rows whose place is looked for among each other; beyond that they are called changed, which they are."""

Select: TypeAlias = Callable[..., list[Row]]


def edits(select: Select, key: int, next_sequence: int, origin: Origin) -> list[Edit]:
    """Everything that fits neither its seal nor the journal.

    Args:
        select: executes a query.
        key: the memory's.
        next_sequence: of its head.
        origin: where the rows come from.
    """
    journal = select(JOURNAL, key)
    found = [*broken_links(journal, origin)]
    readable = [row for row in journal if is_readable(row, origin)]
    alive = alive_after(entry_from(row, origin) for row in readable)
    rows = {row[1]: row for row in select(_ROWS, key)}
    found += _wrong_rows(rows, alive)
    if not found:
        found += _wrong_ends(rows, readable, next_sequence)
    return found


def broken_links(journal: list[Row], origin: Origin) -> Iterator[Edit]:
    """Entries whose hash does not follow from the one before, or that cannot be read."""
    digest = START
    for row in journal:
        cells, total, own = tuple(row[:10]), row[10], row[11]
        sound = isinstance(total, bytes) and isinstance(own, bytes) and is_readable(row, origin)
        if not sound or chained(digest, cells, total) != own:
            yield Edit(
                kind="journal", what=f"the journal entry of version {row[1]} does not follow from the one before"
            )
        digest = own if isinstance(own, bytes) else START


def _wrong_rows(rows: Mapping[int, Row], alive: set[int]) -> Iterator[Edit]:
    """Messages that do not fit their seals, that nobody wrote, and that nobody deleted."""
    missing = sorted(alive - set(rows))
    unsealed = [number for number, row in rows.items() if not _is_sealed(row)]
    homes = [*missing, *unsealed][:_MOST_PAIRS]
    for number in missing:
        yield Edit(kind="deleted", sequence=number, what=f"message {number} was deleted behind the library")
    for number, row in rows.items():
        name = row[2] if isinstance(row[2], str) else None
        if number in unsealed:
            home = next((one for one in homes if one != number and _is_sealed((row[0], one, *row[2:]))), None)
            if home is not None:
                what = f"message {number} was message {home}, and was moved behind the library"
                yield Edit(kind="moved", sequence=number, message_id=name, what=what)
                continue
        if number not in alive:
            what = f"message {number} was inserted behind the library"
            yield Edit(kind="inserted", sequence=number, message_id=name, what=what)
        elif number in unsealed:
            yield Edit(
                kind="changed",
                sequence=number,
                message_id=name,
                what=f"message {number} was changed behind the library",
            )


def _wrong_ends(rows: Mapping[int, Row], journal: list[Row], next_sequence: int) -> Iterator[Edit]:
    """What shows in the end of the journal alone: seals made anew, and entries cut off."""
    total = journal[-1][10] if journal else START
    if total != total_of({number: row[14] for number, row in rows.items()}):
        yield Edit(kind="changed", what="a message was changed behind the library, and its seal made anew")
    if journal and journal[-1][7] > next_sequence:
        yield Edit(kind="journal", what="the journal is ahead of the memory, which was put back")
    # A row of the head may be ahead by messages that were planned and not written; only added ones count.


def _is_sealed(row: tuple[Any, ...]) -> bool:
    """Whether a message fits its seal."""
    salt, sealed, content = row[_CELLS:]
    kinds = isinstance(salt, bytes) and isinstance(sealed, bytes) and isinstance(content, str)
    return kinds and len(salt) > 0 and seal(salt, tuple(row[:_CELLS]), content) == sealed
