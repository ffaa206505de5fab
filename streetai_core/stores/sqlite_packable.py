"""The tables whose rows are packed, and their columns: from packs, and from the rows that are in none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from streetai_core.arrays import Integers
from streetai_core.stores.checksums import blobs, reals, texts, wholes
from streetai_core.stores.columns import Coded
from streetai_core.stores.packs import SPAN, Column, is_pack, unpacked
from streetai_core.stores.rows import Row
from streetai_core.stores.sqlite_columns import Blocks, Columns, check, turned
from streetai_core.stores.words_rows import COUNTS, DAYS, TERMS

_SIGNALS = """
SELECT signal_key, sequence, chunk_index, kind, start, "end", block_start, block_end, version
FROM signals WHERE memory_key = ? AND signal_key BETWEEN ? AND ? ORDER BY signal_key
"""
SIGNAL_COLUMNS = (*("key", "sequence", "chunk_index", "kind", "start", "end", "block_start", "block_end", "version"),)
_WEIGHTS = """
SELECT signal_key, base_weight, last_used_turn, uses, stack_key, version, crc
FROM weights WHERE memory_key = ? AND signal_key BETWEEN ? AND ? ORDER BY signal_key
"""
WEIGHT_COLUMNS = ("key", "base_weight", "last_used_turn", "uses", "stack", "version")
_WORDS = """
SELECT sequence, version, conversation_id, name, role, day, characters, question, source, trust, writer, fingerprint,
       rules, terms, counts, days, replaces, crc
FROM words WHERE memory_key = ? AND sequence BETWEEN ? AND ? ORDER BY sequence
"""
_WORDS_COLUMNS = (
    *("sequence", "version", "conversation_id", "name", "role", "day", "characters", "question", "source", "trust"),
    *("writer", "fingerprint", "rules", "terms", "counts", "days", "replaces", "crc"),
)
"""In the order in which the checksum counts them."""
_WHOLE = ("sequence", "version", "day", "characters", "question", "fingerprint", "rules")
_TEXTS = ("conversation_id", "name", "role", "source", "writer", "replaces")
_ARRAYS: dict[str, tuple[np.dtype[Any], int]] = {"terms": (TERMS, 1), "counts": (COUNTS, 1), "days": (DAYS, 2)}
"""What they are made of, and how many of it are one; a span of days has a first and a last one."""

EACH = "{} of each"
"""The column that says how many elements of an array each row has."""

PACKS = "SELECT part, data, crc FROM packs WHERE memory_key = ? AND kind = ? ORDER BY part"

_LAST = (1 << 63) - 1
"""Above all keys that there can be. The first one is 0: a row that damage has moved below it is missed by its count."""


@dataclass(frozen=True, slots=True)
class Packable:
    """A table whose rows can be packed."""

    kind: str
    """As `packs` calls it."""
    select: str
    """Rows of one memory from one key to another, by key."""
    names: frozenset[str]
    """Of the columns."""
    decode: Callable[[int, list[Row]], Columns]
    """The columns of some rows of the memory with this number. Raises what is `ILL_FORMED`."""

    def rows(self, blocks: Blocks, memory_key: int, first: int, last: int) -> Iterator[Columns]:
        """The columns of the rows with these keys, in pieces."""
        for block in blocks(self.select, memory_key, first, last):
            yield self.decode(memory_key, block)

    def all(self, blocks: Blocks, memory_key: int) -> Iterator[Columns]:
        """The columns of all rows, in pieces: those of packs, and of the rows that are in none."""
        following = 0
        for part, columns in self._packs(blocks, memory_key):
            first, last = span(part)
            if following < first:
                yield from self.rows(blocks, memory_key, following, first - 1)
            if columns:
                yield columns
            following = last + 1
        yield from self.rows(blocks, memory_key, following, _LAST)

    def _packs(self, blocks: Blocks, memory_key: int) -> list[tuple[int, Columns]]:
        """All packs that are as they were written: the rows are there for the others."""
        rows = (row for block in blocks(PACKS, memory_key, self.kind) for row in block)
        found = [(row[0], unpacked(row[1])) for row in rows if is_pack(memory_key, self.kind, row)]
        return [(part, columns) for part, columns in found if not columns or columns.keys() == self.names]


def _signal_columns(_memory_key: int, block: list[Row]) -> Columns:
    """Columns of signals. They are under one checksum with the vectors, and checked together with them."""
    columns = dict(zip(SIGNAL_COLUMNS, turned(block), strict=True))
    return {name: Coded.of(column) if name == "kind" else wholes(column) for name, column in columns.items()}


def _words_columns(memory_key: int, block: list[Row]) -> Columns:
    """Columns of words rows, checked."""
    columns = dict(zip(_WORDS_COLUMNS, turned(block), strict=True))
    numbers: dict[str, Integers] = {name: wholes(columns[name]) for name in _WHOLE}
    found: dict[str, Column] = dict(numbers)
    found["trust"], numbers["trust"] = reals(columns["trust"])
    for name in _TEXTS:
        coded = found[name] = Coded.of(columns[name])
        numbers[name] = texts(coded.values, coded.codes)
    for name, (kind, each) in _ARRAYS.items():
        lengths, numbers[name] = blobs(columns[name])
        found[EACH.format(name)] = lengths // (kind.itemsize * each)
        found[name] = np.frombuffer(b"".join(columns[name]), dtype=kind)
    check([memory_key, *(numbers[name] for name in _WORDS_COLUMNS[:-1])], columns["crc"])
    return found


def weight_columns(memory_key: int, block: list[Row]) -> Columns:
    """Columns of weights, checked."""
    columns = dict(zip((*WEIGHT_COLUMNS, "crc"), turned(block), strict=True))
    base, bits = reals(columns["base_weight"])
    found = {name: wholes(columns[name]) for name in WEIGHT_COLUMNS if name != "base_weight"}
    numbers = {**found, "base_weight": bits}
    check([memory_key, *(numbers[name] for name in WEIGHT_COLUMNS)], columns["crc"])
    return {**found, "base_weight": base}


SIGNALS = Packable("signals", _SIGNALS, frozenset(SIGNAL_COLUMNS), _signal_columns)
WEIGHTS = Packable("weights", _WEIGHTS, frozenset(WEIGHT_COLUMNS), weight_columns)
WORDS = Packable(
    "words", _WORDS, frozenset((*_WORDS_COLUMNS[:-1], *(EACH.format(name) for name in _ARRAYS))), _words_columns
)


PACKABLE = (SIGNALS, WEIGHTS, WORDS)
"""All tables that are packed."""


def span(part: int) -> tuple[int, int]:
    """The first and the last key of a part."""
    return part * SPAN, (part + 1) * SPAN - 1
