"""Reading rows where not they, but the index that leads to them is damaged."""

from __future__ import annotations

from dataclasses import replace

from streetai_core.stores import _sqlite
from streetai_core.stores.rows import Origin, Row, signal_from
from streetai_core.stores.selects import CUES, MESSAGES, STACKS, WORDS
from streetai_core.upkeep.reading import BY_TABLE, LAST, UNDECODABLE, Found, attempted, read

_REINDEX = {
    "messages": "REINDEX messages",
    # A signal is read with its vector, which has a table of its own.
    "signals": "REINDEX vectors",
    "stacks": "REINDEX stacks",
    "words": "REINDEX words",
    "cues": "REINDEX cues",
}
"""Makes the indexes of a table anew from its rows. The other tables have their rows in the index itself."""

_BY_ROWID = " AND rowid BETWEEN ? AND ?"

_STRAIGHT = {
    table: replace(BY_TABLE[table], select=select, span=_BY_ROWID)
    for table, select in (
        ("messages", MESSAGES.replace("FROM messages", "FROM messages NOT INDEXED")),
        ("stacks", STACKS.replace("FROM stacks", "FROM stacks NOT INDEXED")),
        ("words", WORDS.replace("FROM words", "FROM words NOT INDEXED")),
        ("cues", CUES.replace("FROM cues", "FROM cues NOT INDEXED")),
    )
}
"""Tables that can be read in the order in which their rows were written."""

_VECTORS = """
SELECT signal_key, dim, vector, crc FROM vectors NOT INDEXED WHERE memory_key = ? AND rowid BETWEEN ? AND ?
"""
_SIGNALS = """
SELECT memory_key, signal_key, sequence, chunk_index, kind, start, "end", block_start, block_end, version
FROM signals WHERE memory_key = ? AND signal_key BETWEEN ? AND ?
"""


def read_anew(connection: _sqlite.Connection, table: str, memory_key: int, origin: Origin) -> Found | None:
    """The rows of one memory after the indexes of their table were made anew; without any, if they cannot be.

    `None`: the table has no index that its rows are read by.

    Args:
        connection: from `tolerant`, to a copy that may be changed.
        table: of `KINDS`.
        memory_key: whose rows.
        origin: where they are, for errors.
    """
    if table not in _REINDEX:
        return None
    try:
        connection.execute(_REINDEX[table]).fetchall()
    except _sqlite.FAILURES:
        # Rows are damaged too.
        return read_straight(connection, table, memory_key, origin)
    return read(connection, BY_TABLE[table], memory_key, origin)


def read_straight(connection: _sqlite.Connection, table: str, memory_key: int, origin: Origin) -> Found | None:
    """The rows of one memory without any index, which takes the time of reading the whole table.

    `None`: the table has no index that its rows are read by.
    """
    if table == "signals":
        return _signals(connection, memory_key, origin)
    return read(connection, _STRAIGHT[table], memory_key, origin) if table in _STRAIGHT else None


def _signals(connection: _sqlite.Connection, memory_key: int, origin: Origin) -> Found:
    """Signals put together from their two tables."""
    found = Found()

    def rows_of(statement: str) -> list[Row]:
        def fetch(low: int, high: int) -> list[Row]:
            return connection.execute(statement, (memory_key, low, high)).fetchall()

        return list(attempted(fetch, LAST, found))

    vectors = {row[0]: row[1:] for row in rows_of(_VECTORS)}
    for row in rows_of(_SIGNALS):
        try:
            found.values.append(signal_from((*row, *vectors[row[1]]), origin))
        except (*UNDECODABLE, KeyError):  # noqa: PERF203 - each row by itself may be damaged
            found.damaged += 1
    return found
