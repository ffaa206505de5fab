"""Folders in which files are made, beside the place that they are for; and those that a killed process has left there.

Whoever makes one holds a lock in it, of which the system lets go when a process ends, however it does.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = ".streetai-"

_NAME = re.compile(r"\.streetai-[a-z0-9_]{8}")
"""What `tempfile` makes of the prefix: other folders are somebody else's."""

_LOCK = "lock"


@contextmanager
def draft_folder(parent: Path) -> Iterator[Path]:
    """A new folder, which is gone with all that is in it when the block ends. What was left there before goes too.

    Raises:
        OSError: it could not be made.
    """
    remove_left(parent)
    folder, lock = _made(parent)
    try:
        yield folder
    finally:
        os.close(lock)
        shutil.rmtree(folder, ignore_errors=True)


def left_in(parent: Path) -> list[Path]:
    """The folders whose process has ended without removing them, sorted. Changes nothing."""
    found = []
    for folder in _folders(parent):
        with _claimed(folder) as claimed:
            if claimed:
                found.append(folder)
    return found


def remove_left(parent: Path) -> list[Path]:
    """Remove these folders; returns those that could not be removed."""
    kept = []
    for folder in _folders(parent):
        with suppress(OSError):
            # Of a process that was killed before it had a lock; one that is about to take it makes another folder.
            folder.rmdir()
        with _claimed(folder) as claimed:
            if claimed:
                shutil.rmtree(folder, ignore_errors=True)
        if claimed and folder.exists():
            kept.append(folder)
    return kept


def _folders(parent: Path) -> list[Path]:
    """All such folders, whosoever they are."""
    try:
        names = sorted(name for name in os.listdir(parent) if _NAME.fullmatch(name))  # noqa: PTH208 - names are wanted
    except OSError:
        return []
    return [parent / name for name in names]


def _made(parent: Path) -> tuple[Path, int]:
    """A new folder, and the descriptor of its lock."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        try:
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except FileNotFoundError:
            continue  # another process took it for one that was left
        if _take(lock) is not False and (folder / _LOCK).exists():
            return folder, lock
        os.close(lock)


@contextmanager
def _claimed(folder: Path) -> Iterator[bool]:
    """Hold the lock of a folder within the block, if nobody holds it; whether it is held."""
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR)
    except OSError:
        yield False
        return
    try:
        yield _take(lock) is True
    finally:
        os.close(lock)


def _take(lock: int) -> bool | None:
    """Take a lock at once; `None` where the file system has none, so that nobody can tell who is alive."""
    try:
        _lock_file(lock)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return None
    return True


if sys.platform == "win32":
    import msvcrt

    def _lock_file(lock: int) -> None:
        msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock_file(lock: int) -> None:
        # Not `lockf`: a process would lose that lock by looking whether it is held.
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
