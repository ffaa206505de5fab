"""Exporting what is whole in a damaged file into a new one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from streetai_core.errors import DamagedFileError, InputError, StoreError
from streetai_core.stores import _sqlite
from streetai_core.stores.base import Store
from streetai_core.stores.drafts import draft_folder
from streetai_core.stores.paths import followed
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.upkeep.damaged_copy import is_defined_otherwise, openable_copy
from streetai_core.upkeep.files import check_apart, check_free, put_in_place, rights_of
from streetai_core.upkeep.owners import Owner, owners
from streetai_core.upkeep.reading import tolerant
from streetai_core.upkeep.whole import Whole, changes_of, whole_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class SalvagedMemory:
    """What was saved of one memory."""

    memory_id: str
    """Its own id, or one that begins with "salvaged-" if that could not be read for certain."""
    rows: Mapping[str, int]
    """Table -> rows in the new file."""
    lost: Mapping[str, int]
    """Table -> rows that are known to have been there and are not in the new file.

    "memories" is its own row, with the name of its encoder and its token. Without it nobody knows how many rows there
    were, but for messages, of which the journal tells if it is whole. A weight is lost if what was learned in it is."""
    without_vectors: tuple[str, ...] = ()
    """Ids of messages that can be recalled by words, but have no signals left; `update_message` with the same text
    makes them anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Salvage:
    """What was saved of a damaged file."""

    path: str
    """The new file."""
    memories: tuple[SalvagedMemory, ...]
    """Those of which anything is left."""
    without_rows: int = 0
    """Memories of which neither their own row nor a message is left; they are not in the new file."""

    @property
    def complete(self) -> bool:
        """Whether nothing was lost, which is known for certain."""
        return not self.without_rows and not any(memory.lost for memory in self.memories)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "path": self.path,
            "complete": self.complete,
            "memories": [asdict(one) for one in self.memories],
            "without_rows": self.without_rows,
        }


def salvage(path: str | os.PathLike[str], out: str | os.PathLike[str]) -> Salvage:
    """Write everything of a damaged file that is as it was written into a new one.

    Only rows that fit their checksum are taken; the damaged file is not changed. Stacks that lost a signal are made
    anew from the others, and the journal of the new file begins with the salvage. Ids of messages stay; those of
    signals are new, so that hits and handles of before do not fit. Nobody may do more with the new file than with the
    damaged one.

    Args:
        path: the damaged file.
        out: the new file; there must be none yet.

    Raises:
        InputError: there is no file at `path`, or one at `out`.
        DamagedFileError: nothing of it can be read.
        NewerFileError: a newer version of this library made it, which is the one to salvage it with.
        StoreError: a file cannot be read or written.
    """
    source, target = followed(path), followed(out, "out")
    log = source + "-wal"
    # Not by `pathlib`, which raises for a name that is too long.
    if not (os.path.isfile(source) or os.path.isfile(log)):  # noqa: PTH113 - as above
        raise InputError(f"there is no file {source}; check the path")
    if os.path.isfile(target):  # noqa: PTH113 - as above
        raise InputError(f"{target} is there already; choose another path, for what is saved goes into a new file")
    check_free(target, overwrite=False)
    check_apart(target, source, "out")
    folder = Path(target).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with draft_folder(folder) as draft:
            best = _best_attempt(source, draft)
            put_in_place(best.path, target, rights=rights_of(source, log), overwrite=False)
    except OSError as error:
        raise StoreError(f"{target} cannot be written: {error}. Check the path, the rights and the space.") from error
    return best.salvage(target)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A new file, and what is in it."""

    path: str
    memories: tuple[SalvagedMemory, ...]
    without_rows: int
    otherwise: bool
    """Whether the tables of the damaged file are not where those of a new file are, or are not defined so."""

    @property
    def worth(self) -> tuple[bool, int]:
        """What two attempts are compared by: whether all was saved, and how many rows."""
        return self.salvage(self.path).complete, sum(sum(memory.rows.values()) for memory in self.memories)

    def salvage(self, target: str) -> Salvage:
        """What is told of it when it has its name."""
        return Salvage(path=target, memories=self.memories, without_rows=self.without_rows)


def _best_attempt(source: str, folder: Path) -> _Attempt:
    """Read the file with its own definitions of the tables, and with those of a new file if its own may be damaged.

    Raises:
        DamagedFileError: nothing can be read either way.
    """
    try:
        first = _attempt(source, folder / "as it is", redefined=False)
    except DamagedFileError as error:
        try:
            return _attempt(source, folder / "redefined", redefined=True)
        except DamagedFileError:
            raise error from None
    if not first.otherwise or first.worth[0]:
        return first
    try:
        second = _attempt(source, folder / "redefined", redefined=True)
    except DamagedFileError:
        return first
    return max(first, second, key=lambda attempt: attempt.worth)


def _attempt(source: str, folder: Path, *, redefined: bool) -> _Attempt:
    """Read a copy, and write what is whole into a new file."""
    folder.mkdir()
    new, copies = str(folder / "new.db"), folder / "copies"
    copies.mkdir()
    try:
        copy = openable_copy(source, str(copies), redefined=redefined)
        with closing(tolerant(copy.connect("rw"))) as connection, SqliteStore(new) as store:
            otherwise = is_defined_otherwise(connection)
            there = owners(connection, source)
            saved = _written(store, ((owner, whole_rows(connection, owner, source)) for owner in there))
    except _sqlite.FAILURES as error:
        raise DamagedFileError(f"{source} is damaged so badly that nothing of it can be read: {error}") from error
    finally:
        shutil.rmtree(copies)
    if not saved:
        raise DamagedFileError(f"{source} has no row that is as it was written; restore it from a backup")
    return _Attempt(new, tuple(saved), len(there) - len(saved), otherwise)


def _written(store: Store, found: Iterable[tuple[Owner, Whole]]) -> list[SalvagedMemory]:
    """Write memories that have anything left."""
    saved: list[SalvagedMemory] = []
    for owner, whole in found:
        if owner.head is None and not whole.messages:
            continue
        with store.writing(owner.memory_id) as writing:
            writing.apply(changes_of(whole, owner), now=datetime.now(timezone.utc))
        with_signals = {signal.sequence for signal in whole.signals.values()}
        saved.append(
            SalvagedMemory(
                memory_id=owner.memory_id,
                rows={table: number for table, number in whole.rows.items() if number},
                lost=whole.lost(owner),
                without_vectors=tuple(
                    whole.messages[sequence].message_id for sequence in whole.words if sequence not in with_signals
                ),
            )
        )
    return saved
