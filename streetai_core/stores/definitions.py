"""How the tables, indexes, views and triggers of a file are defined, and how they should be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import closing
from functools import cache
from typing import TypeAlias

from streetai_core.stores import _sqlite
from streetai_core.stores.schema import execute_all

Definitions: TypeAlias = Mapping[tuple[str, str], tuple[str, str]]
"""Kind and name -> the table that it belongs to, and its text."""

_DEFINITIONS = "SELECT type, name, tbl_name, sql FROM sqlite_master"

_COMMENT = re.compile(r"--[^\n]*")

_FOREIGN = ("sqlite_", "_sqlite_")
"""How names begin that SQLite, and the migrations, keep for themselves."""


def wrong_definitions(connection: _sqlite.Connection) -> list[str]:
    """What is not defined as this version does, by kind and name; what others have added to the file is left out.

    SQLite reads a definition when it is needed: a wrong trigger is noticed by whoever deletes the first row.

    Raises:
        Error: the definitions cannot be read.
    """
    there = _definitions(connection)
    return [f"{kind} {name}" for (kind, name), text in _expected().items() if there.get((kind, name)) != text]


def unknown_tables(connection: _sqlite.Connection) -> list[str]:
    """Tables that this version does not make.

    Raises:
        Error: the definitions cannot be read.
    """
    return [
        name
        for kind, name in _definitions(connection)
        if kind == "table" and (kind, name) not in _expected() and not name.startswith(_FOREIGN)
    ]


@cache
def _expected() -> Definitions:
    """Those of this version."""
    with closing(_sqlite.connect("file::memory:", timeout=0)) as connection:
        execute_all(connection)
        return _definitions(connection)


def _definitions(connection: _sqlite.Connection) -> Definitions:
    """All of a file. Comments and white space do nothing, and may be others in another version."""
    return {
        (str(kind), str(name)): (str(table), " ".join(_COMMENT.sub("", str(sql)).split()))
        for kind, name, table, sql in connection.execute(_DEFINITIONS)
    }
