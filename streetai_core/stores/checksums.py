"""The checksum of the rows that are read when a memory is loaded: of one row, and of whole columns at once.

Every value of a row becomes a number of 64 bits: a whole number is itself, a real one the complement of its bits, a
text or bytes its CRC-32 and its length, a vector a sum of its bits with weights, which NumPy makes of many vectors in a
tenth of the time. The checksum is the CRC-32 of these numbers in their order. Values of different types never share a
number by having the same bits: one flipped bit in a row of SQLite changes the type alone.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from streetai_core.arrays import Integers

_NOTHING = -(2**62) - 1
"""Stands for NULL: no length and no checksum make it."""

_LENGTH = 33
"""Bits below the length: the 32 of the checksum, and one that tells text from bytes."""

_TEXT, _BYTES = 1 << 32, 1 << 33
"""Added to the number of a text, and of bytes: even of none of them, the number is not zero."""

_NUMBER = np.dtype("<i8")
"""How a number is added up, whatever the machine."""

_FACTOR = 0x9E3779B97F4A7C15
"""An odd number without pattern; the weights of a vector's parts are its powers. They are odd, so that no change of one
part is lost, whatever bits of it have flipped."""

_PART = np.dtype("<u8")
"""What of a vector has one weight: two of its numbers, or four halves."""

_real = struct.Struct("<d")
_whole = struct.Struct("<q")


def row_checksum(cells: Sequence[Any]) -> int:
    """CRC-32 of the columns of one row.

    Args:
        cells: of type int (64 bits), float, str, bytes or None, as SQLite gives them.

    Raises:
        OverflowError: a whole number has more than 64 bits.
    """
    numbers = [_NUMBER_OF.get(type(cell), _of_other)(cell) for cell in cells]
    try:
        return zlib.crc32(struct.pack(f"<{len(numbers)}q", *numbers))
    except struct.error as error:
        raise OverflowError("a number does not fit into 64 bits") from error


def checksums(columns: Sequence[Integers | int]) -> Integers:
    """The checksum of each row, shape (n,).

    Args:
        columns: the numbers of each column, every one of shape (n,), or one number for all rows.
    """
    count = max(np.size(column) for column in columns)
    numbers = np.empty((count, len(columns)), dtype=_NUMBER)
    for place, column in enumerate(columns):
        numbers[:, place] = column
    rows = numbers.view(f"V{_NUMBER.itemsize * len(columns)}").ravel().tolist()
    return np.fromiter(map(zlib.crc32, rows), dtype=np.int64, count=count)


def wholes(column: Sequence[Any]) -> Integers:
    """Whole numbers as they are, shape (n,).

    Raises:
        TypeError: a value is NULL, or bytes; a `ValueError` or an `OverflowError` for other things that are no number.
    """
    return np.array(column, dtype=np.int64)


def reals(column: Sequence[Any]) -> tuple[npt.NDArray[np.float64], Integers]:
    """Real numbers, shape (n,), and what stands for them in the checksum.

    Raises:
        TypeError: as in `wholes`.
    """
    values = np.array(column, dtype=np.float64)
    return values, ~values.view(np.int64)


def texts(values: Sequence[str | None], codes: Integers) -> Integers:
    """What stands for texts in the checksum, shape (n,).

    Args:
        values: distinct texts.
        codes: for each row which of them it has, shape (n,).

    Raises:
        TypeError: a value is neither a text nor NULL.
    """
    for text in values:
        if not isinstance(text, str | None):
            raise TypeError(f"a text was expected, got {type(text).__name__}")
    numbers = np.array([_NOTHING if text is None else _of_text(text) for text in values], dtype=np.int64)
    found: Integers = numbers[codes]
    return found


def blobs(column: Sequence[bytes]) -> tuple[Integers, Integers]:
    """The lengths of bytes, shape (n,), and what stands for them in the checksum.

    Raises:
        TypeError: a value is no bytes.
    """
    sums: Integers = np.fromiter(map(zlib.crc32, column), dtype=np.int64, count=len(column))
    lengths: Integers = np.fromiter(map(len, column), dtype=np.int64, count=len(column))
    sums += (lengths << _LENGTH) + _BYTES
    return lengths, sums


def vectors(rows: npt.NDArray[Any]) -> Integers:
    """What stands for vectors in the checksum, shape (n,).

    Args:
        rows: as they are kept, shape (n, dim), float32 or float16.
    """
    count, dim = rows.shape
    missing = -dim % (_PART.itemsize // rows.itemsize)
    if missing:
        rows = np.concatenate([rows, np.zeros((count, missing), rows.dtype)], axis=1)
    parts = np.ascontiguousarray(rows).view(_PART)
    sums = np.einsum("ij,j->i", parts, _weights(parts.shape[1]))
    # The dimension is part of it: a vector whose end is zero is not the shorter one.
    sums += np.uint64(dim)
    numbers: Integers = sums.view(np.int64)
    return numbers


@cache
def _weights(count: int) -> npt.NDArray[np.uint64]:
    """The weights of the parts of a vector, shape (count,)."""
    return np.multiply.accumulate(np.full(count, _FACTOR, dtype=np.uint64))


def _of_bytes(data: bytes) -> int:
    return zlib.crc32(data) + (len(data) << _LENGTH) + _BYTES


def _of_text(text: str) -> int:
    # Damaged bytes are read as surrogates where rows are salvaged.
    data = text.encode("utf-8", "surrogatepass")
    return zlib.crc32(data) + (len(data) << _LENGTH) + _TEXT


def _of_real(value: float) -> int:
    number: int = _whole.unpack(_real.pack(value))[0]
    return ~number


def _of_other(value: object) -> int:
    """Of a type that no column has: the database refuses it."""
    return _of_text(str(value))


_NUMBER_OF: dict[type, Callable[[Any], int]] = {
    int: int,
    float: _of_real,
    str: _of_text,
    bytes: _of_bytes,
    type(None): lambda _: _NOTHING,
}
