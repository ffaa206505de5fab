"""What went wrong in the database, in our own errors: the only place where they are translated."""

from __future__ import annotations

import errno
import time
from pathlib import Path
from types import TracebackType

from streetai_core.errors import (
    DamagedFileError,
    MemoryBusyError,
    ReadOnlyStoreError,
    StorageFullError,
    StoreError,
)
from streetai_core.stores import _sqlite

_READ_ONLY = {_sqlite.READONLY, _sqlite.CANTOPEN, _sqlite.PERM, _sqlite.AUTH}
_DAMAGED = {_sqlite.CORRUPT, _sqlite.NOTADB}
_FULL_EXTENDED = {_sqlite.IOERR_WRITE, _sqlite.IOERR_SHMSIZE}
"""How a quota, a limit on file size or a full disk shows when it is not the database file that grows."""

_FULL_ERRNO = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
"""EDQUOT is missing on Windows."""

_RESTORE = "restore it from a backup"


class Faults:
    """A block in which errors of the driver and of the file system become a `StoreError`.

    Args:
        path: the database file, for the message.
    """

    __slots__ = ("_path", "_started")

    def __init__(self, path: str) -> None:
        self._path = path
        self._started = 0.0

    def __enter__(self) -> None:
        self._started = time.monotonic()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, _sqlite.Error):
            raise database_fault(error, self._path, time.monotonic() - self._started) from error
        if isinstance(error, UnicodeDecodeError):
            # SQLite quotes damaged text in a message of its own, which the Python module cannot decode.
            raise DamagedFileError(f"{self._path} is corrupted: {_RESTORE}") from error
        if isinstance(error, OverflowError):
            raise StoreError(f"{self._path}: a number does not fit into the 64 bits of the database") from error
        if isinstance(error, OSError):
            raise file_fault(error, self._path) from error


def database_fault(error: _sqlite.Error, path: str, waited_seconds: float) -> StoreError:
    """The error of ours that an error of SQLite means; `waited_seconds` is how long the call took."""
    code = _sqlite.result_code(error)
    primary = code & _sqlite.PRIMARY
    if _sqlite.is_busy(error):
        return MemoryBusyError(waited_seconds)
    if primary == _sqlite.FULL or code in _FULL_EXTENDED:
        return StorageFullError(f"no space left to write {path}: {error}. Free some and try again.")
    if primary in _READ_ONLY:
        return _refused(error, path)
    if primary in _DAMAGED or code == _sqlite.IOERR_CORRUPTFS:
        return DamagedFileError(f"{path} is not a database or is corrupted ({error}): check the path, or {_RESTORE}")
    if primary == _sqlite.CONSTRAINT:
        return StoreError(f"the changes contradict what is stored in {path}: {error}")
    return StoreError(f"{path}: {error}")


def _refused(error: _sqlite.Error, path: str) -> ReadOnlyStoreError:
    """SQLite says no more than that it cannot open a folder."""
    if Path(path).is_dir():
        return ReadOnlyStoreError(f"{path} is a folder; give the path of a file in it")
    return ReadOnlyStoreError(f"{path} cannot be opened or written here ({error}). Check the rights on it.")


def file_fault(error: OSError, path: str) -> StoreError:
    """The error of ours that an error of the file system means."""
    if error.errno in _FULL_ERRNO:
        return StorageFullError(f"no space left to write {path}: {error}. Free some and try again.")
    return ReadOnlyStoreError(f"{path} cannot be made or opened: {error}. Check the path and the rights on it.")
