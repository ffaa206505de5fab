"""The SQLite driver: pysqlite3 with its newer SQLite if it is installed, else the standard library's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from streetai_core.errors import StoreError

if TYPE_CHECKING:
    from sqlite3 import dbapi2 as driver
else:
    try:
        from pysqlite3 import dbapi2 as driver
    except ImportError:
        from sqlite3 import dbapi2 as driver

Connection = driver.Connection
Cursor = driver.Cursor
Error = driver.Error
OperationalError = driver.OperationalError
complete_statement = driver.complete_statement

FAILURES = (Error, UnicodeDecodeError)
"""What any call of the driver may raise: SQLite quotes damaged text in its messages, which the module cannot decode."""

VERSION: tuple[int, ...] = driver.sqlite_version_info
"""Version of the SQLite library, not of the Python module."""

VERSION_TEXT: str = driver.sqlite_version
"""The same for messages."""

MINIMUM_VERSION = (3, 37, 0)
"""The first version with STRICT tables."""

_FIXED = (3, 51, 3)
_BACKPORTS = (((3, 50, 7), (3, 51, 0)), ((3, 44, 6), (3, 45, 0)))
"""Versions before `_FIXED` that have the fix of the WAL-reset bug too: from the first up to the second."""

PRIMARY = 0xFF
"""The low byte of an extended result code is the primary one."""

BUSY, LOCKED, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, CONSTRAINT, NOTADB = 5, 6, 8, 10, 11, 13, 14, 19, 26
"""Primary result codes of the C library; the Python module names them from 3.11 on only."""

PERM, AUTH = 3, 23
IOERR_WRITE, IOERR_SHMSIZE, IOERR_CORRUPTFS = 778, 4874, 8458
"""Extended result codes."""

_MESSAGES = {
    "database is locked": BUSY,
    "database table is locked": LOCKED,
    "attempt to write a readonly database": READONLY,
    "disk I/O error": IOERR,
    "database disk image is malformed": CORRUPT,
    "malformed database schema": CORRUPT,
    "Could not decode to UTF-8": CORRUPT,
    "database or disk is full": FULL,
    "unable to open database file": CANTOPEN,
    "constraint failed": CONSTRAINT,
    "file is not a database": NOTADB,
}
"""How messages tell the code where the error does not carry it (Python 3.10, and errors of the module itself)."""


class Connect(Protocol):
    """Opens a connection in autocommit mode: this driver's, or one with the methods that the store uses."""

    def __call__(self, uri: str, *, timeout: float) -> Connection:
        """A connection to the file that a `file:` URI names; `timeout` is how many seconds it waits for a lock."""


def connect(uri: str, *, timeout: float, factory: type[Connection] = Connection) -> Connection:
    """A connection in autocommit mode, which threads may hand to each other; `factory` makes it.

    Raises:
        StoreError: the SQLite library is too old.
        Error: whatever SQLite has to say.
    """
    if VERSION < MINIMUM_VERSION:
        raise StoreError(
            f"SQLite {VERSION_TEXT} is too old, {'.'.join(map(str, MINIMUM_VERSION))} is needed. "
            "Install a newer one with: pip install pysqlite3"
        )
    return driver.connect(
        uri, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False, factory=factory
    )


def result_code(error: Exception) -> int:
    """The extended result code of an error, or the primary one if that is all that can be known; 1 if unknown."""
    code = getattr(error, "sqlite_errorcode", None)
    if isinstance(code, int):
        return code
    text = str(error)
    return next((code for part, code in _MESSAGES.items() if part in text), 1)


def is_busy(error: Exception) -> bool:
    """Whether a lock was not free."""
    return result_code(error) & PRIMARY in (BUSY, LOCKED)


def affected_by_wal_reset_bug(version: tuple[int, ...] = VERSION) -> bool:
    """Whether this SQLite can corrupt a file if a checkpoint meets a commit (see `checkpoints`)."""
    return version < _FIXED and not any(first <= version < end for first, end in _BACKPORTS)
