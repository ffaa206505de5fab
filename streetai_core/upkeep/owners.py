"""Whose rows are in a database, also where the table that says so is damaged."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from itertools import chain, count

from streetai_core.errors import InputError
from streetai_core.stores import _sqlite
from streetai_core.stores.journal import alive_after, entry_from
from streetai_core.stores.rows import Origin, Row, head_from
from streetai_core.stores.selects import HEADS
from streetai_core.stores.sqlite_audit import JOURNAL, broken_links
from streetai_core.stores.types import Head
from streetai_core.text.clean import check_id
from streetai_core.upkeep.reading import KINDS, UNDECODABLE, Found, attempted

COUNTERS = """
SELECT stored_messages, stored_signals, stored_weights, stored_stacks, stored_words, stored_credits, stored_journal,
       stored_cues, stored_quarantines
FROM memories WHERE memory_key = ?
"""
"""In the order of `KINDS`."""

_BETWEEN = " WHERE memory_key BETWEEN ? AND ?"

_OF_OTHERS = (
    "SELECT DISTINCT memory_key FROM messages",
    "SELECT DISTINCT memory_key FROM words",
    "SELECT DISTINCT memory_key FROM vectors",
    "SELECT DISTINCT memory_key FROM signals",
)
"""Where the keys of memories stand too."""

_LAST_KEY = "SELECT seq FROM sqlite_sequence WHERE name = 'memories'"

_MOST = 1 << 20
"""Above every key, if the highest cannot be read."""

_KEY_OF_ID = "SELECT memory_key FROM memories WHERE memory_id = ?"
"""Answered from the index of ids, which has a second copy of each."""


@dataclass(frozen=True, slots=True)
class Owner:
    """One memory of a file that may be damaged."""

    key: int
    memory_id: str
    """Its own, or one that no other memory has if that cannot be told for certain: "salvaged-" and its key."""
    head: Head | None
    """`None`: its row does not fit its checksum, or is gone."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Table -> rows that there should be, as far as that is known: without a head, the journal tells of messages."""

    @property
    def is_whole(self) -> bool:
        """Whether its own row is, which tells how many rows there should be."""
        return self.head is not None and bool(self.counts)


def owners(connection: _sqlite.Connection, path: str) -> list[Owner]:
    """All memories of which a row can be read, by key."""
    found: dict[int, Owner] = {}
    keys: set[int] = set()
    for row in attempted(_heads_of(connection), _last_key(connection), Found()):
        keys.add(row[0])
        owner = _owner(connection, row, path)
        if owner is not None:
            found[owner.key] = owner
    for statement in _OF_OTHERS:
        keys.update(_first_column(connection, statement))
    taken = {owner.memory_id for owner in found.values()}
    return [
        found[key] if key in found else _without_head(connection, key, _made_up(key, taken), path)
        for key in sorted(keys)
    ]


def counts_of(connection: _sqlite.Connection, key: int) -> dict[str, int]:
    """Table -> rows that a memory should have."""
    try:
        row = connection.execute(COUNTERS, (key,)).fetchone()
    except _sqlite.FAILURES:
        row = None
    whole = row is not None and all(isinstance(number, int) for number in row)
    return dict(zip((kind.table for kind in KINDS), row, strict=True)) if whole else {}


def _made_up(key: int, taken: Collection[str]) -> str:
    """An id that is not taken: by a memory that was salvaged before, for instance."""
    name = f"salvaged-{key}"
    return next(one for one in chain([name], (f"{name}-{number}" for number in count(2))) if one not in taken)


def _owner(connection: _sqlite.Connection, row: Row, path: str) -> Owner | None:
    """The memory of a row; `None` if its id cannot be told for certain."""
    key, memory_id = row[0], row[1]
    try:
        head, _ = head_from(row[1:], Origin(path, str(memory_id)))
    except UNDECODABLE:
        return _without_head(connection, key, memory_id, path) if _is_certain(connection, key, memory_id) else None
    return Owner(key, head.memory_id, head, counts_of(connection, key))


def _without_head(connection: _sqlite.Connection, key: int, memory_id: str, path: str) -> Owner:
    """A memory whose row does not fit its checksum, or is gone, so that the counts in it say nothing."""
    origin = Origin(path, memory_id)
    try:
        journal = connection.execute(JOURNAL, (key,)).fetchall()
        if not journal or any(broken_links(journal, origin)):
            return Owner(key, memory_id, None)
        alive = alive_after(entry_from(row, origin) for row in journal)
    except _sqlite.FAILURES:
        return Owner(key, memory_id, None)
    return Owner(key, memory_id, None, {"messages": len(alive)})


def _is_certain(connection: _sqlite.Connection, key: int, memory_id: object) -> bool:
    """Whether table and index agree on an id: then the damage is in another column."""
    try:
        check_id(memory_id, "memory_id")  # type: ignore[arg-type]  # that is what it finds out
        return [(key,)] == connection.execute(_KEY_OF_ID, (memory_id,)).fetchall()
    except (InputError, UnicodeError, _sqlite.Error):
        return False


def _heads_of(connection: _sqlite.Connection) -> Callable[[int, int], list[Row]]:
    """Reads the heads of a span of keys."""

    def fetch(low: int, high: int) -> list[Row]:
        return connection.execute(HEADS + _BETWEEN, (low, high)).fetchall()

    return fetch


def _last_key(connection: _sqlite.Connection) -> int:
    keys = _first_column(connection, _LAST_KEY)
    return max(keys) if keys else _MOST


def _first_column(connection: _sqlite.Connection, statement: str) -> list[int]:
    """Whole numbers, as many as can be read."""
    found: list[int] = []
    try:
        for (value,) in connection.execute(statement):
            if isinstance(value, int) and 0 < value <= _MOST:
                found.append(value)
    except _sqlite.FAILURES:
        pass
    return found
