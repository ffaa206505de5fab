"""A whole memory from SQLite as columns: rows are fetched in blocks, and checked a column at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from streetai_core.stores.checksums import Integers, blobs, checksums, reals, texts, wholes
from streetai_core.stores.columns import SignalArrays, StackArrays, WeightArrays, WordsArrays
from streetai_core.stores.rows import STORED, Row
from streetai_core.stores.words_rows import COUNTS, DAYS, TERMS
from streetai_core.types import Matrix

Blocks: TypeAlias = Callable[..., Iterator[list[Row]]]
"""Executes a query with its values and gives its rows in blocks, none of them empty."""

_SIGNALS = """
SELECT signal_key, sequence, chunk_index, kind, start, "end", block_start, block_end, version
FROM signals WHERE memory_key = ? ORDER BY signal_key
"""
_VECTORS = "SELECT signal_key, vector, crc FROM vectors WHERE memory_key = ? ORDER BY signal_key"
_WEIGHTS = """
SELECT signal_key, base_weight, last_used_turn, uses, stack_key, version, crc
FROM weights WHERE memory_key = ? ORDER BY signal_key
"""
_STACKS = "SELECT stack_key, size, dim, version, total, crc FROM stacks WHERE memory_key = ? ORDER BY stack_key"
_WORDS = """
SELECT sequence, version, conversation_id, name, role, day, characters, question, source, trust, writer, fingerprint,
       terms, counts, days, replaces, crc
