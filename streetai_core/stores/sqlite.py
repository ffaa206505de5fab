"""The store in one SQLite file: what the product trusts its memories to."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from streetai_core.errors import InputError, MemoryBusyError, StoreError
from streetai_core.handles import Handle
from streetai_core.stores import _sqlite, paths
from streetai_core.stores.base import ReadTransaction, Store, WriteTransaction
from streetai_core.stores.blocks import OneBlock
from streetai_core.stores.checkpoints import Checkpoints
from streetai_core.stores.connections import Connections
from streetai_core.stores.drafts import remove_left
from streetai_core.stores.faults import Faults
from streetai_core.stores.index_checks import FoundRight
from streetai_core.stores.opening import DURABILITIES, DatabaseFile
from streetai_core.stores.patience import set_patience
from streetai_core.stores.rows import Origin, head_from
from streetai_core.stores.searching import search
from streetai_core.stores.selects import HEADS
from streetai_core.stores.sqlite_reading import SqliteReading
from streetai_core.stores.sqlite_writing import SqliteWriting
from streetai_core.stores.traces import Traces
from streetai_core.stores.transactions import transaction
from streetai_core.stores.types import Erased
from streetai_core.stores.uses import using
from streetai_core.stores.writers import Writers
from streetai_core.text.clean import check_id

_LONGEST_WAIT = 86_400.0
"""Seconds; SQLite counts milliseconds in 32 bits."""


_AT_ONCE = 0.05
"""Seconds of a wait for other threads that need not be taken off the wait for the file's lock."""

_PATIENCE = 1.0
"""Seconds that an erasure waits for readers: many times what a recall takes."""


