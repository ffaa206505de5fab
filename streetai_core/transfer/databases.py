"""Reading SQLite files of other programs: read-only, nothing of theirs executed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from streetai_core.errors import ImportFormatError
from streetai_core.stores import _sqlite

_WAIT = 10.0
"""Seconds to wait for a program that is writing the file."""

_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
_COLUMNS = "SELECT name FROM pragma_table_info(?)"


class ForeignDatabase:
    """An open file of another program."""

    def __init__(self, connection: _sqlite.Connection) -> None:
        self._connection = connection

    def tables(self) -> dict[str, set[str]]:
        """The names of the columns of each table."""
        names = [name for (name,) in self._connection.execute(_TABLES) if isinstance(name, str)]
        return {name: {column for (column,) in self._connection.execute(_COLUMNS, (name,))} for name in names}

    def rows(self, table: str, columns: list[str]) -> Iterator[tuple[Any, ...]]:
        """Some columns of a table's rows, each behind its `rowid`, by which they are ordered."""
        chosen = ", ".join(["rowid", *map(quoted, columns)])
        query = f"SELECT {chosen} FROM {quoted(table)} ORDER BY rowid"  # noqa: S608 - names of its schema, quoted
        return iter(self._connection.execute(query))


@contextmanager
def foreign_database(path: Path) -> Iterator[ForeignDatabase]:
    """The database in a file.

    Raises:
        ImportFormatError: it cannot be read as one.
    """
    try:
        connection = _sqlite.connect(f"{path.absolute().as_uri()}?mode=ro", timeout=_WAIT)
        try:
            # What views and triggers of a stranger's file call is not run.
            connection.execute("PRAGMA trusted_schema = OFF").fetchall()
            connection.execute("PRAGMA cell_size_check = ON").fetchall()
            yield ForeignDatabase(connection)
        finally:
            connection.close()
    except _sqlite.FAILURES as error:
        raise ImportFormatError(f"{path.name} cannot be read as a SQLite database: {error}") from error


def quoted(name: str) -> str:
    """A name of a table or column in SQL."""
    return '"' + name.replace('"', '""') + '"'
