"""The vectors of signals by row: all of them, or, of a memory that came from an image, those that were asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from streetai_core.arrays import RowNumbers
from streetai_core.errors import StoreError
from streetai_core.index.distinct import distinct
from streetai_core.index.growing import with_room
from streetai_core.types import KeptMatrix, KeptVector, Matrix

_FIRST_CAPACITY = 64
"""Rows that a new memory has room for; doubled whenever it is full."""

_SPARE = 8
"""A memory that is loaded gets room for an eighth more, so that the first signals that are added move nothing."""

_UNREAD = -1
"""The place of a row whose vector was not asked for yet."""

Read = Callable[[RowNumbers], KeptMatrix]
"""Gives the stored vectors of some rows, shape (len(rows), dim)."""


class RowVectors:
    """Vectors by row, as halves while all that were put are halves.

    Args:
        dim: numbers of a vector.
    """

    def __init__(self, dim: int) -> None:
        self._dim = dim
        self._count = 0
        self._matrix: KeptMatrix = np.empty((_FIRST_CAPACITY, dim), dtype=np.float32)
        self._place: RowNumbers | None = None
        """Where in the matrix the vector of each row is, with room for more rows; `None`: at its row, all of them."""
        self._taken = 0
        """How many places are in use, where rows have places."""
        self.read: Read | None = None
        """Reads what was not read yet; there while a transaction is."""

    def __len__(self) -> int:
        return self._count

    @property
    def are_halves(self) -> bool:
        """Whether vectors are here in half precision, as they are while all of them are written so."""
        return self._matrix.dtype == np.float16

    @property
    def are_here(self) -> bool:
        """Whether all vectors are in RAM."""
        return self._place is None

    @property
    def whole(self) -> KeptMatrix:
        """All vectors, shape (n, dim). Not to be changed. Those that are not here are read, and stay.

        Raises:
            StoreError: they cannot be read.
        """
        if self._place is not None:
            self.fill(self.kept(np.arange(self._count)))
        return self._matrix[: self._count]

    def of(self, rows: RowNumbers | slice | int) -> Matrix:
        """The vectors of some rows, shape (len(rows), dim), or of one, shape (dim,). Not to be changed.

        Raises:
            StoreError: they are not here and cannot be read.
        """
        if self._place is None:
            return self._matrix[rows].astype(np.float32, copy=False)
        if isinstance(rows, slice):
            rows = np.arange(*rows.indices(self._count))
        if isinstance(rows, np.ndarray):
            return self.kept(rows).astype(np.float32, copy=False)
        one: Matrix = self.of(np.array([rows], dtype=np.intp))[0]
        return one

    def kept(self, rows: RowNumbers) -> KeptMatrix:
        """A copy of the vectors of some rows as they are kept, shape (len(rows), dim).

        Raises:
            StoreError: they are not here and cannot be read.
        """
        if self._place is None:
            return self._matrix[rows]
        unread = rows[self._place[rows] == _UNREAD]
        if len(unread):
            self._read(distinct(unread), self._place)
        return self._matrix[self._place[rows]]

    def put(self, row: int, vector: KeptVector) -> None:
        """Give a row another vector."""
        self._suit([vector])
        at = row
        if self._place is not None:
            at = self._taken
            self._matrix = with_room(self._matrix, at + 1)
            self._place[row] = at
            self._taken += 1
        self._matrix[at] = vector

    def append(self, vectors: Sequence[KeptVector]) -> None:
        """Add rows behind all others."""
        self._suit(vectors)
        first, self._count = self._count, self._count + len(vectors)
        at = slice(first, self._count)
        if self._place is not None:
            self._place = with_room(self._place, self._count)
            at = slice(self._taken, self._taken + len(vectors))
            self._place[first : self._count] = np.arange(at.start, at.stop)
            self._taken = at.stop
        self._matrix = with_room(self._matrix, at.stop)
        self._matrix[at] = np.concatenate(vectors).reshape(len(vectors), self._dim)

    def remove(self, row: int) -> None:
        """Take a row away; the last one gets its place."""
        self._count -= 1
        by_row = self._matrix if self._place is None else self._place
        by_row[row] = by_row[self._count]

    def fill(self, vectors: KeptMatrix) -> None:
        """Be these, shape (n, dim). They are not copied if they are the beginning of an array with room for more."""
        self._count, self._place = len(vectors), None
        whole = vectors.base
        if isinstance(whole, np.ndarray) and _begins(vectors, whole):
            self._matrix = whole
        else:
            self._matrix = np.empty((room_for(self._count), self._dim), dtype=vectors.dtype)
            self._matrix[: self._count] = vectors

    def expect(self, count: int, *, halves: bool) -> None:
        """Be so many vectors that are read when they are asked for."""
        self._count, self._taken = count, 0
        self._place = np.full(room_for(count), _UNREAD, dtype=np.intp)
        self._matrix = np.empty((_FIRST_CAPACITY, self._dim), dtype=np.float16 if halves else np.float32)

    def _read(self, rows: RowNumbers, place: RowNumbers) -> None:
        """Read the vectors of some rows, which have no place yet, and keep them."""
        if self.read is None:
            raise StoreError("vectors that are not in RAM can be read inside a transaction only")
        fresh = self.read(rows)
        self._suit([fresh[0]])
        end = self._taken + len(rows)
        self._matrix = with_room(self._matrix, end)
        self._matrix[self._taken : end] = fresh
        place[rows] = np.arange(self._taken, end)
        self._taken = end

    def _suit(self, vectors: Sequence[KeptVector]) -> None:
        """Be halves if all are, those too that are about to come; singles else."""
        halves = all(vector.dtype == np.float16 for vector in vectors) and (self.are_halves or not self._count)
        if halves != self.are_halves:
            other: KeptMatrix = np.empty(self._matrix.shape, dtype=np.float16 if halves else np.float32)
            # Only what is empty becomes halves, so no number is ever lost.
            used = self._count if self._place is None else self._taken
            other[:used] = self._matrix[:used]
            self._matrix = other


def room_for(count: int) -> int:
    """Rows that a memory of so many has room for when it is loaded."""
    return max(count + count // _SPARE, _FIRST_CAPACITY)


def _begins(vectors: KeptMatrix, whole: npt.NDArray[np.generic]) -> bool:
    """Whether vectors are the beginning of an array as large as it should be, which can be kept in their place."""
    return (
        whole.dtype == vectors.dtype
        and whole.shape == (room_for(len(vectors)), vectors.shape[1])
        and bool(whole.flags.writeable)
        and whole.ctypes.data == vectors.ctypes.data
    )
