"""Opening the database file: how it may be opened, the settings of a connection, the state of the tables."""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from sqlite_utils import Database

from streetai_core.errors import DamagedFileError, ReadOnlyStoreError
from streetai_core.rendering import command
from streetai_core.stores import _sqlite
from streetai_core.stores.faults import Faults
from streetai_core.stores.schema import SCHEMA_VERSION, migrate, schema_version
from streetai_core.stores.transactions import transaction

logger = logging.getLogger(__name__)

Mode = Literal["rwc", "rw", "ro"]
"""SQLite's own words: make the file if need be, read and write it, only read it."""

_SWITCH_PAUSE = 0.01
"""Seconds between attempts to switch to write-ahead logging, which does not wait for locks by itself."""

PAGE_SIZE = 8192
"""Bytes. Five vectors of 384 numbers fit into such a page, two into one of SQLite's usual 4,096."""

_SETTINGS = (
    # `PAGE_SIZE`, for a new file.
    "PRAGMA page_size = 8192",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
    # Memory-mapped reads see what a faulty writer leaves; the one corruption met in the field had them on.
    "PRAGMA mmap_size = 0",
    # What a savepoint keeps for going back are copies of pages. In a temporary file they would cost a tenth of a write,
    # and nobody who looks for what was deleted would look there.
    "PRAGMA temp_store = MEMORY",
    # `checkpoints` decides when, under the write lock.
    "PRAGMA wal_autocheckpoint = 0",
    # A restarted log is cut to what is in use, so that its size tells how full it is and no deleted text stays in it.
    "PRAGMA journal_size_limit = 0",
)
"""What every connection is set to. None of it is kept in the file."""

_SYNCHRONOUS = {
    # On macOS, fsync reaches the disk's cache only.
    "full": ("PRAGMA synchronous = FULL", "PRAGMA fullfsync = ON"),
    "fast": ("PRAGMA synchronous = NORMAL",),
}

DURABILITIES = tuple(_SYNCHRONOUS)


