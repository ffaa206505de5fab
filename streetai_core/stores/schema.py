"""The migrations that make the tables, and the check that a file is ours before it is touched."""

from __future__ import annotations

from collections.abc import Iterator

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from streetai_core.errors import DamagedFileError, NewerFileError
from streetai_core.stores import _sqlite
from streetai_core.stores.tables import TABLES
from streetai_core.stores.transactions import transaction
from streetai_core.stores.views import VIEWS

APPLICATION_ID = 0x53744149
"""Says in the file's header whose it is: "StAI"."""

SCHEMA_VERSION = 1
"""How many migrations there are; kept in the header's `user_version`."""

CLAIM = "PRAGMA application_id = 0x53744149"
"""Writes `APPLICATION_ID`; a pragma takes no parameters."""

_CLOSE = "PRAGMA user_version = 1"
"""Writes `SCHEMA_VERSION`, as the last step of migrating."""

MIGRATIONS = Migrations("streetai")


@MIGRATIONS()
def m001_first_tables(database: Database) -> None:
    """Everything; all keys and indexes of data tables start with the memory's key."""
    for script in (*TABLES, VIEWS):
        for statement in _statements(script):
            database.execute(statement)


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, each of which ends with a line.

    `Database.executescript` looks for their ends letter by letter: that was nine tenths of the time of a new file.
    """
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if _sqlite.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        # SQLite says what is wrong with it.
        yield statement


def schema_version(connection: _sqlite.Connection, path: str) -> int:
    """The version of the tables in a file, 0 if the file is empty. Reads only.

    Call it inside a transaction: the answer is put together from several reads.

    Raises:
        NewerFileError: a newer version of this library made the file.
        DamagedFileError: it is a database, but not one of ours.
        Error: it is not a database.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application == version == objects == 0:
        return 0
    if application != APPLICATION_ID or version < 1:
        raise DamagedFileError(
            f"{path} is a database of another program, or its header is damaged; it was left as it is. "
            "Choose another path, or restore it from a backup."
        )
    if version > SCHEMA_VERSION:
        raise NewerFileError(
            f"{path} has schema version {version}, this version of the library knows up to {SCHEMA_VERSION}; "
            "it was left as it is. Upgrade with: pip install -U streetai"
        )
    return int(version)


def migrate(database: Database, path: str) -> None:
    """Bring a file up to date, in one transaction; processes that do it at once take turns.

    Raises:
        StoreError: the file cannot be written, or is not ours after all.
    """
    with transaction(database.conn, path, "BEGIN IMMEDIATE"):
        if schema_version(database.conn, path) < SCHEMA_VERSION:
            MIGRATIONS.apply(database)
            database.conn.execute(CLAIM)
            database.conn.execute(_CLOSE)
