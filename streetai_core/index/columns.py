"""The signals of one memory as columns: one dense row per signal, exact search over all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from streetai_core.arrays import Integers, RowNumbers
from streetai_core.index import cone
from streetai_core.index.by_number import RowsByNumber
from streetai_core.index.codes import LEAST, Bytes, Codes
from streetai_core.index.row_table import NONE
from streetai_core.index.row_vectors import RowVectors, room_for
from streetai_core.types import KeptMatrix, KeptVector, Matrix, Vector
from streetai_core.vectors import dots

_FIRST_CAPACITY = 64
"""Rows that a new memory has room for; doubled whenever it is full."""

_FEW = 8
"""Signals of which fewer than this part of all are asked for are looked at alone: each takes that much longer."""

_FIXED = ("sequence", "chunk_index", "code", "start", "end", "block_start", "block_end")
_CHANGING = ("last_used_turn", "stack", "uses")

_UNKNOWN = "a weight of a signal that is not there"

Number = TypeVar("Number", bound=np.generic)


class SignalColumns:
    """Vectors, weights and clocks by row, and the row of each signal key.

    Rows have no meaningful order: a removed one is filled by the last.
    """

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self._count = 0
        self._rows = RowsByNumber()
        self._vectors = RowVectors(dim)
        self._base = np.empty(_FIRST_CAPACITY, dtype=np.float64)
        self._integers = {name: np.empty(_FIRST_CAPACITY, dtype=np.int64) for name in ("key", *_FIXED, *_CHANGING)}
        self._narrow: tuple[int, int, bool] = (0, 0, False)
        """By how many moves and signals it was told whether they look narrow, and whether they do."""
        self._codes: Codes | None = None
        """Of all vectors, from the first question on to so many signals that estimates pay; `None`: not made yet."""
        self.without_vector: set[int] = set()
        """Keys of signals whose vector is zero: they could not be embedded yet, or mean nothing. Not to be changed."""
        self.moves = 0
        """How often a signal has left its row or got another place; while it stays, rows were only added."""

    def __len__(self) -> int:
        return self._count

    def __contains__(self, key: int) -> bool:
        return key in self._rows

    @property
    def vectors(self) -> Matrix:
        """Shape (n, dim); of halves it is a copy, so ask for rows where some are enough."""
        return self._vectors.whole.astype(np.float32, copy=False)

    @property
    def are_halves(self) -> bool:
        """Whether vectors are here in half precision, as they are while all of them are written so."""
        return self._vectors.are_halves

    def vectors_of(self, rows: RowNumbers | slice | int) -> Matrix:
        """The vectors of some rows, shape (len(rows), dim), or of one, shape (dim,). Not to be changed."""
        return self._vectors.of(rows)

    def read_by(self, read: Callable[[Integers], KeptMatrix] | None) -> None:
        """How vectors that are not in RAM are read, by their keys; `None`: not, for there is no transaction."""
        self._vectors.read = None if read is None else lambda rows: read(self.keys[rows])

    @property
    def look_narrow(self) -> bool:
        """Whether all vectors are near each other; see `index/cone.py`. Told anew whenever there are twice as many."""
        told_by = 1 << max(0, (self._count - len(self.without_vector)).bit_length() - 1)
        if told_by < cone.LEAST:
            return False
        if self._narrow[:2] != (self.moves, told_by):
            keys = self.keys
            rows = np.flatnonzero(~np.isin(keys, list(self.without_vector)))
            # By key, for the order of rows is another one after a signal was deleted.
            oldest = rows[np.argsort(keys[rows])][:told_by]
            some = oldest[:: max(1, told_by // cone.SAMPLE)]
            self._narrow = self.moves, told_by, cone.looks_narrow(self._about(some))
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
        row = self._rows.row(key)
        return None if row == NONE else row

    def rows(self, keys: Iterable[int]) -> RowNumbers:
        """The rows of those signals that are there."""
        rows = self._rows.find(list(keys))
        found: RowNumbers = rows[rows != NONE]
        return found

    def rows_of(self, keys: Integers) -> RowNumbers:
        """The row of each signal, -1 for one that is not there."""
        return self._rows.find(keys)

    def taken(self, rows: RowNumbers) -> SignalColumns:
        """A copy with these rows only, in their order."""
        copy = SignalColumns(self.dim)
        copy._count = len(rows)
        copy._rows.fill(self.keys[rows])
        capacity = max(len(rows), _FIRST_CAPACITY)
        copy._vectors.fill(self._vectors.kept(rows))
        copy._base = _enlarged(self._base[rows], capacity)
        copy._integers = {name: _enlarged(column[rows], capacity) for name, column in self._integers.items()}
        copy.without_vector = self.without_vector.intersection(copy.keys.tolist())
        return copy

    def put(self, key: int, vector: KeptVector, place: Mapping[str, int]) -> None:
        """Add a signal, or replace its vector and place; its weight is set by `weigh`."""
        row = self._rows.row(key)
        if row == NONE:
            row = self._count
            if row == len(self._base):
                self._grow()
            self._rows.put(key, row)
            self._count += 1
            self._base[row] = 1.0
            self._integers["key"][row] = key
            for name in _CHANGING:
                self._integers[name][row] = 0
            self._vectors.append([vector])
            if self._codes is not None:
                self._codes.append(_singles([vector]))
        else:
            self.moves += 1
            self._vectors.put(row, vector)
            self.without_vector.discard(key)
            if self._codes is not None:
                self._codes.put(row, _singles([vector])[0])
        if not vector.any():
            self.without_vector.add(key)
        for name in _FIXED:
            self._integers[name][row] = place[name]

    def put_all(self, keys: Sequence[int], vectors: Sequence[KeptVector], places: Sequence[Mapping[str, int]]) -> None:
        """Add many signals at once, as `put` does one by one."""
        if len(keys) > 1 and len(set(keys)) == len(keys) and (self._rows.find(keys) == NONE).all():
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
        self._rows.fill(keys)
        capacity = room_for(self._count)
        self._vectors.fill(vectors)
        # Few vectors begin with a zero; to look at all numbers of all takes as long as to check them.
        some = np.flatnonzero(vectors[:, :1] == 0.0)
        self.without_vector = set(keys[some[~vectors[some].any(axis=1)]].tolist())
        self._base = np.ones(capacity, dtype=np.float64)
        given: dict[str, Integers] = {"key": keys, **place}
        zeros = np.zeros(self._count, dtype=np.int64)
        self._integers = {name: _enlarged(given.get(name, zeros), capacity) for name in ("key", *_FIXED, *_CHANGING)}

    def image(self) -> dict[str, npt.NDArray[np.generic]]:
        """All of it but the vectors, of which it has the codes; for so many signals that they have codes."""
        codes = self._coded()
        return {
            **{name: self.column(name) for name in self._integers},
            "base": self.base,
            "bytes": codes.bytes,
            "units": codes.units,
            "halves": np.array([self.are_halves], dtype=np.int64),
            "narrow": np.array(self._narrow[1:], dtype=np.int64),
        }

    def restore(self, image: Mapping[str, npt.NDArray[np.generic]], read_bytes: Callable[[Bytes], None]) -> None:
        """Take over those of an image, in columns that have none yet; their vectors are read when they are asked for.

        Args:
            image: what `image` gave, but for the bytes.
            read_bytes: fills an array of the shape (n, dim) with them.
        """
        keys = image["key"].astype(np.int64)
        self._count = len(keys)
        self._rows.fill(keys)
        self._vectors.expect(self._count, halves=bool(image["halves"][0]))
        capacity = room_for(self._count)
        self._base = _enlarged(image["base"].astype(np.float64), capacity)
        self._integers = {name: _enlarged(image[name].astype(np.int64), capacity) for name in self._integers}
        told_by, is_narrow = image["narrow"].tolist()
        self._narrow = (0, told_by, bool(is_narrow))
        coded = np.empty((room_for(self._count), self.dim), dtype=np.uint8)
        read_bytes(coded[: self._count])
        units = np.empty(len(coded), dtype=np.float32)
        units[: self._count] = image["units"]
        self._codes = Codes(self.dim)
        self._codes.fill(self._count, coded, units)
        self.without_vector = set(keys[image["units"] == 0.0].tolist())

    def _append(self, keys: Sequence[int], vectors: Sequence[KeptVector], places: Sequence[Mapping[str, int]]) -> None:
        """Add signals that are not there."""
        first, self._count = self._count, self._count + len(keys)
        while self._count > len(self._base):
            self._grow()
        rows = slice(first, self._count)
        for row, key in enumerate(keys, first):
            self._rows.put(key, row)
        self._vectors.append(vectors)
        if self._codes is not None:
            self._codes.append(_singles(vectors))
        self.without_vector.update(key for key, vector in zip(keys, vectors, strict=True) if not vector.any())
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
        rows: RowNumbers | slice
        if isinstance(keys, np.ndarray) and np.array_equal(keys, self.keys):
            rows = slice(0, self._count)
        else:
            rows = self._known(keys)
        self._base[rows] = base_weight
        for name, values in changing.items():
            self._integers[name][rows] = values

    def weigh(self, key: int, *, base_weight: float, last_used_turn: int, uses: int, stack: int) -> None:
        """Set the changing part of a signal that is there."""
        row = self._rows.row(key)
        if row == NONE:
            raise KeyError(_UNKNOWN)
        self._base[row] = base_weight
        for name, value in (("last_used_turn", last_used_turn), ("uses", uses), ("stack", stack)):
            self._integers[name][row] = value

    def remove(self, keys: Iterable[int]) -> None:
        """Forget signals; unknown keys are ignored."""
        for key in keys:
            row = self._rows.row(key)
            if row == NONE:
                continue
            self._rows.drop(key)
            self.without_vector.discard(key)
            last = self._count - 1
            self._vectors.remove(row)
            if row != last:
                self._base[row] = self._base[last]
                for column in self._integers.values():
                    column[row] = column[last]
                self._rows.put(int(self._integers["key"][row]), row)
            if self._codes is not None:
                self._codes.remove(row)
            self._count = last
            self.moves += 1

    def similarities(self, vector: Vector) -> Vector:
        """Cosine of every signal with a unit vector, shape (n,)."""
        return dots(self._vectors.whole, vector)

    def similarities_of(self, rows: RowNumbers, vector: Vector) -> Vector:
        """Cosine of the signals in some rows with a unit vector, shape (len(rows),)."""
        return dots(self._vectors.kept(rows), vector)

    def estimates(self, vector: Vector) -> tuple[Vector, float]:
        """About the cosine of every signal with a unit vector, shape (n,), and how far one may be off.

        Of few signals they are the cosines, off by 0.
        """
        if self._count < LEAST:
            return self.similarities(vector), 0.0
        return self._coded().cosines(vector)

    def estimates_of(self, rows: RowNumbers, vector: Vector) -> tuple[Vector, float]:
        """What `estimates` gives, of the signals in some rows alone; shape (len(rows),), and how far one may be off."""
        if _FEW * len(rows) > self._count:
            estimates, off = self.estimates(vector)
            return estimates[rows], off
        if self._count < LEAST:
            return self.similarities_of(rows, vector), 0.0
        return self._coded().cosines_of(rows, vector)

    def _known(self, keys: Sequence[int] | Integers) -> RowNumbers:
        """The rows of signals that are there."""
        rows = self._rows.find(keys)
        if (rows == NONE).any():
            raise KeyError(_UNKNOWN)
        return rows

    def _coded(self) -> Codes:
        """The codes of all vectors."""
        if self._codes is None:
            codes = Codes(self.dim)
            for start in range(0, self._count, LEAST):
                codes.append(self.vectors_of(slice(start, min(start + LEAST, self._count))))
            # Last of all: another thread may ask for them too.
            self._codes = codes
        return self._codes

    def _about(self, rows: RowNumbers) -> Matrix:
        """The vectors of some rows, or what their codes tell of them if they are not in RAM; needs no transaction."""
        return self.vectors_of(rows) if self._vectors.are_here or self._codes is None else self._codes.about(rows)

    def _grow(self) -> None:
        """Double the capacity."""
        capacity = 2 * len(self._base)
        self._base = _enlarged(self._base, capacity)
        self._integers = {name: _enlarged(column, capacity) for name, column in self._integers.items()}


def _singles(vectors: Sequence[KeptVector]) -> Matrix:
    """Vectors of one length in one array, shape (n, dim)."""
    return np.concatenate(vectors).reshape(len(vectors), -1).astype(np.float32, copy=False)


def _enlarged(array: npt.NDArray[Number], capacity: int) -> npt.NDArray[Number]:
    """A copy with room for `capacity` rows."""
    larger: npt.NDArray[Number] = np.empty((capacity, *array.shape[1:]), dtype=array.dtype)
    larger[: len(array)] = array
    return larger
