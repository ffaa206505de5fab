"""Vectors from SQLite, read in blocks; those of signals are each under the checksum of the whole signal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from streetai_core.arrays import Integers
from streetai_core.stores.checksums import texts, vectors, wholes
from streetai_core.stores.columns import Coded
from streetai_core.stores.rows import HALF, SINGLE
from streetai_core.stores.sqlite_columns import Blocks, check, turned
from streetai_core.stores.sqlite_packable import SIGNAL_COLUMNS
from streetai_core.types import KeptMatrix

_VECTORS = "SELECT signal_key, vector, crc FROM vectors WHERE memory_key = ? ORDER BY signal_key"
_SOME = """
SELECT signals.signal_key, sequence, chunk_index, kind, start, "end", block_start, block_end, version, vector, crc
FROM json_each(?) AS wanted
CROSS JOIN signals ON signals.memory_key = ? AND signals.signal_key = wanted.value
CROSS JOIN vectors ON vectors.memory_key = signals.memory_key AND vectors.signal_key = signals.signal_key
"""
_SPARE = 8
"""Room for an eighth more vectors than there are: as much as `SignalColumns.fill` gives its columns, so that it
need not copy them."""


def vectors_of_all(blocks: Blocks, memory_key: int, signals: Sequence[Integers], dim: int) -> KeptMatrix:
    """The vectors of the signals of which these are the numbers, each under the checksum of the whole signal.

    They are halves if all are kept so.
    """
    keys = signals[0]
    room: KeptMatrix | None = None
    first = 0
    for block in blocks(_VECTORS, memory_key):
        key, data, crc = turned(block)
        rows = slice(first, first + len(block))
        first += len(block)
        if first > len(keys) or not np.array_equal(wholes(key), keys[rows]):
            raise ValueError("a signal without a vector, or a vector without a signal")
        stored, numbers = _vectors_in(data, dim)
        check([memory_key, *(column[rows] for column in signals), numbers], crc)
        if room is None or (stored.dtype == SINGLE and room.dtype == np.float16):
            before, room = room, np.empty((len(keys) + len(keys) // _SPARE, dim), stored.dtype.newbyteorder("="))
            if before is not None:
                room[: rows.start] = before[: rows.start]
        room[rows] = stored
    if first != len(keys):
        raise ValueError("a signal without a vector")
    return np.zeros((0, dim), dtype=np.float32) if room is None else room[: len(keys)]


def vectors_of_some(blocks: Blocks, memory_key: int, keys: Integers, dim: int) -> KeptMatrix:
    """The vectors of some signals, shape (len(keys), dim), each under the checksum of the whole signal.

    Raises:
        ValueError: as for all that is `ILL_FORMED`.
    """
    found: list[KeptMatrix] = [np.zeros((0, dim), dtype=np.float16)]
    first = 0
    for block in blocks(_SOME, json.dumps(keys.tolist()), memory_key):
        *own, data, crc = turned(block)
        columns = dict(zip(SIGNAL_COLUMNS, own, strict=True))
        kind = Coded.of(columns["kind"])
        numbers = {name: wholes(column) for name, column in columns.items() if name != "kind"}
        numbers["kind"] = texts(kind.values, kind.codes)
        stored, last = _vectors_in(data, dim)
        check([memory_key, *(numbers[name] for name in SIGNAL_COLUMNS), last], crc)
        if not np.array_equal(numbers["key"], keys[first : first + len(block)]):
            raise ValueError("a signal without a vector")
        found.append(stored)
        first += len(block)
    if first != len(keys):
        raise ValueError("a signal without a vector")
    return np.concatenate(found)


def _vectors_in(data: Sequence[bytes], dim: int) -> tuple[npt.NDArray[Any], Integers]:
    """The vectors of a block as they are kept, shape (n, dim), and what stands for them in the checksum.

    Where some are halves and others not, all become singles.
    """
    sizes = set(map(len, data))
    for kind in (SINGLE, HALF):
        if sizes == {kind.itemsize * dim}:
            stored = stored_vectors(data, kind, dim)
            return stored, vectors(stored)
    mixed = np.empty((len(data), dim), dtype=SINGLE)
    numbers = np.empty(len(data), dtype=np.int64)
    halves = np.array([len(one) == HALF.itemsize * dim for one in data], dtype=np.bool_)
    for kind, rows in ((SINGLE, np.flatnonzero(~halves)), (HALF, np.flatnonzero(halves))):
        stored = stored_vectors([data[row] for row in rows.tolist()], kind, dim)
        mixed[rows], numbers[rows] = stored, vectors(stored)
    return mixed, numbers


def stored_vectors(data: Sequence[bytes], kind: np.dtype[Any], dim: int) -> npt.NDArray[Any]:
    """Vectors of one kind, shape (n, dim)."""
    if set(map(len, data)) != {kind.itemsize * dim}:
        raise ValueError("a vector of another dimension")
    return np.frombuffer(b"".join(data), dtype=kind).reshape(-1, dim)
