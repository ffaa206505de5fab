"""The store's connections over APSW, whose files can be made of Python: for disks that lose power or fail.

A file made of Python has no memory that processes share, so SQLite keeps a write-ahead log on it only for a single
connection that has the file for itself. The store uses a second one, to hold the write lock while the log is copied.
Here both are views of one connection, and a view's BEGIN is carried out when its first statement comes: so the lock
of the second costs nothing, and what reaches the disk is the same, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast
from urllib.parse import unquote, urlsplit

import apsw

from streetai_core.stores import _sqlite
from streetai_core.testing.torture.trap import coded

_CODES: dict[type[apsw.Error], int] = {apsw.FullError: _sqlite.FULL, apsw.IOError: _sqlite.IOERR_WRITE}
"""What an error means that a file made of Python has raised, and that SQLite has not given a code."""


class ExclusiveFile:
    """Opens connections to one file through an APSW file system; to be given to a `SqliteStore` as its `opener`.

    Args:
        file_system: name of the registered file system.
        synchronous: said to SQLite in the place of what the store asks for; `None`: the store decides.
    """

    def __init__(self, file_system: str, synchronous: str | None = None) -> None:
        self._file_system = file_system
        self.synchronous = synchronous
        self._real: apsw.Connection | None = None
        self._views: set[View] = set()

    def __call__(self, uri: str, *, timeout: float) -> _sqlite.Connection:  # noqa: ARG002 - nobody else has the file
        """A view of the one connection."""
        if self._real is None:
            self._real = apsw.Connection(unquote(urlsplit(uri).path), vfs=self._file_system)
            self._real.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
        view = View(self, self._real)
        self._views.add(view)
        # It has the methods of a connection that the store uses, and no others.
        return cast("_sqlite.Connection", view)

    def left(self, view: View) -> None:
        """A view is closed; the file is too, when it was the last."""
        self._views.discard(view)
        if self._real is not None and not self._views:
            real, self._real = self._real, None
            real.close()


class View:
    """The methods of `sqlite3.Connection` that the store and sqlite-utils use."""

    isolation_level = None

    def __init__(self, file: ExclusiveFile, real: apsw.Connection) -> None:
        self._file = file
        self._real = real
        self._begin = ""
        """A BEGIN that was said and not yet carried out."""

    @property
    def in_transaction(self) -> bool:
        """Whether a BEGIN waits for its end."""
        return bool(self._begin) or self._real.in_transaction

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Cursor:
        """Carry out one statement."""
        words = sql.rstrip("; ")
        if words.startswith("BEGIN"):
            self._begin = words
            return Cursor([], 0, 0)
        if self._begin and words in {"COMMIT", "ROLLBACK"}:
            self._begin = ""
            return Cursor([], 0, 0)
        if words.startswith("PRAGMA synchronous") and self._file.synchronous is not None:
            words = f"PRAGMA synchronous = {self._file.synchronous}"
        return self._run(words, values)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> Cursor:
        """Carry out one statement for each row."""
        changed = sum(self._run(sql, values).rowcount for values in rows)
        return Cursor([], changed, 0)

    def close(self) -> None:
        """Let go of the file, if this is the last view."""
        try:
            self._file.left(self)
        except apsw.Error as error:
            raise translated(error) from error

    def _run(self, sql: str, values: Sequence[Any]) -> Cursor:
        try:
            if self._begin:
                begin, self._begin = self._begin, ""
                self._real.execute(begin)
            found = self._real.execute(sql, values)
            names = _names(found)
            rows = found.fetchall()
        except apsw.Error as error:
            raise translated(error) from error
        return Cursor(rows, self._real.changes(), self._real.last_insert_rowid(), names)


class Cursor:
    """What a statement gave."""

    def __init__(self, rows: list[Any], rowcount: int, lastrowid: int, names: Sequence[str] = ()) -> None:
        self._rows = rows
        self.description = [(name,) for name in names]
        self.rowcount = rowcount
        self.lastrowid = lastrowid

    def fetchall(self) -> list[Any]:
        """All rows that were not fetched yet."""
        rows, self._rows = self._rows, []
        return rows

    def fetchone(self) -> Any:
        """The next row, or `None`."""
        return self._rows.pop(0) if self._rows else None

    def fetchmany(self, size: int) -> list[Any]:
        """The next rows, at most so many."""
        rows, self._rows = self._rows[:size], self._rows[size:]
        return rows

    def close(self) -> None:
        """Let go of what was not fetched."""
        self._rows = []

    def __iter__(self) -> Any:
        return iter(self.fetchall())


def _names(found: apsw.Cursor) -> list[str]:
    """The names of the columns; none if there are no rows, which sqlite-utils does not mind."""
    try:
        return [column[0] for column in found.get_description()]
    except apsw.ExecutionCompleteError:
        return []


def translated(error: apsw.Error) -> _sqlite.OperationalError:
    """The error as the driver would raise it."""
    code = getattr(error, "extendedresult", None) or _CODES.get(type(error), 1)
    return coded(str(error), code)
