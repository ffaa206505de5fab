"""Copies of a database that is in use, and putting one back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

from streetai_core.errors import DamagedFileError, InputError, StoreError
from streetai_core.stores import _sqlite
from streetai_core.stores.checkpoints import Checkpoints
from streetai_core.stores.drafts import draft_folder
from streetai_core.stores.faults import Faults
from streetai_core.stores.images import Images
from streetai_core.stores.opening import DatabaseFile
from streetai_core.stores.paths import followed
from streetai_core.stores.rows import Origin, head_from, head_row
from streetai_core.stores.schema import schema_version
from streetai_core.stores.selects import HEADS
from streetai_core.stores.transactions import transaction
from streetai_core.stores.uses import using
from streetai_core.upkeep.doctor import examine
from streetai_core.upkeep.files import check_apart, check_file, check_free, put_in_place, read_only, rights_of
from streetai_core.upkeep.health import Health

_BUSY_TIMEOUT = 30.0
"""Seconds to wait for a writer."""

_WAIT = 5.0
"""Seconds that a restore waits for readers of what it has replaced, so that nothing of it stays in the log."""

_NEW_LINE = "UPDATE memories SET token = ?, generation = ?, crc = ? WHERE memory_key = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A copy of a database, as it was at one moment."""

    path: str
    size_bytes: int
    memories: Mapping[str, int]
    """Memory id -> messages."""


def back_up(path: str | os.PathLike[str], target: str | os.PathLike[str], *, overwrite: bool = False) -> Backup:
    """Copy a database that others may be using, whole and as it is at one moment, and examine the copy.

    Whatever was acknowledged before the call is in it. Writers are not held up. The copy takes its name when it is
    complete, examined and on the disk. Nobody may do more with it than with the database, or with a file that it
    replaces.

    Args:
        path: the database.
        target: the new file.
        overwrite: whether it may replace another one.

    Raises:
        InputError: there is no file at `path`, or nothing was stored in it yet, or there is one at `target`.
        DamagedFileError: the database is damaged; the message says where.
        StoreError: a file cannot be read or written.
    """
    source, copy = _database(path), followed(target, "target")
    check_free(copy, overwrite=overwrite)
    check_apart(copy, source.path, "target")
    with using(source.path), _Draft(copy) as draft:
        _copy(source, draft.file)
        health = draft.examined(f"the copy of {source.path}")
        draft.finish(rights_of(source.path, copy), overwrite=overwrite)
    return _backup(copy, health)


def restore(backup: str | os.PathLike[str], path: str | os.PathLike[str], *, overwrite: bool = False) -> Backup:
    """Put a backup in the place of a database, after examining it; the backup is not changed.

    A database that is there already is replaced in one transaction: others that have it open see the restored one at
    their next call, and their handles raise `StaleMemoryError`. One that SQLite cannot open any more is kept beside it
    with ".damaged" at the end of its name.

    Args:
        backup: what `back_up` made.
        path: where the database is to be.
        overwrite: whether it may replace another one.

    Raises:
        InputError: there is no file at `backup`, or nothing was ever stored in it, or there is one at `path`.
        DamagedFileError: the backup is damaged; then nothing was changed.
        StoreError: a file cannot be read or written; then nothing was changed.
    """
    source, target = _database(backup, "backup"), followed(path)
    check_apart(target, source.path, "path")
    # A name that the system refuses is refused below, with what is wrong with it.
    there = os.path.exists(target)  # noqa: PTH110 - `pathlib` raises then
    if there and not overwrite:
        raise InputError(f"{target} is there already; choose another path, or replace it with overwrite=True (--force)")
    check_file(target)
    with using(source.path), using(target), _Draft(target) as draft:
        _copy(source, draft.file)
        draft.examined(str(backup))
        live = DatabaseFile(target, _BUSY_TIMEOUT, "full")
        usable = there and _opens(live)
        if usable and _size(live):
            _begin_new_line(draft.file, _generations(live))
        health = draft.examined(str(backup))
        # They are of what is replaced.
        Images(target).drop_all()
        if usable:
            _copy(draft.file, live)
            _settle(live)
        else:
            rights = rights_of(source.path, target)
            if there:
                _set_aside(target)
            draft.finish(rights, overwrite=False)
    return _backup(target, health)


