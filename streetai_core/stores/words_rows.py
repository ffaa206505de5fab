"""Words rows as rows of the SQLite table and back, under a checksum like every other row."""

from __future__ import annotations

import json

import numpy as np

from streetai_core.stores.checksums import row_checksum
from streetai_core.stores.rows import Origin, Row, real
from streetai_core.stores.types import WordsRow
from streetai_core.types import DaySpans, TermCounts, TermHashes

TERMS = np.dtype("<u4")
COUNTS = np.dtype("<u2")
DAYS = np.dtype("<i4")
"""How the arrays are kept, whatever the machine: little-endian."""

_CELLS, _ARRAYS = 14, 17
"""Where the columns end that come before the arrays, and where the arrays do."""


def words_row(words: WordsRow, memory_key: int, version: int) -> Row:
    """Columns of `words`."""
    cells = (
        memory_key,
        int(words.sequence),
        version,
        words.conversation_id,
        words.name,
        words.role,
        int(words.day),
        int(words.characters),
        int(words.question),
        words.source,
        real(words.trust),
        words.writer,
        int(words.fingerprint),
        int(words.rules),
    )
    arrays = (
        words.terms.astype(TERMS, copy=False).tobytes(),
        words.counts.astype(COUNTS, copy=False).tobytes(),
        words.days.astype(DAYS, copy=False).tobytes(),
    )
    replaces = json.dumps([int(sequence) for sequence in words.replaces])
    whole = (*cells, *arrays, replaces)
    return (*whole, row_checksum(whole))


def words_from(row: Row, origin: Origin) -> WordsRow:
    """What a message can be found by, from its row; the arrays are read-only.

    Raises:
        DamagedFileError: the row does not fit its checksum.
    """
    cells, arrays, (replaces, crc) = row[:_CELLS], row[_CELLS:_ARRAYS], row[_ARRAYS:]
    whole = all(isinstance(data, bytes) for data in arrays)
    if not whole or row_checksum(row[:-1]) != crc:
        raise origin.damaged("words of message", row[1])
    terms: TermHashes = np.frombuffer(arrays[0], dtype=TERMS).astype(np.uint32, copy=False)
    counts: TermCounts = np.frombuffer(arrays[1], dtype=COUNTS).astype(np.uint16, copy=False)
    days: DaySpans = np.frombuffer(arrays[2], dtype=DAYS).astype(np.int32, copy=False).reshape(-1, 2)
    return WordsRow(
        sequence=cells[1],
        conversation_id=cells[3],
        name=cells[4],
        role=cells[5],
        day=cells[6],
        characters=cells[7],
        question=bool(cells[8]),
        source=cells[9],
        trust=cells[10],
        writer=cells[11],
        fingerprint=cells[12],
        rules=cells[13],
        terms=terms,
        counts=counts,
        days=days,
        replaces=tuple(json.loads(replaces)),
    )
