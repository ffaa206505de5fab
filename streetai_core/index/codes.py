"""Vectors in eight bits a number, to estimate cosines of many signals in less than half the time that exact ones take.

A scan of many vectors waits for memory, so a quarter of the bytes is what saves time. Each vector has a scale of its
own, so that its largest number is 127 and none is cut off, whatever encoder made it.
"""

from __future__ import annotations

import math
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt

from streetai_core.types import Matrix, Vector

LEAST = 4096
"""Signals from which estimates save time: of fewer, all vectors are in the processor's cache."""

_DEVIATIONS = 6
"""Standard deviations of the error that are allowed for: of a thousand million estimates two are off by more."""

_BLOCK = 1024
"""Vectors that are coded at a time, so that what is made on the way stays in the processor's cache."""

_HIGHEST = 127.0
_ZERO = 128
"""FAISS keeps a whole number from -128 to 127 as a byte from 0 to 255."""
_EVERY = np.finfo(np.float32).min
"""A product that all are above."""
_ONLY = 0
"""The one list of the index."""

Bytes = npt.NDArray[np.uint8]
Rows = npt.NDArray[np.intp]


class Codes:
    """One code for each row of signals, kept in step with them.

    FAISS gives all products of a query only where its index has lists; so there is one list with all of them, and its
    order is that of the rows.

    Args:
        dim: numbers of a vector.
    """

    def __init__(self, dim: int) -> None:
        self._dim = dim
        coarse = faiss.IndexFlatIP(dim)
        coarse.add(np.zeros((1, dim), dtype=np.float32))
        kind = faiss.ScalarQuantizer.QT_8bit_direct_signed
        self._index = faiss.IndexIVFScalarQuantizer(coarse, dim, 1, kind, faiss.METRIC_INNER_PRODUCT, False)
        self._index.is_trained = True
        # faiss' type file knows neither its lists nor what its Python layer adds.
        self._lists: Any = self._index.invlists
        self._units = np.empty(0, dtype=np.float32)
        """What a step of each code is worth, with room for more rows."""

    def __len__(self) -> int:
        """Rows."""
        return int(self._lists.list_size(_ONLY))

    @property
    def bytes(self) -> Bytes:
        """The codes of all rows, shape (n, dim): a view that the next change may invalidate."""
        count = len(self)
        if not count:
            return np.zeros((0, self._dim), dtype=np.uint8)
        # FAISS moves its storage when it grows, so the pointer is taken anew each time.
        rows: Bytes = faiss.rev_swig_ptr(self._lists.get_codes(_ONLY), count * self._dim).reshape(count, self._dim)
        return rows

    @property
    def units(self) -> Vector:
        """What a step of the code of each row is worth, shape (n,)."""
        return self._units[: len(self)]

    def fill(self, units: Vector) -> Bytes:
        """Be as many rows as these, shape (n,), in codes that have none yet.

        Returns:
            Room for their bytes, shape (n, dim).
        """
        self._units = units
        self._resize(len(units))
        return self.bytes

    def append(self, vectors: Matrix) -> None:
        """Add rows behind all others; shape (n, dim)."""
        first, count = len(self), len(self) + len(vectors)
        if count > len(self._units):
            larger = np.empty(2 * count, dtype=np.float32)
            larger[:first] = self._units[:first]
            self._units = larger
        self._resize(count)
        _code(vectors, self.bytes[first:], self._units[first:count])

    def put(self, row: int, vector: Vector) -> None:
        """Give a row another vector."""
        _code(vector[None, :], self.bytes[row : row + 1], self._units[row : row + 1])

    def remove(self, row: int) -> None:
        """Take a row away; the last one gets its place."""
        last = len(self) - 1
        rows = self.bytes
        rows[row] = rows[last]
        self._units[row] = self._units[last]
        self._resize(last)

    def about(self, rows: Rows) -> Matrix:
        """About the vectors of some rows, shape (len(rows), dim)."""
        steps = self.bytes[rows].astype(np.float32) - _ZERO
        near: Matrix = steps * self._units[rows][:, None]
        return near

    def cosines(self, vector: Vector) -> tuple[Vector, float]:
        """Estimates of the cosine of each row with a unit vector, shape (n,), and how far one may be off.

        Each number of a code is off by up to half a step, evenly spread. So a product with a unit vector is off by a
        step over the root of 12, both times, in the middle of all (the variance of an even spread is a twelfth).
        """
        count = len(self)
        if not count:
            return np.zeros(0, dtype=np.float32), 0.0
        code, unit = np.empty((1, self._dim), dtype=np.uint8), np.empty(1, dtype=np.float32)
        _code(vector[None, :], code, unit)
        query = code.astype(np.float32) - _ZERO
        found = faiss.RangeSearchResult(1)
        # Scoped to the calling thread: one thread keeps the order of the rows, and wakes no others.
        faiss.omp_set_num_threads(1)
        self._index.range_search_c(  # type: ignore[attr-defined]  # as above
            1, faiss.swig_ptr(query), float(_EVERY), found
        )
        units = self._units[:count]
        estimates: Vector = faiss.rev_swig_ptr(found.distances, count) * (units * unit[0])
        return estimates, _DEVIATIONS * math.hypot(float(units.max()), float(unit[0])) / math.sqrt(12)

    def _resize(self, count: int) -> None:
        """Have room for so many rows."""
        self._lists.resize(_ONLY, count)
        self._index.ntotal = count


def _code(vectors: Matrix, codes: Bytes, units: Vector) -> None:
    """Write the codes of vectors, shape (n, dim) both, as FAISS keeps them, and what a step of each is worth, (n,)."""
    for start in range(0, len(vectors), _BLOCK):
        block = vectors[start : start + _BLOCK]
        unit = np.abs(block).max(axis=1) / np.float32(_HIGHEST)
        # Zeros stay zeros, whatever they are divided by.
        steps = block / np.where(unit > 0.0, unit, np.float32(1.0))[:, None]
        np.rint(steps, out=steps)
        steps += _ZERO
        codes[start : start + _BLOCK] = steps
        units[start : start + _BLOCK] = unit
