"""Looking for deleted values in the raw bytes of a database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import numpy as np

from streetai_core.stores import _sqlite
from streetai_core.stores.opening import DatabaseFile
from streetai_core.stores.raw_files import can_read, files_of, raw_parts
from streetai_core.stores.traces import Keys, Traces
from streetai_core.stores.types import Erased

_MEMORY_KEYS = "SELECT memory_key FROM memories"
_STORED = (
    "SELECT * FROM memories WHERE memory_key = ?",
    "SELECT * FROM messages WHERE memory_key = ?",
    "SELECT * FROM vectors WHERE memory_key = ?",
    "SELECT * FROM cues WHERE memory_key = ?",
    "SELECT * FROM stacks WHERE memory_key = ?",
    "SELECT * FROM words WHERE memory_key = ?",
    "SELECT * FROM quarantines WHERE memory_key = ?",
    # Rows side by side: where one ends and the next begins there may be something that was in another one.
    "SELECT data FROM packs WHERE memory_key = ?",
)
"""Where texts and vectors are. The others have whole numbers only, or words of ours."""


def search(file: DatabaseFile, traces: Traces, pending: tuple[str, ...]) -> Erased:
    """What of the values is found in the files and not in any stored row, of whatever memory.

    Args:
        file: the database.
        traces: of what was deleted.
        pending: what is known not to be done; goes into the result.
    """
    if not len(traces):
        return Erased(pending=pending)
    if not can_read():
        return Erased(pending=(*pending, "the files were not searched: there is no Python interpreter to read them"))
    files = files_of(file.path)
    try:
        found = traces.found_in(raw_parts(files))
    except OSError as error:
        return Erased(files=files, pending=(*pending, f"the files were not searched: {error}"))
    try:
        stored = _stored(file, traces) if len(found) else found
    except _sqlite.FAILURES as error:
        return Erased(
            files=files, residual=len(found), pending=(*pending, f"the stored rows could not be compared: {error}")
        )
    return Erased(files=files, residual=int(np.sum(~np.isin(found, stored))), pending=pending)


def _stored(file: DatabaseFile, traces: Traces) -> Keys:
    """Those pieces that a row has: somebody else said the same."""
    with closing(file.connect("ro")) as connection:
        connection.text_factory = bytes
        return traces.found_in(_values(connection))


def _values(connection: _sqlite.Connection) -> Iterator[bytes]:
    """All texts and vectors that are stored, with something between them that is in neither."""
    for (key,) in connection.execute(_MEMORY_KEYS).fetchall():
        for statement in _STORED:
            for row in connection.execute(statement, (key,)).fetchall():
                yield b"\0\0".join(value for value in row if isinstance(value, bytes)) + b"\0\0"
