"""Moving the write-ahead log into the database file, so that the log stays small and keeps nothing that was deleted.

Versions of SQLite before 3.51.3 can corrupt a file if a commit restarts the log while another connection copies it
("WAL-reset bug"). `wal_checkpoint(TRUNCATE)` is no protection: if a writer is active it goes on without the write
lock. So the copying is done here while a second connection holds the write lock: no commit can happen meanwhile, and
none of our checkpoints runs beside another. What is copied is a matter of the moment (`PASSIVE`): a reader with an old
view makes it incomplete, it never makes anybody wait.
"""

from __future__ import annotations

import logging
import time
from contextlib import closing

from streetai_core.errors import StoreError
from streetai_core.forking import fork_safe_plain_lock
from streetai_core.stores import _sqlite
from streetai_core.stores.opening import DatabaseFile
from streetai_core.stores.schema import CLAIM, ERASES, is_erasing

logger = logging.getLogger(__name__)

_LOG_BYTES = 4 * 1024 * 1024
"""Size of the log from which it is copied: some hundred commits, well below what slows reading down."""

_PAUSE = 0.01
"""Seconds between two attempts to copy a log that somebody reads."""

_COMMITS = "PRAGMA data_version"
"""A number that changes when another connection commits."""

_GROWTH = 1.5
"""After an incomplete attempt, how far the log has to grow before the next one."""


class Checkpoints:
    """Decides after each commit whether the log is copied, and copies it. Used by all threads of a process."""

    def __init__(self, file: DatabaseFile) -> None:
        self._file = file
        # Plain, so that it can be asked whether another thread copies the log.
        self._lock = fork_safe_plain_lock()
        self._seen = 0
        """Size of the log after the last attempt that left something in it."""
        self._erasing = False
        """Whether something deleted may still be in the log."""

    def before_write(self, connection: _sqlite.Connection) -> None:
        """Look whether any process has deleted something since the log was copied, be it long gone.

        Args:
            connection: in the transaction that writes.

        Raises:
            Error: the header cannot be read.
        """
        self._erasing = self._erasing or is_erasing(connection)

    def before_commit(self, connection: _sqlite.Connection, *, erase: bool) -> None:
        """Tell all processes, with the commit, that something was deleted.

        Args:
            connection: in the transaction that writes.
            erase: whether something was.

        Raises:
            Error: the header cannot be written.
        """
        if erase:
            connection.execute(ERASES)

    def settle(self, connection: _sqlite.Connection, *, patience: float) -> bool:
        """Copy the log now; whether it has been, so that nothing deleted is left in it.

        Args:
            connection: outside of a transaction.
            patience: seconds to wait for readers of an older state, and for writers.

        Raises:
            Error: the log cannot be read or copied.
        """
        deadline = time.monotonic() + patience
        while True:
            with self._lock:
                # Before the copying, as below.
                self._erasing, done = False, False
                try:
                    done = self._copied(connection)
                finally:
                    self._erasing = self._erasing or not done
                if done:
                    self._seen = 0
                    return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(_PAUSE)

    def after_commit(self, connection: _sqlite.Connection, *, erase: bool) -> None:
        """Copy the log if it has grown too large, or at once if something was deleted (`erase`)."""
        self._erasing = self._erasing or erase
        size = self._file.log_size()
        if size < self._seen:
            self._seen = 0
        if self._erasing or size > max(_LOG_BYTES, self._seen * _GROWTH):
            self._run(connection)

    def before_close(self, connection: _sqlite.Connection) -> None:
        """Try once more if something deleted is in the log; the rest SQLite copies when the last user closes."""
        if self._erasing:
            self._run(connection)

    def _run(self, connection: _sqlite.Connection) -> None:
        """Copy the log now, if nobody writes. Failures are only logged: the commit before stands whatever happens."""
        if self._lock.locked():
            return
        # Another thread may have been quicker, and then this one waits for a copy. Trying to take the lock would wait
        # for nothing, but an interrupt could come between the try and the block that lets go of it, and keep it.
        with self._lock:
            self._attempt(connection)

    def _attempt(self, connection: _sqlite.Connection) -> None:
        """Copy the log, with the lock held, and note what became of it."""
        # Before the copying: what another thread deletes meanwhile may come too late for it.
        erasing, self._erasing = self._erasing, False
        done = False
        try:
            done = self._copied(connection)
        except (*_sqlite.FAILURES, StoreError) as error:
            logger.warning("the log of %s could not be copied: %s; the next write tries again", self._file.path, error)
        finally:
            self._seen = 0 if done else self._file.log_size()
            self._erasing = self._erasing or (erasing and not done)

    def _copied(self, connection: _sqlite.Connection) -> bool:
        """Copy the log; whether there is nothing old in it any more.

        A log that is restarted is cut to the one page that restarts it; one that is not has become a page longer.
        """
        size = self._file.log_size()
        return size == 0 or (self._copy(connection) and self._file.log_size() <= size)

    def _copy(self, connection: _sqlite.Connection) -> bool:
        """Copy what can be copied and restart the log; whether both were done."""
        with closing(self._file.connect("rw", timeout=0)) as guard:
            before = guard.execute(_COMMITS).fetchone()
            if not _lock_at_once(guard):
                return False
            ((_, frames, copied),) = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            guard.execute("ROLLBACK")
            # What another process deletes between the two locks is in the log that its commit has begun.
            if copied < frames or not _lock_at_once(guard) or guard.execute(_COMMITS).fetchone() != before:
                return False
            # Any commit restarts a log that is wholly copied; this one tells that nothing deleted is in it.
            guard.execute(CLAIM)
            guard.execute("COMMIT")
            return True


def _lock_at_once(connection: _sqlite.Connection) -> bool:
    """Take the write lock if it is free."""
    try:
        connection.execute("BEGIN IMMEDIATE")
    except _sqlite.FAILURES as error:
        if not _sqlite.is_busy(error):
            raise
        return False
    return True