class _Draft:
    """A database in a folder of its own beside the place that it is made for."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._made = ExitStack()

    def __enter__(self) -> _Draft:  # noqa: PYI034 - Self needs Python 3.11
        parent = Path(self._target).parent
        with Faults(self._target):
            parent.mkdir(parents=True, exist_ok=True)
            folder = self._made.enter_context(draft_folder(parent))
        self.file = DatabaseFile(str(folder / "draft.db"), _BUSY_TIMEOUT, "full")
        return self

    def __exit__(self, *exception: object) -> None:
        self._made.close()

    def examined(self, what: str) -> Health:
        """Its health.

        Raises:
            DamagedFileError: it is not whole.
        """
        health = examine(self.file.path)
        damage = [finding.what for finding in health.findings if finding.severity == "damage"]
        if damage:
            raise DamagedFileError(
                f"{what} is damaged, so it was not used: {'; '.join(damage[:3])}. "
                "Export what is whole with: streetai salvage FILE -o NEW.db"
            )
        return health

    def finish(self, rights: int, *, overwrite: bool) -> None:
        """Give it its name, and no more than these rights; until then its folder keeps everybody else out."""
        with Faults(self._target):
            put_in_place(self.file.path, self._target, rights=rights, overwrite=overwrite)


def _database(path: str | os.PathLike[str], what: str = "path") -> DatabaseFile:
    file = DatabaseFile(followed(path, what), _BUSY_TIMEOUT, "full")
    if not file.exists():
        raise InputError(f"there is no file {file.path} yet; a database is made by its first write")
    return file


def _copy(source: DatabaseFile, target: DatabaseFile) -> None:
    """Copy all pages at once: the state of one moment, whatever is written meanwhile.

    Raises:
        InputError: nothing was stored in the source yet.
        StoreError: one of them cannot be read or written; then the target is as it was.
    """
    with Faults(source.path), closing(read_only(source)) as reading:
        # Reading needs the file to be ours, and of this version; else the copy would be of what nobody asked for.
        with transaction(reading, source.path, "BEGIN"):
            if not schema_version(reading, source.path):
                raise InputError(f"{source.path} is empty: nothing was stored in it yet, so there is nothing to copy")
            reading.execute("SELECT count(*) FROM memories").fetchone()
        with Faults(target.path), closing(target.connect("rwc")) as writing:
            reading.backup(writing, pages=-1)


def _opens(file: DatabaseFile) -> bool:
    """Whether SQLite can open what is there, so that it can be replaced in a transaction."""
    try:
        with closing(file.connect("rw")) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except _sqlite.FAILURES as error:
        if _sqlite.is_busy(error):
            raise StoreError(f"{file.path} is locked by another program; end it and try again") from error
        return False
    except DamagedFileError:
        # Emptied, with a log that may be all that is left.
        return False
    return True


def _size(file: DatabaseFile) -> int:
    """Bytes; a file without any, and without a log, is one that nobody has read anything from."""
    return Path(file.path).stat().st_size + file.log_size()


def _generations(file: DatabaseFile) -> dict[str, int]:
    """Memory id -> generation, of the memories that can be read."""
    found: dict[str, int] = {}
    try:
        with closing(file.connect("ro")) as connection:
            for row in connection.execute(HEADS).fetchall():
                if isinstance(row[3], int):
                    found[str(row[1])] = row[3]
    except _sqlite.FAILURES:
        pass
    return found


def _begin_new_line(file: DatabaseFile, generations: Mapping[str, int]) -> None:
    """Raise all generations above those of the file that is replaced: what handles know of it holds no longer."""
    with Faults(file.path), closing(file.connect("rw")) as connection:
        connection.execute("BEGIN IMMEDIATE")
        for row in connection.execute(HEADS).fetchall():
            head, created_at = head_from(row[1:], Origin(file.path, row[1]))
            generation = max(head.generation, generations.get(head.memory_id, 0)) + 1
            head = replace(head, token=uuid4().hex[:12], generation=generation)
            connection.execute(_NEW_LINE, (head.token, generation, head_row(head, created_at)[-1], row[0]))
        connection.execute("COMMIT")


def _settle(file: DatabaseFile) -> None:
    """Copy the log, in which all pages are."""
    with Faults(file.path), closing(file.connect("rw")) as connection:
        Checkpoints(file).settle(connection, patience=_WAIT)


def _set_aside(path: str) -> None:
    """Keep a file that nobody can use, and its log, under other names.

    Raises:
        InputError: the names are taken.
    """
    aside = path + ".damaged"
    if Path(aside).exists():
        raise InputError(f"{aside} is there already; move it away, it is what an earlier restore kept")
    with Faults(path):
        for ending in ("", "-wal", "-shm"):
            if Path(path + ending).exists():
                Path(path + ending).rename(aside + ending)


def _backup(path: str, health: Health) -> Backup:
    return Backup(
        path=path,
        size_bytes=health.size_bytes,
        memories={memory.memory_id: memory.rows["messages"] for memory in health.memories},
    )
