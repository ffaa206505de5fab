"""Where a database file is, what lies beside it, and with what it is read: what of that is going to go wrong."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from streetai_core.stores import _sqlite
from streetai_core.stores.drafts import left_in
from streetai_core.stores.opening import DatabaseFile
from streetai_core.upkeep.health import Finding
from streetai_core.upkeep.mounts import network_file_system

_LARGE_LOG = 64 * 1024 * 1024
"""Bytes of the log that only a reader who never ends explains."""


def surroundings(file: DatabaseFile, *, erasing: bool) -> Iterator[Finding]:
    """What is wrong with where the file is, what lies beside it, or with what it is read.

    Args:
        file: the database.
        erasing: whether something was deleted since its log was copied.
    """
    kind = network_file_system(file.path)
    if kind is not None:
        yield Finding(
            severity="problem",
            what=f"the file is on a network file system ({kind}), where SQLite's log corrupts files",
            advice="Move it to a local disk, and have one machine use it.",
        )
    names = _names(file.path)
    if names > 1:
        yield Finding(
            severity="problem",
            what=f"the file has {names} names (hard links), each with a log of its own: used under two, it breaks",
            advice="Make a copy of it in place of the other name, with: streetai backup FILE -o COPY",
        )
    for folder in left_in(Path(file.path).parent):
        yield Finding(
            severity="problem",
            what=f"{folder} was left by a backup, restore or salvage that was killed: a copy of what was stored then",
            advice="Delete it. The next backup into this folder does so, and so does forgetting anything.",
        )
    if file.log_size() > _LARGE_LOG:
        yield Finding(
            severity="problem",
            what=f"the write-ahead log has {file.log_size()} bytes: somebody has been reading an old state for long",
            advice="End the program that does; the next write copies the log.",
        )
    elif erasing and file.log_size():
        yield Finding(
            severity="note",
            what="the write-ahead log is not copied since something was deleted, which may still be in it",
            advice="Nothing: the next write of any process that uses this library, or closing the file, copies it. "
            "At once: MemoryRegistry.settle()",
        )
    if _sqlite.affected_by_wal_reset_bug():
        yield Finding(
            severity="note",
            what=f"SQLite {_sqlite.VERSION_TEXT} has the WAL-reset bug; this library avoids it, other programs may not",
            advice="If others write the file too, install a fixed version with: pip install pysqlite3",
        )
    if not file.writable():
        yield Finding(
            severity="note",
            what="the file or its folder cannot be written here",
            advice="Nothing, if that is meant: reading works, and writing raises ReadOnlyStoreError.",
        )


def _names(path: str) -> int:
    """How many names the file has."""
    try:
        return os.stat(path).st_nlink  # noqa: PTH116 - a str is what SQLite takes
    except OSError:
        return 1