@dataclass(frozen=True, slots=True)
class DatabaseFile:
    """Where the database is, and how its connections behave."""

    path: str
    """Absolute."""
    busy_timeout: float
    """Seconds to wait for a lock."""
    durability: str
    """One of `DURABILITIES`."""
    opener: _sqlite.Connect = _sqlite.connect
    """Makes the connections."""

    def exists(self) -> bool:
        """Whether there is a file.

        Raises:
            ReadOnlyStoreError: that cannot be found out, so it must not be taken for a no.
        """
        with Faults(self.path):
            try:
                os.stat(self.path)  # noqa: PTH116 - a str is what SQLite and the messages take
            except (FileNotFoundError, NotADirectoryError):
                return False
            return True

    def identity(self) -> tuple[int, int, bool] | None:
        """What tells the file that has the path now from others that have had it, and whether there is anything in it.

        `None` if there is none.

        Raises:
            ReadOnlyStoreError: that cannot be found out.
        """
        with Faults(self.path):
            try:
                there = os.stat(self.path)  # noqa: PTH116 - as above
            except (FileNotFoundError, NotADirectoryError):
                return None
            return there.st_dev, there.st_ino, there.st_size > 0

    def writable(self) -> bool:
        """Whether file and folder may be written; SQLite needs both."""
        return os.access(self.path, os.W_OK) and os.access(Path(self.path).parent, os.W_OK)

    def log_identity(self) -> tuple[int, int] | None:
        """What tells the write-ahead log that the file has now from others that it has had; `None` if it has none."""
        try:
            there = os.stat(self.path + "-wal")  # noqa: PTH116 - as above
        except OSError:
            return None
        return there.st_dev, there.st_ino

    def log_size(self) -> int:
        """Bytes of the write-ahead log, 0 if there is none.

        Asked of the file system: opening the file beside SQLite would drop SQLite's locks on it.
        """
        try:
            return os.stat(self.path + "-wal").st_size  # noqa: PTH116 - as above
        except OSError:
            return 0

    def connect(self, mode: Mode, *, timeout: float | None = None, immutable: bool = False) -> _sqlite.Connection:
        """A connection with our settings; the file itself is not read or changed.

        Raises:
            DamagedFileError: SQLite would delete the log.
            Error: the file cannot be opened.
        """
        self._check_log()
        uri = f"{Path(self.path).as_uri()}?mode={mode}{'&immutable=1' if immutable else ''}"
        connection = self.opener(uri, timeout=self.busy_timeout if timeout is None else timeout)
        try:
            for pragma in (*_SETTINGS, *_SYNCHRONOUS[self.durability]):
                connection.execute(pragma).fetchall()
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_log(self) -> None:
        """Refuse a log whose file is empty or gone: SQLite would delete it, and it may be all that is left.

        Raises:
            DamagedFileError: saying how to save what is in it.
        """
        # The log first: a new file is never empty when its log begins.
        size = self.log_size()
        if not size:
            return
        there = self.identity()
        if there is None or not there[2]:
            raise DamagedFileError(
                f"{self.path} is {'not there' if there is None else 'empty'}, and its log {self.path}-wal has {size} "
                "bytes, which SQLite would delete: the file was deleted or emptied while its log was in use. Both were "
                "left as they are. Save what is in the log with: "
                f"{command('streetai', 'salvage', self.path, '-o', 'NEW.db')}"
            )

    def open_for_writing(self) -> Database:
        """A connection to the file with up-to-date tables; makes the file and its folder if need be.

        Raises:
            ReadOnlyStoreError: file or folder cannot be written.
            StoreError: the file is damaged, newer, or not ours; then it is left as it is.
        """
        with Faults(self.path):
            if not self.exists():
                Path(self.path).parent.mkdir(parents=True, exist_ok=True)
            elif not self.writable():
                raise ReadOnlyStoreError(f"{self.path} or its folder cannot be written; check the rights on them")
            database, version = self._open("rwc")
        return self._ready(database, version)

    def open_for_reading(self) -> Database | None:
        """A connection to the file with up-to-date tables; `None` if nothing was ever written.

        Raises:
            StoreError: as for writing. The file must be writable; see `open_read_only`.
        """
        with Faults(self.path):
            database, version = self._open("rw")
        return None if _empty(database, version) else self._ready(database, version)

    def open_read_only(self) -> Database | None:
        """A connection to a file that cannot be written, for one block; `None` if nothing was ever written.

        Without a log nobody is writing, and the file can be read as if it could never change, which is the only
        way to read it without making files beside it.
        """
        with Faults(self.path):
            database, version = self._inspected(self.connect("ro", immutable=self.log_size() == 0))
        return None if _empty(database, version) else database

    def _open(self, mode: Mode) -> tuple[Database, int]:
        """A connection, and the schema version of the file."""
        if self.log_size():
            # Closing the last writable connection would move the log into the file, ours or not.
            self._inspected(self.connect("ro"))[0].close()
        return self._inspected(self.connect(mode))

    def _inspected(self, connection: _sqlite.Connection) -> tuple[Database, int]:
        """The connection, and the schema version of the file; raises if it is not a file for us."""
        try:
            with transaction(connection, self.path, "BEGIN"), Faults(self.path):
                version = schema_version(connection, self.path)
        except BaseException:
            connection.close()
            raise
        # Plugins of sqlite-utils are other people's code, and have no business in this database.
        return Database(connection, recursive_triggers=False, execute_plugins=False), version

    def _ready(self, database: Database, version: int) -> Database:
        """Switch the file to write-ahead logging, bring its tables up to date, and return the connection."""
        try:
            with Faults(self.path):
                self._switch_to_log(database.conn)
                if version < SCHEMA_VERSION:
                    migrate(database, self.path)
        except BaseException:
            database.close()
            raise
        _tell_of_bug()
        return database

    def _switch_to_log(self, connection: _sqlite.Connection) -> None:
        """Set write-ahead logging; it stays set in the file, and setting it again does nothing."""
        deadline = time.monotonic() + self.busy_timeout
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL").fetchall()
            except _sqlite.FAILURES as error:  # noqa: PERF203 - a loop of attempts
                if not _sqlite.is_busy(error) or time.monotonic() >= deadline:
                    raise
                time.sleep(_SWITCH_PAUSE)
            else:
                return


def _empty(database: Database, version: int) -> bool:
    """Whether the file has no tables yet; then the connection is of no use and is closed."""
    if version == 0:
        database.close()
    return version == 0


@cache
def _tell_of_bug() -> None:
    """Say once a process that other programs had better not write the file at the same time."""
    if _sqlite.affected_by_wal_reset_bug():
        logger.info(
            "SQLite %s has the WAL-reset bug. This library avoids it; other programs that write the same file may not. "
            "A fixed version: pip install pysqlite3",
            _sqlite.VERSION_TEXT,
        )
