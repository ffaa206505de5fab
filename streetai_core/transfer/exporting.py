"""One memory into one file."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO
from uuid import uuid4

from streetai_core.errors import InputError
from streetai_core.registry import MemoryRegistry
from streetai_core.stores.paths import followed
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.stores.types import Head
from streetai_core.text.clean import check_id
from streetai_core.transfer.archive import may_be_archive, write_archive
from streetai_core.transfer.snapshot import Snapshot, snapshot_of
from streetai_core.transfer.values import Exported, Watch
from streetai_core.upkeep.files import beside as files_of
from streetai_core.upkeep.files import check_file, put_in_place, rights_of


def export_memory(
    registry: MemoryRegistry,
    memory_id: str,
    out: str | os.PathLike[str] | IO[str],
    *,
    vectors: bool = True,
    overwrite: bool = False,
    progress: Watch | None = None,
) -> Exported:
    """Write a whole memory to a file, without loss: messages, weights, clocks, stacks, the learning log, vectors.

    The memory is read in one transaction, so the file shows it at one moment. A file takes its place only when it is
    complete, so an export that was there before is replaced whole or left as it is. Nobody may do more with it than
    with the database, or with a file that it replaces.

    Args:
        registry: where the memory is.
        memory_id: which one.
        out: a path, or an open text file, which stays open. Behind a link the file is written that it leads to.
        vectors: False leaves vectors and stacks' centroids out; the import embeds the texts anew.
        overwrite: whether a file may be replaced that is neither an export of a memory nor empty.
        progress: called with (rows written so far, rows in all).

    Raises:
        InputError: nothing was ever written under this id, or the file cannot be written, is none, as a pipe, is the
            database, or is there already and no export.
        StoreError: the memory cannot be read.
    """
    memory_id = check_id(memory_id, "memory_id")
    if not isinstance(out, str | os.PathLike) and not callable(getattr(out, "write", None)):
        raise InputError(f"out must be a path or an open text file, got {type(out).__name__}")
    with registry.store.reading(memory_id) as transaction:
        snapshot = snapshot_of(transaction)
    if snapshot is None:
        raise InputError(f"there is no memory {memory_id!r} to export")
    if isinstance(out, str | os.PathLike):
        place, database = followed(out, "out"), _database_of(registry)
        _check_place(place, database, overwrite=overwrite)
        digest = _write_file(place, snapshot, database, vectors=vectors, progress=progress)
    else:
        digest = write_archive(out, snapshot, vectors=vectors, progress=progress)
    return _exported(snapshot.head, snapshot, digest, vectors=vectors)


def _database_of(registry: MemoryRegistry) -> tuple[str, ...]:
    """The path of the database, if it is a file."""
    return (registry.store.path,) if isinstance(registry.store, SqliteStore) else ()


def _check_place(path: str, database: Collection[str], *, overwrite: bool) -> None:
    """Refuse to replace what may be wanted.

    Raises:
        InputError: naming it and what to do.
    """
    check_file(path)
    if any(os.path.realpath(path) in files_of(os.path.realpath(one)) for one in database):
        raise InputError(f"out must be another file than the database itself or a part of it, got {path}")
    if not overwrite and Path(path).exists() and not may_be_archive(Path(path)):
        raise InputError(
            f"{path} is there already and is no export of a memory; choose another path, or replace it with "
            "overwrite=True"
        )


def _write_file(
    path: str, snapshot: Snapshot, database: Collection[str], *, vectors: bool, progress: Watch | None
) -> str:
    """Write beside the file, and put it in its place."""
    beside = Path(path).with_name(f".streetai-{uuid4().hex}")
    rights = rights_of(*database, path)
    try:
        try:
            with open(beside, "x", encoding="utf-8", newline="\n", opener=partial(os.open, mode=rights)) as out:
                digest = write_archive(out, snapshot, vectors=vectors, progress=progress)
            put_in_place(str(beside), path, rights=rights, overwrite=True)
        except BaseException:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
    return digest


def _exported(head: Head, snapshot: Snapshot, digest: str, *, vectors: bool) -> Exported:
    return Exported(
        memory_id=head.memory_id,
        messages=len(snapshot.messages),
        signals=len(snapshot.rows["signals"]),
        learning_steps=len(snapshot.rows["credits"]),
        vectors=vectors,
        digest=digest,
    )
