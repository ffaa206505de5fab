"""The signals of one memory as columns: one dense row per signal, exact search over all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from streetai_core.index import cone
from streetai_core.index.codes import LEAST, Codes
from streetai_core.types import KeptMatrix, KeptVector, Matrix, Vector
from streetai_core.vectors import dots

_FIRST_CAPACITY = 64
"""Rows that a new memory has room for; doubled whenever it is full."""

_SPARE = 8
"""A memory that is loaded gets room for an eighth more, so that the first signals that are added move nothing."""

_FIXED = ("sequence", "chunk_index", "code", "start", "end", "block_start", "block_end")
_CHANGING = ("last_used_turn", "stack", "uses")

Integers = npt.NDArray[np.int64]
Rows = npt.NDArray[np.intp]
Number = TypeVar("Number", bound=np.generic)


class SignalColumns:
    """Vectors, weights and clocks by row, and the row of each signal key.

    Rows have no meaningful order: a removed one is filled by the last.
    """

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self._count = 0
        self._row_of: dict[int, int] = {}
        self._vectors: KeptMatrix = np.empty((_FIRST_CAPACITY, dim), dtype=np.float32)
        self._base = np.empty(_FIRST_CAPACITY, dtype=np.float64)
        self._integers = {name: np.empty(_FIRST_CAPACITY, dtype=np.int64) for name in ("key", *_FIXED, *_CHANGING)}
        self._narrow: tuple[int, int, bool] = (0, 0, False)
        """By how many moves and signals it was told whether they look narrow, and whether they do."""
        self._codes: Codes | None = None
        """Of all vectors, from the first question on to so many signals that estimates pay; `None`: not made yet."""
        self.moves = 0
        """How often a signal has left its row or got another place; while it stays, rows were only added."""

    def __len__(self) -> int:
        return self._count

    def __contains__(self, key: int) -> bool:
        return key in self._row_of

    @property
    def vectors(self) -> Matrix:
        """Shape (n, dim); of halves it is a copy, so ask for rows where some are enough."""
        return self._vectors[: self._count].astype(np.float32, copy=False)

    @property
    def are_halves(self) -> bool:
        """Whether vectors are here in half precision, as they are while all of them are written so."""
        return self._vectors.dtype == np.float16

    def vectors_of(self, rows: Rows | slice | int) -> Matrix:
        """The vectors of some rows, shape (len(rows), dim), or of one, shape (dim,). Not to be changed."""
        return self._vectors[rows].astype(np.float32, copy=False)

    @property
    def look_narrow(self) -> bool:
        """Whether all signals are near each other; see `index/cone.py`. Told anew whenever there are twice as many."""
        told_by = 1 << max(0, self._count.bit_length() - 1)
        if told_by < cone.LEAST:
            return False
        if self._narrow[:2] != (self.moves, told_by):
            # By key, for the order of rows is another one after a signal was deleted.
            oldest = np.argsort(self.keys)[:told_by]
            some = oldest[:: max(1, told_by // cone.SAMPLE)]
            self._narrow = self.moves, told_by, cone.looks_narrow(self.vectors_of(some))
        return self._narrow[2]

    @property
    def base(self) -> npt.NDArray[np.float64]:
        """Base weights, shape (n,)."""
        return self._base[: self._count]

    @property
    def keys(self) -> Integers:
        """Signal keys, shape (n,)."""
        return self.column("key")

    def column(self, name: str) -> Integers:
        """One whole-number column, shape (n,): key, the place of the signal, or the changing part of it.

        The place is sequence, chunk_index, code (0 or 1), start, end, block_start, block_end; the changing part is
        last_used_turn, stack, uses.
        """
        return self._integers[name][: self._count]

    def row(self, key: int) -> int | None:
        """The row of a signal."""
        return self._row_of.get(key)

    def rows(self, keys: Iterable[int]) -> Rows:
        """The rows of those signals that are there."""
        return np.array([self._row_of[key] for key in keys if key in self._row_of], dtype=np.intp)

    def taken(self, rows: Rows) -> SignalColumns:
        """A copy with these rows only, in their order."""
        copy = SignalColumns(self.dim)
        copy._count = len(rows)
        copy._row_of = {int(key): row for row, key in enumerate(self.keys[rows])}
        capacity = max(len(rows), _FIRST_CAPACITY)
        copy._vectors = _enlarged(self._vectors[rows], capacity)
        copy._base = _enlarged(self._base[rows], capacity)
        copy._integers = {name: _enlarged(column[rows], capacity) for name, column in self._integers.items()}
        return copy

    def put(self, key: int, vector: KeptVector, place: Mapping[str, int]) -> None:
        """Add a signal, or replace its vector and place; its weight is set by `weigh`."""
        self._suit([vector])
        row = self._row_of.get(key)
        if row is None:
            row = self._count
            if row == len(self._base):
                self._grow()
            self._row_of[key] = row
            self._count += 1
            self._base[row] = 1.0
            self._integers["key"][row] = key
            for name in _CHANGING:
                self._integers[name][row] = 0
        else:
            self.moves += 1
        self._vectors[row] = vector
        if self._codes is not None:
            if row == len(self._codes):
                self._codes.append(self.vectors_of(slice(row, row + 1)))
            else:
                self._codes.put(row, self.vectors_of(row))
        for name in _FIXED:
            self._integers[name][row] = place[name]

    def put_all(self, keys: Sequence[int], vectors: Sequence[KeptVector], places: Sequence[Mapping[str, int]]) -> None:
        """Add many signals at once, as `put` does one by one."""
        if self._row_of.keys().isdisjoint(keys) and len(set(keys)) == len(keys) and keys:
            self._append(keys, vectors, places)
            return
        for key, vector, place in zip(keys, vectors, places, strict=True):
            self.put(key, vector, place)

    def fill(self, keys: Integers, vectors: KeptMatrix, place: Mapping[str, Integers]) -> None:
        """Take over all signals of a memory, in columns that has none yet.

        Args:
            keys: distinct, shape (n,).
            vectors: shape (n, dim). Not copied if it has room for as many rows as the other columns get.
            place: each column of the place, shape (n,).
        """
        self._count = len(keys)
        self._row_of = dict(zip(keys.tolist(), range(self._count), strict=True))
        capacity = max(self._count + self._count // _SPARE, _FIRST_CAPACITY)
        self._vectors = _with_room(vectors, capacity)
        self._base = np.ones(capacity, dtype=np.float64)
        given: dict[str, Integers] = {"key": keys, **place}
        zeros = np.zeros(self._count, dtype=np.int64)
        self._integers = {name: _enlarged(given.get(name, zeros), capacity) for name in ("key", *_FIXED, *_CHANGING)}

    def _append(self, keys: Sequence[int], vectors: Sequence[KeptVector], places: Sequence[Mapping[str, int]]) -> None:
        """Add signals that are not there."""
        self._suit(vectors)
        first, self._count = self._count, self._count + len(keys)
        while self._count > len(self._base):
            self._grow()
        rows = slice(first, self._count)
        self._row_of.update(zip(keys, range(first, self._count), strict=True))
        self._vectors[rows] = np.concatenate(vectors).reshape(len(keys), self.dim)
        if self._codes is not None:
            self._codes.append(self.vectors_of(rows))
        self._base[rows] = 1.0
        self._integers["key"][rows] = keys
        for name in _CHANGING:
            self._integers[name][rows] = 0
        for name in _FIXED:
            self._integers[name][rows] = [place[name] for place in places]

    def weigh_all(
        self,
        keys: Sequence[int] | Integers,
        base_weight: Sequence[float] | npt.NDArray[np.float64],
        changing: Mapping[str, Sequence[int] | Integers],
    ) -> None:
        """Set the changing part of many signals that are there: `last_used_turn`, `uses` and `stack`."""
        rows: Rows | slice
        if isinstance(keys, np.ndarray) and np.array_equal(keys, self.keys):
            rows = slice(0, self._count)
        else:
            rows = np.array([self._row_of[int(key)] for key in keys], dtype=np.intp)
        self._base[rows] = base_weight
        for name, values in changing.items():
            self._integers[name][rows] = values

    def weigh(self, key: int, *, base_weight: float, last_used_turn: int, uses: int, stack: int) -> None:
        """Set the changing part of a signal that is there."""
        row = self._row_of[key]
        self._base[row] = base_weight
        for name, value in (("last_used_turn", last_used_turn), ("uses", uses), ("stack", stack)):
            self._integers[name][row] = value

    def remove(self, keys: Iterable[int]) -> None:
        """Forget signals; unknown keys are ignored."""
        for key in keys:
            row = self._row_of.pop(key, None)
            if row is None:
                continue
            last = self._count - 1
            if row != last:
                self._vectors[row] = self._vectors[last]
                self._base[row] = self._base[last]
                for column in self._integers.values():
                    column[row] = column[last]
                self._row_of[int(self._integers["key"][row])] = row
            if self._codes is not None:
                self._codes.remove(row)
            self._count = last
            self.moves += 1

    def similarities(self, vector: Vector) -> Vector:
        """Cosine of every signal with a unit vector, shape (n,)."""
        return dots(self._vectors[: self._count], vector)

    def similarities_of(self, rows: Rows, vector: Vector) -> Vector:
        """Cosine of the signals in some rows with a unit vector, shape (len(rows),)."""
        return dots(self._vectors[rows], vector)

    def estimates(self, vector: Vector) -> tuple[Vector, float]:
        """About the cosine of every signal with a unit vector, shape (n,), and how far one may be off.

        Of few signals they are the cosines, off by 0.
        """
        if self._count < LEAST:
            return self.similarities(vector), 0.0
        if self._codes is None:
            codes = Codes(self.dim)
            for start in range(0, self._count, LEAST):
                codes.append(self.vectors_of(slice(start, min(start + LEAST, self._count))))
            # Last of all: another thread may ask for them too.
            self._codes = codes
        return self._codes.cosines(vector)

    def _suit(self, vectors: Sequence[KeptVector]) -> None:
        """Be halves if all signals are, those too that are about to come; singles else."""
        halves = all(vector.dtype == np.float16 for vector in vectors) and (self.are_halves or not self._count)
        if halves != self.are_halves:
            other: KeptMatrix = np.empty(self._vectors.shape, dtype=np.float16 if halves else np.float32)
            # Only what is empty becomes halves, so no number is ever lost.
            other[: self._count] = self._vectors[: self._count]
            self._vectors = other

    def _grow(self) -> None:
        """Double the capacity."""
        capacity = 2 * len(self._base)
        self._vectors = _enlarged(self._vectors, capacity)
        self._base = _enlarged(self._base, capacity)
        self._integers = {name: _enlarged(column, capacity) for name, column in self._integers.items()}


def _with_room(vectors: KeptMatrix, capacity: int) -> KeptMatrix:
    """The vectors with room for `capacity` rows: the array that they are the beginning of, or else a copy."""
    whole = vectors.base
    if (
        isinstance(whole, np.ndarray)
        and whole.dtype == vectors.dtype
        and whole.shape == (capacity, vectors.shape[1])
        and whole.flags.writeable
        and whole.ctypes.data == vectors.ctypes.data
    ):
        return whole
    return _enlarged(vectors, capacity)


def _enlarged(array: npt.NDArray[Number], capacity: int) -> npt.NDArray[Number]:
    """A copy with room for `capacity` rows."""
    larger: npt.NDArray[Number] = np.empty((capacity, *array.shape[1:]), dtype=array.dtype)
    larger[: len(array)] = array
    return larger
