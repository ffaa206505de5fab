"""Comparing packs with the rows that they are copies of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from streetai_core.stores import _sqlite
from streetai_core.stores.packs import is_pack, packed, unpacked
from streetai_core.stores.rows import Row
from streetai_core.stores.sqlite_columns import ILL_FORMED, put_together
from streetai_core.stores.sqlite_packable import PACKABLE, PACKS, WEIGHTS, Packable, span

_CHANGED = "SELECT signal_key FROM changed_weights WHERE memory_key = ? AND signal_key BETWEEN ? AND ?"


def wrong_packs(connection: _sqlite.Connection, memory_key: int) -> tuple[int, int]:
    """How many packs of a memory are damaged, so that nobody uses them, and how many are whole and no copies.

    Packs of rows that cannot be read are not counted: what is wrong is found by looking at the rows.

    Args:
        connection: to the file.
        memory_key: of the memory.
    """
    damaged = wrong = 0
    for table in PACKABLE:
        try:
            rows = connection.execute(PACKS, (memory_key, table.kind)).fetchall()
        except _sqlite.FAILURES:
            damaged += 1
            continue
        whole = [row for row in rows if is_pack(memory_key, table.kind, row)]
        damaged += len(rows) - len(whole)
        wrong += sum(not _is_copy(connection, table, memory_key, row) for row in whole)
    return damaged, wrong


def _is_copy(connection: _sqlite.Connection, table: Packable, memory_key: int, row: Row) -> bool:
    """Whether a pack says what its rows say."""
    part, data, _ = row

    def blocks(sql: str, *values: int) -> Iterator[list[Row]]:
        found = connection.execute(sql, values).fetchall()
        return iter([found] if found else [])

    try:
        stored: dict[str, Any] = put_together(list(table.rows(blocks, memory_key, *span(part))))
        there: dict[str, Any] = unpacked(data)
        if table is WEIGHTS and stored.keys() == there.keys() and len(stored["key"]) == len(there["key"]):
            # What has changed since is read from the rows.
            changed = [key for (key,) in connection.execute(_CHANGED, (memory_key, *span(part))).fetchall()]
            kept = ~np.isin(stored["key"], changed)
            stored, there = ({name: column[kept] for name, column in one.items()} for one in (stored, there))
        return packed(stored) == packed(there)
    except (*_sqlite.FAILURES, *ILL_FORMED):
        return True
