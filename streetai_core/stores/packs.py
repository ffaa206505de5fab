"""Many rows of a table as one value: read in one piece, a large memory is there in a fraction of the time.

A pack is a copy of the rows of a span of keys, made when the span is full, column by column. It says nothing that the
rows do not say and can be thrown away at any time; triggers of the database do so whenever a row of its span is
written or deleted, in the same transaction.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from streetai_core.stores.checksums import row_checksum
from streetai_core.stores.columns import Coded
from streetai_core.stores.rows import Row

Column: TypeAlias = "Coded | npt.NDArray[np.generic]"
"""One column of n rows, or values of theirs that stand one after the other."""

SPAN = 512
"""Keys of one pack: so many rows are read one by one when one of them has changed. The triggers know it too."""

_LENGTH = 4
"""Bytes that say how long the description is that a pack begins with."""

_NUMBERS = tuple(np.dtype(kind) for kind in ("<u1", "<i1", "<u2", "<i2", "<u4", "<i4", "<i8"))
"""Whole numbers are kept in the smallest of these that holds all of a column."""


def pack_row(memory_key: int, kind: str, part: int, columns: Mapping[str, Column]) -> Row:
    """Columns of `packs`."""
    cells = (memory_key, kind, part, packed(columns))
    return (*cells, row_checksum(cells))


def is_pack(memory_key: int, kind: str, row: Row) -> bool:
    """Whether part, data and checksum are as they were written."""
    part, data, crc = row
    return isinstance(data, bytes) and row_checksum((memory_key, kind, part, data)) == crc


def packed(columns: Mapping[str, Column]) -> bytes:
    """Columns as bytes."""
    described: list[tuple[str, str, int, list[str | None] | None]] = []
    bodies: list[bytes] = []
    for name, column in columns.items():
        numbers = column.codes if isinstance(column, Coded) else column
        texts = list(column.values) if isinstance(column, Coded) else None
        narrow = narrowed(numbers)
        described.append((name, narrow.dtype.str, narrow.size, texts))
        bodies.append(narrow.tobytes())
    description = json.dumps(described, ensure_ascii=False, separators=(",", ":")).encode()
    return b"".join([len(description).to_bytes(_LENGTH, "little"), description, *bodies])


def unpacked(data: bytes) -> dict[str, Column]:
    """The columns again; whole numbers are in whatever type they were kept in.

    Raises:
        ValueError: these are not the bytes of columns.
    """
    place = _LENGTH + int.from_bytes(data[:_LENGTH], "little")
    columns: dict[str, Column] = {}
    for name, kind, size, texts in json.loads(data[_LENGTH:place]):
        numbers = np.frombuffer(data, np.dtype(kind), size, place)
        place += numbers.nbytes
        columns[name] = numbers if texts is None else Coded(numbers.astype(np.int64), tuple(texts))
    if place != len(data):
        raise ValueError("a pack is longer than its columns")
    return columns


def narrowed(numbers: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """Numbers in as few bytes as hold all of them, little-endian; reals in eight."""
    if numbers.dtype.kind == "f":
        return numbers.astype("<f8", copy=False)
    low, high = (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
    kind = next(kind for kind in _NUMBERS if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
    return numbers.astype(kind)