class SqliteStore(Handle, Store):
    """All memories in one SQLite file with a write-ahead log.

    Making it does no I/O; the file and its folder are made by the first write. Safe to use from threads, from several
    processes at once, and after a fork, which waits a while for the blocks of other threads. One thread is in one block
    at a time.

    Args:
        path: the database file, on a local disk.
        busy_timeout: seconds to wait for another writer, 0 to a day.
        durability: "full": an acknowledged write survives power loss; "fast": a crash of the process only, and
            the file is never torn.
        opener: makes the connections, for programs that put something between the store and the driver, as
            `streetai_core.testing.torture` does; `None`: the driver itself.

    Raises:
        InputError: an argument cannot be used.
        ConfigError: the path is a URL.
    """

    INSTEAD = "Give the other process the path of the database, and make a SqliteStore there."

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        busy_timeout: float = 30.0,
        durability: str = "full",
        opener: _sqlite.Connect | None = None,
    ) -> None:
        if durability not in DURABILITIES:
            raise InputError(f"durability must be one of {', '.join(DURABILITIES)}, got {durability!r}")
        if not _is_wait(busy_timeout):
            raise InputError(f"busy_timeout must be 0 to {_LONGEST_WAIT:.0f} seconds, got {busy_timeout!r}")
        if opener is not None and not callable(opener):
            raise InputError(f"opener must be None or a function that connects, got {type(opener).__name__}")
        self._file = DatabaseFile(paths.database(path), float(busy_timeout), durability, opener or _sqlite.connect)
        self._connections = Connections(self._file)
        self._checkpoints = Checkpoints(self._file)
        self._block = OneBlock()
        self._writers = Writers()
        self._found_right = FoundRight()

    def __repr__(self) -> str:
        return f"SqliteStore({self._file.path!r})"

    @property
    def path(self) -> str:
        """The database file, as an absolute path; behind a link, the file that it leads to."""
        return self._file.path

    @contextmanager
    def reading(self, memory_id: str) -> Iterator[ReadTransaction]:
        """A consistent view of one memory. Makes no file.

        Raises:
            InputError: the id is not 1 to 512 bytes of text, or has NUL or lone surrogates.
            StoreError: the file cannot be read; or this thread is inside a block already.
            ClosedError: the store is closed.
        """
        check_id(memory_id, "memory_id")
        with self._block(), self._connections.for_reading() as database:
            with nullcontext() if database is None else transaction(database.conn, self.path, "BEGIN"):
                view = SqliteReading(database, memory_id, self.path, self._found_right)
                try:
                    yield view
                finally:
                    view.end()
            view.check_image()

    @contextmanager
    def writing(self, memory_id: str) -> Iterator[WriteTransaction]:
        """The write lock of the file, with one memory to write.

        Raises:
            InputError: the id is not 1 to 512 bytes of text, or has NUL or lone surrogates.
            MemoryBusyError: the lock was not free in time.
            StoreError: the file cannot be written; or this thread is inside a block already. If the end of
                the block raises one, whether it was stored is unknown; the memory's version tells.
            ClosedError: the store is closed.
        """
        check_id(memory_id, "memory_id")
        started = time.monotonic()
        with self._block(), self._next_writer(), self._connections.for_writing() as database:
            with self._waiting(database.conn, started), transaction(database.conn, self.path, "BEGIN IMMEDIATE"):
                writing = SqliteWriting(database, memory_id, self.path, self._found_right)
                with Faults(self.path):
                    self._checkpoints.before_write(database.conn)
                try:
                    yield writing
                finally:
                    writing.end()
                with Faults(self.path):
                    self._checkpoints.before_commit(database.conn, erase=writing.erased)
            if writing.erased:
                # Again: a reader may have kept one until the commit.
                writing.drop_image()
            self._checkpoints.after_commit(database.conn, erase=writing.erased)

    @contextmanager
    def _waiting(self, connection: _sqlite.Connection, started: float) -> Iterator[None]:
        """A block that waits for the file's lock as long as `busy_timeout` has left, since `started`.

        Raises:
            MemoryBusyError: with all the seconds that were waited, for others of this process and for the lock.
        """
        process, most = os.getpid(), self._file.busy_timeout
        left = max(0.0, most - (time.monotonic() - started))
        is_late = left < most - _AT_ONCE
        if is_late:
            set_patience(connection, left)
        try:
            yield
        except MemoryBusyError as error:
            raise MemoryBusyError(time.monotonic() - started) from error
        finally:
            # In a forked child the connection is the parent's.
            if is_late and os.getpid() == process:
                set_patience(connection, most)

    def unforked(self) -> AbstractContextManager[None]:
        """The file in use, which a fork waits for.

        Raises:
            StoreError: this process was forked while the file was in use.
        """
        return using(self.path)

    def _next_writer(self) -> AbstractContextManager[None]:
        """A block that no other thread of this process writes in."""
        return self._writers.next_one(self._file.busy_timeout)

    def memory_ids(self) -> list[str]:
        """The ids of all memories that were written and not forgotten since, sorted.

        Raises:
            StoreError: the file cannot be read, or the row of a memory is damaged.
            ClosedError: the store is closed.
        """
        with self._block(), self._connections.for_reading() as database:
            if database is None:
                return []
            with Faults(self.path):
                rows = database.conn.execute(HEADS).fetchall()
        # The id is part of the checksum: an id that damage has changed is not taken for another one.
        return sorted(head_from(row[1:], Origin(self.path, row[1]))[0].memory_id for row in rows)

    def settle(self) -> tuple[str, ...]:
        """Copy the log, so that nothing deleted is left in it.

        Returns:
            Why that is not possible now; the next write of any process, and closing, try again.

        Raises:
            StoreError: the file cannot be read.
            ClosedError: the store is closed.
        """
        if self._file.exists() and not self._file.writable():
            return (f"{self.path} cannot be written here",)
        with self._block(), self._connections.for_reading() as database, Faults(self.path):
            if database is None or self._checkpoints.settle(database.conn, patience=_PATIENCE):
                return ()
        return (f"somebody reads an older state of {self.path}, or writes it: deleted rows are still in its log",)

    def erase(self, traces: Traces) -> Erased:
        """Copy the log, search the files for deleted values, and rewrite the file if something of them is left in it.

        Copies that a killed process left beside the file are removed. The files are read by another process: this one
        would lose SQLite's locks on them.

        Raises:
            StoreError: the file cannot be read.
            ClosedError: the store is closed.
        """
        kept = remove_left(Path(self.path).parent)
        erased = self._erased(traces)
        return replace(erased, pending=(*erased.pending, *(f"{folder} could not be removed" for folder in kept)))

    def _erased(self, traces: Traces) -> Erased:
        """Erase from the database and its log; copies that lie beside the file are not looked at."""
        erased = self._searched(traces, self.settle())
        if not erased.residual or erased.pending:
            return erased
        try:
            with self._block(), self._next_writer(), self._connections.for_writing() as database, Faults(self.path):
                # Beside the file: the new one may be larger than the RAM.
                database.conn.execute("PRAGMA temp_store = FILE")
                try:
                    database.conn.execute("VACUUM")
                finally:
                    database.conn.execute("PRAGMA temp_store = MEMORY")
        except StoreError as error:
            return replace(erased, pending=(f"the file could not be rewritten: {error}",))
        return self._searched(traces, self.settle())

    def _searched(self, traces: Traces, pending: tuple[str, ...]) -> Erased:
        """What is left in the files; `pending` is what is known not to be done."""
        if not self._file.exists():
            return Erased()
        with using(self.path):
            return search(self._file, traces, pending)

    def close(self) -> None:
        """Let go of the file. Blocks that other threads are in may end. Closing twice is fine."""
        last = self._connections.close()
        if last is not None:
            with using(self.path), closing(last):
                self._checkpoints.before_close(last.conn)


def _is_wait(seconds: float) -> bool:
    return isinstance(seconds, int | float) and math.isfinite(seconds) and 0 <= seconds <= _LONGEST_WAIT