FROM words WHERE memory_key = ? ORDER BY sequence
"""
_WORDS_COLUMNS = (
    *("sequence", "version", "conversation_id", "name", "role", "day", "characters", "question", "source", "trust"),
    *("writer", "fingerprint", "terms", "counts", "days", "replaces", "crc"),
)
"""In the order in which the checksum counts them."""
_WHOLE = ("sequence", "version", "day", "characters", "question", "fingerprint")
_TEXTS = ("conversation_id", "name", "role", "source", "writer", "replaces")
_ARRAYS = {"terms": TERMS.itemsize, "counts": COUNTS.itemsize, "days": 2 * DAYS.itemsize}
"""With the bytes of one of each; a span of days has a first and a last one."""

_SPARE = 8
"""Room for an eighth more vectors than there are: as much as `SignalColumns.fill` gives its columns, so that it
need not copy them."""

_NONE_REPLACED = "[]"
"""Of a message that replaces no other: nearly all."""

_PAIR = 2
"""The first and the last day of a span."""

ILL_FORMED = (TypeError, ValueError, OverflowError)
"""What loading raises for a row that does not fit its checksum, or a value that does not fit its column. Which row it
is, reading row by row tells."""


def ascending(keys: Integers) -> bool:
    """Whether each key is above the one before it: rows are read in this order, and each is there once."""
    return bool(np.all(keys[1:] > keys[:-1]))


def load_signals(blocks: Blocks, memory_key: int, dim: int) -> tuple[SignalArrays, Integers]:
    """All signals of a memory, each with a vector of `dim` numbers; and the version that wrote each.

    Raises:
        ValueError: as for all that is `ILL_FORMED`.
    """
    numbers: list[list[Integers]] = []
    kinds: list[str] = []
    for block in blocks(_SIGNALS, memory_key):
        columns = _columns(block)
        kinds += columns.pop(3)
        numbers.append([wholes(column) for column in columns])
    key, sequence, chunk_index, *span, version = _concatenated(numbers, 8)
    cells = [key, sequence, chunk_index, texts(kinds), *span, version]
    start, end, block_start, block_end = span
    found = SignalArrays(
        key=key,
        sequence=sequence,
        chunk_index=chunk_index,
        kind=kinds,
        start=start,
        end=end,
        block_start=block_start,
        block_end=block_end,
        vectors=_vectors(blocks, memory_key, cells, dim),
    )
    return found, version


def _vectors(blocks: Blocks, memory_key: int, signals: Sequence[Integers], dim: int) -> Matrix:
    """The vectors of the signals of which these are the numbers, each under the checksum of the whole signal."""
    keys = signals[0]
    room = np.empty((len(keys) + len(keys) // _SPARE, dim), dtype=np.float32)
    matrix = room[: len(keys)]
    first = 0
    for block in blocks(_VECTORS, memory_key):
        key, data, crc = _columns(block)
        rows = slice(first, first + len(block))
        first += len(block)
        if first > len(keys) or not np.array_equal(wholes(key), keys[rows]):
            raise ValueError("a signal without a vector, or a vector without a signal")
        lengths, sums = blobs(data)
        _check([memory_key, *(column[rows] for column in signals), sums], crc)
        matrix[rows] = _vectors_of(data, lengths, dim)
    if first != len(keys):
        raise ValueError("a signal without a vector")
    return matrix


def load_weights(blocks: Blocks, memory_key: int) -> tuple[WeightArrays, Integers]:
    """All weights of a memory, and the version that wrote each.

    Raises:
        ValueError: as for all that is `ILL_FORMED`.
    """
    numbers: list[list[Integers]] = []
    bases = [np.zeros(0)]
    for block in blocks(_WEIGHTS, memory_key):
        key, base_weight, *others, crc = _columns(block)
        base, bits = reals(base_weight)
        own = [wholes(key), *(wholes(column) for column in others)]
        _check([memory_key, own[0], bits, *own[1:]], crc)
        numbers.append(own)
        bases.append(base)
    keys, last_used_turn, uses, stack, version = _concatenated(numbers, 5)
    weights = WeightArrays(
        key=keys, base_weight=np.concatenate(bases), last_used_turn=last_used_turn, uses=uses, stack=stack
    )
    return weights, version


def load_stacks(blocks: Blocks, memory_key: int, dim: int) -> tuple[StackArrays, Integers]:
    """All stacks of a memory, and the version that wrote each.

    Raises:
        ValueError: as for all that is `ILL_FORMED`.
    """
    numbers: list[list[Integers]] = []
    totals = [np.zeros((0, dim), dtype=np.float32)]
    for block in blocks(_STACKS, memory_key):
        *others, data, crc = _columns(block)
        own = [wholes(column) for column in others]
        lengths, sums = blobs(data)
        _check([memory_key, *own, sums], crc)
        numbers.append(own)
        totals.append(_vectors_of(data, lengths, dim))
    key, size, _, version = _concatenated(numbers, 4)
    return StackArrays(key=key, size=size, totals=np.concatenate(totals)), version


def load_words(blocks: Blocks, memory_key: int) -> tuple[WordsArrays, Integers]:
    """All words rows of a memory, and the version that wrote each.

    Raises:
        ValueError: as for all that is `ILL_FORMED`.
    """
    numbers: list[list[Integers]] = []
    trusts = [np.zeros(0)]
    said: dict[str, list[Any]] = {name: [] for name in _TEXTS}
    lengths = {name: [np.zeros(0, dtype=np.int64)] for name in _ARRAYS}
    arrays: dict[str, list[bytes]] = {name: [] for name in _ARRAYS}
    for block in blocks(_WORDS, memory_key):
        columns = dict(zip(_WORDS_COLUMNS, _columns(block), strict=True))
        own = {name: wholes(columns[name]) for name in _WHOLE}
        level, own["trust"] = reals(columns["trust"])
        for name in _TEXTS:
            own[name] = texts(columns[name])
            said[name].extend(columns[name])
        for name, size in _ARRAYS.items():
            length, own[name] = blobs(columns[name])
            lengths[name].append(length // size)
            arrays[name].append(b"".join(columns[name]))
        _check([memory_key, *(own[name] for name in _WORDS_COLUMNS[:-1])], columns["crc"])
        numbers.append([own[name] for name in _WHOLE])
        trusts.append(level)
    whole = dict(zip(_WHOLE, _concatenated(numbers, len(_WHOLE)), strict=True))
    found = WordsArrays(
        sequence=whole["sequence"],
        conversation_id=said["conversation_id"],
        name=said["name"],
        role=said["role"],
        day=whole["day"],
        characters=whole["characters"],
        question=whole["question"],
        source=said["source"],
        trust=np.concatenate(trusts),
        writer=said["writer"],
        fingerprint=whole["fingerprint"],
        term_counts=np.concatenate(lengths["terms"]),
        terms=np.frombuffer(b"".join(arrays["terms"]), dtype=TERMS).astype(np.uint32, copy=False),
        counts=np.frombuffer(b"".join(arrays["counts"]), dtype=COUNTS).astype(np.uint16, copy=False),
        day_counts=np.concatenate(lengths["days"]),
        days=np.frombuffer(b"".join(arrays["days"]), dtype=DAYS).astype(np.int32, copy=False).reshape(-1, _PAIR),
        replaces=[() if text == _NONE_REPLACED else tuple(json.loads(text)) for text in said["replaces"]],
    )
    return found, whole["version"]


def _columns(block: Sequence[Row]) -> list[tuple[Any, ...]]:
    """The rows of a block turned round."""
    return list(zip(*block, strict=True))


def _concatenated(blocks: Iterable[Sequence[Integers]], count: int) -> list[Integers]:
    """The `count` columns of all blocks, each in one array."""
    columns = list(zip(*blocks, strict=True)) or [(np.zeros(0, dtype=np.int64),)] * count
    return [np.concatenate(column) for column in columns]


def _vectors_of(data: Sequence[bytes], lengths: Integers, dim: int) -> Matrix:
    """The vectors of a block, shape (n, dim)."""
    if (lengths != STORED.itemsize * dim).any():
        raise ValueError("a vector of another dimension")
    return np.frombuffer(b"".join(data), dtype=STORED).astype(np.float32, copy=False).reshape(-1, dim)


def _check(numbers: Sequence[Integers | int], crc: Sequence[Any]) -> None:
    """Compare the numbers of a block's rows with their checksums."""
    if not np.array_equal(checksums(numbers), wholes(crc)):
        raise ValueError("a row does not fit its checksum")
