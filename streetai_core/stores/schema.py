"""The migrations that make the tables, and the check that a file is ours before it is touched."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Protocol

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from streetai_core.errors import DamagedFileError, NewerFileError, OtherLayoutError
from streetai_core.stores import _sqlite
from streetai_core.stores.tables import TABLES
from streetai_core.stores.transactions import transaction
from streetai_core.stores.views import VIEWS

APPLICATION_ID = 0x53744149
"""Says in the file's header whose it is: "StAI"."""

ERASING_ID = 0x53744165
"""Says in its place that something was deleted which may still be in the log ("StAe"): any process that writes next, of
which none but the one that deleted it knows, has the log copied."""

SCHEMA_VERSION = 1
"""How many migrations there are; kept in the header's `user_version`."""

CLAIM = "PRAGMA application_id = 0x53744149"
"""Writes `APPLICATION_ID`; a pragma takes no parameters."""

ERASES = "PRAGMA application_id = 0x53744165"
"""Writes `ERASING_ID`, in the transaction that deletes something."""

_CLOSE = "PRAGMA user_version = 1"
"""Writes `SCHEMA_VERSION`, as the last step of migrating."""

_TABLE = re.compile(r"CREATE TABLE (\w+) \((.*?)^\)", re.DOTALL | re.MULTILINE)
_COLUMN = re.compile(r'^ {4}"?(\w+)"? +(?:INTEGER|TEXT|REAL|BLOB)\b', re.MULTILINE)
"""A table in our scripts, and a column of it: each on a line of its own."""

_COLUMNS = """
SELECT tables.name, columns.name FROM sqlite_master AS tables JOIN pragma_table_info(tables.name) AS columns
WHERE tables.type = 'table' AND tables.rootpage > 0 ORDER BY columns.cid
"""
"""Virtual tables, which have no page of their own, are none of ours: to ask one for its columns needs its extension."""

MIGRATIONS = Migrations("streetai")


class Executes(Protocol):
    """A connection, or a database of sqlite-utils."""

    def execute(self, sql: str, /) -> object:
        """Execute one statement."""


@MIGRATIONS()
def m001_first_tables(database: Database) -> None:
    """Everything; all keys and indexes of data tables start with the memory's key."""
    execute_all(database)


def execute_all(target: Executes) -> None:
    """Make all tables, indexes, views and triggers of this version in an empty database."""
    for script in (*TABLES, VIEWS):
        for statement in _statements(script):
            target.execute(statement)


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
        OtherLayoutError: its tables are not those of its version.
        DamagedFileError: it is a database, but not one of ours.
        Error: it is not a database.
    """
    application = _application_id(connection)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application == version == objects == 0:
        return 0
    if application not in {APPLICATION_ID, ERASING_ID} or version < 1:
        raise DamagedFileError(
            f"{path} is a database of another program, or its header is damaged; it was left as it is. "
            "Choose another path, or restore it from a backup."
        )
    if version > SCHEMA_VERSION:
        raise NewerFileError(
            f"{path} has schema version {version}, this version of the library knows up to {SCHEMA_VERSION}; "
            "it was left as it is. Upgrade with: pip install -U streetai"
        )
    if version == SCHEMA_VERSION:
        _check_layout(connection, path)
    return int(version)


def is_erasing(connection: _sqlite.Connection) -> bool:
    """Whether something that was deleted may still be in the log. Call it inside a transaction."""
    return _application_id(connection) == ERASING_ID


def _application_id(connection: _sqlite.Connection) -> int:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    return int(application)


@cache
def expected_columns() -> Mapping[str, tuple[str, ...]]:
    """The columns of each table that the migrations make, in order."""
    return {name: tuple(_COLUMN.findall(body)) for script in TABLES for name, body in _TABLE.findall(script)}


def _check_layout(connection: _sqlite.Connection, path: str) -> None:
    """Refuse a file whose tables have other columns: a version whose number was not raised has made them.

    Raises:
        OtherLayoutError: naming the first table that differs.
    """
    found: dict[str, list[str]] = {}
    for table, column in connection.execute(_COLUMNS):
        found.setdefault(table, []).append(column)
    for table, columns in expected_columns().items():
        there = tuple(found.get(table, ()))
        if there != columns:
            raise OtherLayoutError(
                f"{path} has other tables than this version of the library makes ({_difference(table, there, columns)})"
                ": another version made it, and it was left as it is. Use that version, or export each memory with it "
                "(streetai export) and import the files here (streetai import). If no other version has written it, "
                "its description of the tables is damaged: restore it from a backup, or use streetai salvage."
            )


def _difference(table: str, there: tuple[str, ...], expected: tuple[str, ...]) -> str:
    """How the columns of a table differ, in a few words."""
    if not there:
        return f"there is no table {table}"
    lacking, unknown = sorted({*expected} - {*there}), sorted({*there} - {*expected})
    if lacking:
        return f"table {table} lacks {', '.join(lacking)}"
    return f"table {table} also has {', '.join(unknown)}" if unknown else f"columns of {table} are in another order"


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
