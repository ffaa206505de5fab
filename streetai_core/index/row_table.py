"""Columns of whole numbers by row that grow as rows are added; rows are never reused, removed ones are masked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from streetai_core.arrays import Flags, Floats, Integers

NONE = -1
"""No row, and what a column has where nothing was put."""

_FIRST_CAPACITY = 64
"""Rows that a new memory has room for; doubled whenever it is full."""

SPARE = 8
"""A memory that is loaded gets room for an eighth more."""

Number = TypeVar("Number", bound=np.generic)


class RowTable:
    """Whole numbers by column and row, and of each row whether it counts and how far it may be believed.

    Args:
        names: of the columns.
    """

    def __init__(self, names: Collection[str]) -> None:
        self.count = 0
        """Rows, those that no longer count included."""
        self._columns = {name: np.full(_FIRST_CAPACITY, NONE, dtype=np.int64) for name in names}
        self._alive = np.zeros(_FIRST_CAPACITY, dtype=np.bool_)
        self._trust = np.ones(_FIRST_CAPACITY)

    @property
    def alive(self) -> Flags:
        """Whether each row counts, shape (n,)."""
        return self._alive[: self.count]

    @property
    def trust(self) -> Floats:
        """How far each row may be believed, 0 to 1, shape (n,)."""
        return self._trust[: self.count]

    def __getitem__(self, name: str) -> Integers:
        """One column, shape (n,); what is put into it stays."""
        return self._columns[name][: self.count]

    def add(self, number: int = 1) -> int:
        """Make room for rows behind all others, and return the first of them; they count from now on."""
        first, self.count = self.count, self.count + number
        while self.count > len(self._alive):
            self._grow(2 * len(self._alive))
        self._alive[first : self.count] = True
        return first

    def put(self, row: int, values: Mapping[str, int], trust: float) -> None:
        """Give a row its values, by column; other columns stay."""
        for name, value in values.items():
            self._columns[name][row] = value
        self._trust[row] = trust

    def fill(self, columns: Mapping[str, Integers], trust: Floats) -> None:
        """Take over all rows of a memory, in a table that has none yet; all of them count.

        Args:
            columns: by name, each of shape (n,).
            trust: shape (n,).
        """
        self.count = count = len(trust)
        capacity = max(count + count // SPARE, _FIRST_CAPACITY)
        self._columns = {name: enlarged(columns[name], capacity) for name in self._columns}
        self._alive = np.zeros(capacity, dtype=np.bool_)
        self._alive[:count] = True
        self._trust = enlarged(trust, capacity)

    def image(self) -> dict[str, npt.NDArray[np.generic]]:
        """All of it, for a table of which every row counts; what `fill` takes, and `trust`."""
        return {**{name: column[: self.count] for name, column in self._columns.items()}, "trust": self.trust}

    def _grow(self, capacity: int) -> None:
        self._alive = enlarged(self._alive, capacity)
        self._trust = enlarged(self._trust, capacity)
        self._columns = {name: enlarged(column, capacity) for name, column in self._columns.items()}


def enlarged(values: npt.NDArray[Number], capacity: int) -> npt.NDArray[Number]:
    """A copy with room for `capacity` rows; the new ones hold "none"."""
    larger: npt.NDArray[Number] = np.full((capacity, *values.shape[1:]), NONE, dtype=values.dtype)
    larger[: len(values)] = values
    return larger
