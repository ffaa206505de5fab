"""Vectors in eight bits a number, to estimate cosines of many signals in less than half the time that exact ones take.

A scan of many vectors waits for memory, so a quarter of the bytes is what saves time. Each vector has a scale of its
own, so that its largest number is 127 and none is cut off, whatever encoder made it.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from streetai_core.arrays import RowNumbers
from streetai_core.index.growing import with_room
from streetai_core.index.scanner import ZERO, products
from streetai_core.types import Matrix, Vector

LEAST = 4096
"""Signals from which estimates save time: of fewer, all vectors are in the processor's cache."""

_DEVIATIONS = 6
"""Standard deviations of the error that are allowed for: of a thousand million estimates two are off by more."""

_BLOCK = 1024
"""Vectors that are coded at a time, so that what is made on the way stays in the processor's cache."""

_HIGHEST = 127.0
"""The largest number of a code, so that the lowest is its opposite."""

Bytes = npt.NDArray[np.uint8]


class Codes:
    """One code for each row of signals, kept in step with them.

    Args:
        dim: numbers of a vector.
    """

    def __init__(self, dim: int) -> None:
        self._dim = dim
        self._count = 0
        self._bytes = np.empty((0, dim), dtype=np.uint8)
        self._units = np.empty(0, dtype=np.float32)
        """What a step of each code is worth. Both have room for more rows."""

    def __len__(self) -> int:
        """Rows."""
        return self._count

    @property
    def bytes(self) -> Bytes:
        """The codes of all rows, shape (n, dim)."""
        return self._bytes[: self._count]

    @property
    def units(self) -> Vector:
        """What a step of the code of each row is worth, shape (n,)."""
        return self._units[: self._count]

    def fill(self, count: int, codes: Bytes, units: Vector) -> None:
        """Take over so many rows, where there are none yet, from arrays that may have room for more."""
        self._count, self._bytes, self._units = count, codes, units

    def append(self, vectors: Matrix) -> None:
        """Add rows behind all others; shape (n, dim)."""
        first, self._count = self._count, self._count + len(vectors)
        self._bytes = with_room(self._bytes, self._count)
        self._units = with_room(self._units, self._count)
        _code(vectors, self.bytes[first:], self.units[first:])

    def put(self, row: int, vector: Vector) -> None:
        """Give a row another vector."""
        _code(vector[None, :], self._bytes[row : row + 1], self._units[row : row + 1])

    def remove(self, row: int) -> None:
        """Take a row away; the last one gets its place."""
        self._count -= 1
        self._bytes[row], self._units[row] = self._bytes[self._count], self._units[self._count]

    def about(self, rows: RowNumbers) -> Matrix:
        """About the vectors of some rows, shape (len(rows), dim)."""
        steps = self._bytes[rows].astype(np.float32) - ZERO
        near: Matrix = steps * self._units[rows][:, None]
        return near

    def cosines(self, vector: Vector) -> tuple[Vector, float]:
        """Estimates of the cosine of each row with a unit vector, shape (n,), and how far one may be off.

        Each number of a code is off by up to half a step, evenly spread. So a product with a unit vector is off by a
        step over the root of 12, both times, in the middle of all (the variance of an even spread is a twelfth).
        """
        if not self._count:
            return np.zeros(0, dtype=np.float32), 0.0
        code, unit = np.empty((1, self._dim), dtype=np.uint8), np.empty(1, dtype=np.float32)
        _code(vector[None, :], code, unit)
        estimates = products(self.bytes, code.astype(np.float32) - ZERO)
        estimates *= self.units * unit[0]
        return estimates, _DEVIATIONS * math.hypot(float(self.units.max()), float(unit[0])) / math.sqrt(12)

    def cosines_of(self, rows: RowNumbers, vector: Vector) -> tuple[Vector, float]:
        """Estimates of the cosine of some rows with a unit vector, shape (len(rows),), and how far one may be off."""
        estimates: Vector = self.about(rows) @ vector
        return estimates, _DEVIATIONS * float(self.units[rows].max(initial=0.0)) / math.sqrt(12)


def _code(vectors: Matrix, codes: Bytes, units: Vector) -> None:
    """Write the codes of vectors, shape (n, dim) both, as FAISS keeps them, and what a step of each is worth, (n,)."""
    for start in range(0, len(vectors), _BLOCK):
        block = vectors[start : start + _BLOCK]
        unit = np.abs(block).max(axis=1) / np.float32(_HIGHEST)
        # Zeros stay zeros, whatever they are divided by.
        steps = block / np.where(unit > 0.0, unit, np.float32(1.0))[:, None]
        np.rint(steps, out=steps)
        steps += ZERO
        codes[start : start + _BLOCK] = steps
        units[start : start + _BLOCK] = unit
