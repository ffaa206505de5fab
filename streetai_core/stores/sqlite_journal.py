"""The journal of a memory in SQLite: noting what a writing operation does, in its own transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from streetai_core.errors import DamagedFileError
from streetai_core.stores import _sqlite
from streetai_core.stores.journal import (
    Link,
    entry_cells,
    entry_of,
    entry_row,
    is_worth_noting,
    next_link,
    touched,
)
from streetai_core.stores.types import Changes, Head

_SEAL = "SELECT sequence, seal FROM messages WHERE memory_key = ? AND sequence = ?"
_LAST = "SELECT total, digest FROM journal WHERE memory_key = ? ORDER BY version DESC LIMIT 1"
_ENTRY = """
INSERT INTO journal (memory_key, version, added, changed, removed, event, target, next_sequence, next_signal,
                     created_at, total, digest, crc)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


class Noting:
    """Notes one operation: made before it, `note` called after it."""

    def __init__(self, connection: _sqlite.Connection, key: int, changes: Changes) -> None:
        """Look at what the operation is about to touch."""
        self._connection = connection
        self._key = key
        self._changes = changes
        self._touched = touched(changes)
        self._before = {} if changes.wipe else self._seals(self._touched)

    def note(self, head: Head, now: datetime) -> None:
        """Write the entry of the operation, if there is anything to note."""
        after = self._seals(self._touched)
        entry = entry_of(self._changes, head, self._before, after, now)
        if not is_worth_noting(entry):
            return
        found = self._connection.execute(_LAST, (self._key,)).fetchall()
        cells = entry_cells(entry, self._key)
        link = next_link(Link(*_hashes(found[0])) if found else Link(), cells, self._before, after)
        self._connection.execute(_ENTRY, entry_row(cells, link))

    def _seals(self, sequences: Iterable[int]) -> dict[int, bytes]:
        # One by one: nearly always it is one, and to have SQLite read a list takes longer than to ask again.
        rows = [self._connection.execute(_SEAL, (self._key, sequence)).fetchall() for sequence in sorted(sequences)]
        found = [row for some in rows for row in some]
        return dict(zip((row[0] for row in found), _hashes([row[1] for row in found]), strict=True))


def _hashes(values: Sequence[object]) -> list[bytes]:
    """The values, all of which have to be bytes: one flipped bit in a row makes a text of them, or nothing.

    Raises:
        DamagedFileError: one is not.
    """
    hashes = [value for value in values if isinstance(value, bytes)]
    if len(hashes) != len(values):
        raise DamagedFileError(
            "a seal or the end of the journal is damaged, so that nothing can be written after it. Restore the file "
            "from a backup, or export what is whole with: streetai salvage FILE -o NEW.db"
        )
    return hashes
