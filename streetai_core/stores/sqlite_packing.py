"""Packing rows when they are written, in the transaction that fills a span."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from streetai_core.errors import DamagedFileError
from streetai_core.stores.packs import SPAN, pack_row
from streetai_core.stores.rows import Row
from streetai_core.stores.sqlite_columns import ILL_FORMED, Blocks, put_together
from streetai_core.stores.sqlite_packable import WEIGHTS, Packable, span

PACK = """
INSERT INTO packs (memory_key, kind, part, data, crc) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (memory_key, kind, part) DO UPDATE SET data = excluded.data, crc = excluded.crc
"""
UNCHANGED = "DELETE FROM changed_weights WHERE memory_key = ? AND signal_key BETWEEN ? AND ?"
"""For weights that were packed just now."""

_PARTS = "SELECT part FROM packs WHERE memory_key = ? AND kind = ?"
_CHANGED = "SELECT signal_key FROM changed_weights WHERE memory_key = ?"

_GAPS = 3
"""Spans that lost their packs which are packed anew beside the one that is full: a few milliseconds, once in 512
messages."""

_MANY_CHANGED = SPAN // 4
"""Weights of a span that have changed since it was packed; reading so many one by one costs as much as packing."""


def new_packs(blocks: Blocks, table: Packable, memory_key: int, following: int, written: int) -> list[Row]:
    """Rows of `packs` for spans that are full and have none, the newest first.

    Args:
        blocks: executes a query.
        table: what is packed.
        memory_key: of the memory.
        following: the key that the next row gets.
        written: rows written just now; if they fill no span, nothing is packed.
    """
    full = following // SPAN
    if full == (following - written) // SPAN:
        return []
    packed = {part for block in blocks(_PARTS, memory_key, table.kind) for (part,) in block}
    if table is WEIGHTS:
        packed -= _mostly_changed(blocks, memory_key)
    # One after the other, because of a memory that someone else numbered there may be more than can be listed.
    missing = (part for part in range(full - 1, -1, -1) if part not in packed)
    found: list[Row] = []
    for part in islice(missing, 1 + _GAPS + written // SPAN):
        try:
            # Read to its end before anything can be wrong with it: else the query would stay open.
            rows = list(blocks(table.select, memory_key, *span(part)))
            columns = put_together([table.decode(memory_key, block) for block in rows])
            found.append(pack_row(memory_key, table.kind, part, columns))
        except (*ILL_FORMED, DamagedFileError):  # noqa: PERF203 - each span by itself may be damaged
            # Damage is told when it is read; writing goes on.
            continue
    return found


def _mostly_changed(blocks: Blocks, memory_key: int) -> set[int]:
    """Parts of which many weights are not as they were packed."""
    changed = Counter(key // SPAN for block in blocks(_CHANGED, memory_key) for (key,) in block)
    return {part for part, count in changed.items() if count >= _MANY_CHANGED}
