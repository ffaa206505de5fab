"""The connections of a store: one for each block that is open, kept for the next block when it ends.

A connection is used by one thread at a time. Keeping the idle ones in a list instead of one per thread, there are
never more than blocks were open at once, however many threads come and go.

SQLite forbids to carry a connection into a forked child, so that idle ones are closed before a fork; of those that are
lent see `uses`.

A connection keeps its file, whatever becomes of the name: SQLite would go on writing into one that was deleted, where
nobody finds it. So none is lent while the path leads to another file than theirs.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakSet, finalize

from sqlite_utils import Database

from streetai_core.errors import ClosedError, DamagedFileError, StoreError
from streetai_core.rendering import command
from streetai_core.stores import _sqlite
from streetai_core.stores.opening import DatabaseFile
from streetai_core.stores.uses import USES, using

_MOST_IDLE = 8
"""Idle connections that are kept; each may hold some MB of cached pages."""

_inherited: list[Database] = []
"""What was in use when this process was forked. Kept for ever: to close it would disturb the parent."""

_all: WeakSet[Connections] = WeakSet()
"""All that exist, for the moment of a fork."""

_held: list[Connections] = []
"""Those that are held still during a fork."""


class Connections:
    """Lends connections to one database file."""

    def __init__(self, file: DatabaseFile) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._idle: list[Database] = []
        # A store that nobody closed leaves its file as tidy as one that was: also at the end of the program.
        finalize(self, _close_all, self._idle)
        self._lent: set[Database] = set()
        self._opened: tuple[int, int, bool] | None = None
        """The file that the connections have open (`DatabaseFile.identity`), if there are any."""
        self._opened_log: tuple[int, int] | None = None
        """Its log, if it had one then: SQLite keeps that until the last connection of all processes is closed."""
        self._closed = False
        _all.add(self)

    @contextmanager
    def for_writing(self) -> Iterator[Database]:
        """A connection to write with; makes the file if need be."""
        process = os.getpid()
        with using(self._file.path):
            database = self._take()
            try:
                if database is None:
                    database = self._file.open_for_writing()
                    self._note_place()
                self._lent.add(database)
                yield database
            finally:
                # A child that was forked inside the block leaves it without touching what is the parent's.
                if os.getpid() == process:
                    self._give_back(database, reusable=True)

    @contextmanager
    def for_reading(self) -> Iterator[Database | None]:
        """A connection to read with; `None` if nothing was ever written."""
        process, reusable = os.getpid(), True
        with using(self._file.path):
            database = self._take()
            try:
                if database is None and self._file.exists():
                    reusable = self._file.writable()
                    database = self._file.open_for_reading() if reusable else self._file.open_read_only()
                    self._note_place()
                if database is not None:
                    self._lent.add(database)
                yield database
            finally:
                if os.getpid() == process:  # as above
                    self._give_back(database, reusable=reusable)

    def close(self) -> Database | None:
        """Lend nothing any more. Returns one idle connection, for a last use; the others are closed.

        Connections in use are closed when their blocks end.
        """
        with self._lock:
            self._closed = True
            last = self._idle.pop() if self._idle else None
            _close_all(self._idle)
        return last

    def before_fork(self) -> None:
        """Close what is idle, and lend nothing until the fork is done."""
        self._lock.acquire()
        _close_all(self._idle)

    def after_fork_in_parent(self) -> None:
        """Go on."""
        self._lock.release()

    def after_fork_in_child(self) -> None:
        """Begin anew: what is lent is lent in the parent."""
        _inherited.extend(self._lent)
        self._lock = threading.Lock()
        self._lent = set()

    def _take(self) -> Database | None:
        """An idle connection, if there is one. To be followed by `_give_back` in any case."""
        with self._lock:
            if self._closed:
                raise ClosedError("the store is closed; make a new one on the same path")
            if self._idle or self._lent:
                self._check_place()
            return self._idle.pop() if self._idle else None

    def _note_place(self) -> None:
        """Remember what a connection that was just made has open."""
        self._opened, self._opened_log = self._file.identity(), self._file.log_identity()

    def _check_place(self) -> None:
        """Refuse to go on with a file that is not at its path any more, or whose log is not.

        Raises:
            StoreError: it was moved, deleted, replaced or emptied. It may be put back, so the connections stay.
        """
        there = self._file.identity()
        if there == self._opened:
            self._check_log()
            return
        path, back = self._file.path, "with the files that lay beside it (-wal, -shm)"
        if there is None:
            raise StoreError(
                f"{path} is no longer there: it was deleted or moved while it was open here, so what is written now "
                f"would be lost. Move it back {back}; or, to begin a new file, close the memory and open it anew."
            )
        if self._opened is not None and there[:2] == self._opened[:2]:
            raise DamagedFileError(
                f"{path} was emptied while it was open here. Restore it from a backup, or save what its log still has "
                f"with: {command('streetai', 'salvage', path, '-o', 'NEW.db')}"
            )
        raise StoreError(
            f"another file was put in the place of {path} while that was open here, so what is written now would be "
            f"lost. Move the old one back {back}; or, to go on with the new one, close the memory and open it anew."
        )

    def _check_log(self) -> None:
        """Refuse to go on with a log that is not beside the file any more: a crash would take all that is in it.

        Raises:
            StoreError: it was moved, deleted or replaced. The connections stay, and so does what they have of it.
        """
        if self._opened_log is None or self._file.log_identity() == self._opened_log:
            return
        log = f"{self._file.path}-wal"
        raise StoreError(
            f"{log}, the log of a database that is open here, was deleted, moved or replaced, and what is written now "
            "could be lost. Close the memory, which puts what it has of the log into the database, and open it anew; "
            "never delete this file."
        )

    def _give_back(self, database: Database | None, *, reusable: bool) -> None:
        """Keep a connection for the next block, or close it."""
        with self._lock:
            if database is None:
                return
            self._lent.discard(database)
            room = not self._closed and len(self._idle) < _MOST_IDLE
            keep = reusable and room and not database.conn.in_transaction
            if keep:
                self._idle.append(database)
        if not keep:
            database.close()


def _close_all(idle: list[Database]) -> None:
    """Close connections and forget them."""
    while idle:
        # Whatever cannot be moved from the log into the file now is found there by whoever opens it next.
        with contextlib.suppress(*_sqlite.FAILURES):
            idle.pop().close()


def _before_fork() -> None:
    USES.before_fork()
    for connections in list(_all):
        connections.before_fork()
        _held.append(connections)


def _after_fork_in_parent() -> None:
    for connections in _held:
        connections.after_fork_in_parent()
    _held.clear()
    USES.after_fork_in_parent()


def _after_fork_in_child() -> None:
    for connections in _held:
        connections.after_fork_in_child()
    _held.clear()
    USES.after_fork_in_child()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
