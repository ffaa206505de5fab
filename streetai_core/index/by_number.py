"""Which row a message or a signal has, by its number, for many at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from streetai_core.arrays import Integers
from streetai_core.index.row_table import NONE, SPARE

_FIRST_ROOM = 64
"""Numbers that a new memory has room for; doubled whenever there is a larger one."""


class RowsByNumber:
    """The row of each number between the lowest that is known and the highest.

    An app that deletes as much as it adds has few messages, with higher numbers every day: so nothing is kept for
    those before the first one.
    """

    def __init__(self) -> None:
        self._first = 0
        """The number that the first row is for."""
        self._rows = np.zeros(0, dtype=np.int64)
        """-1 where there is none."""
        self._count = 0

    def __len__(self) -> int:
        """Numbers that have a row."""
        return self._count

    def __contains__(self, number: int) -> bool:
        return self.row(number) != NONE

    @property
    def room(self) -> int:
        """For how many numbers there is a row."""
        return len(self._rows)

    def fill(self, numbers: Integers) -> None:
        """Take over those of rows 0, 1, 2 ...; shape (n,), none twice."""
        self._count = len(numbers)
        if not len(numbers):
            self._first, self._rows = 0, np.zeros(0, dtype=np.int64)
            return
        self._first = int(numbers.min())
        span = int(numbers.max()) + 1 - self._first
        self._rows = np.full(span + len(numbers) // SPARE, NONE, dtype=np.int64)
        self._rows[numbers - self._first] = np.arange(len(numbers))

    def row(self, number: int) -> int:
        """The row of a number, -1 for one that is not there."""
        place = number - self._first
        return int(self._rows[place]) if 0 <= place < len(self._rows) else NONE

    def find(self, numbers: Integers | Sequence[int]) -> npt.NDArray[np.intp]:
        """The row of each of these numbers, -1 for one that is not there."""
        found = np.full(len(numbers), NONE, dtype=np.intp)
        places = np.asarray(numbers, dtype=np.int64) - self._first
        known = (places >= 0) & (places < len(self._rows))
        found[known] = self._rows[places[known]]
        return found

    def put(self, number: int, row: int) -> None:
        """A number is in this row now."""
        if not len(self._rows):
            self._first, self._rows = number, np.full(_FIRST_ROOM, NONE, dtype=np.int64)
        if number < self._first:
            before = np.full(self._first - number, NONE, dtype=np.int64)
            self._first, self._rows = number, np.concatenate([before, self._rows])
        elif number - self._first >= len(self._rows):
            room = max(2 * len(self._rows), number - self._first + 1)
            more = np.full(room - len(self._rows), NONE, dtype=np.int64)
            self._rows = np.concatenate([self._rows, more])
        self._count += int(self._rows[number - self._first] == NONE)
        self._rows[number - self._first] = row

    def drop(self, number: int) -> None:
        """A number that was put is not there any more."""
        self._rows[number - self._first] = NONE
        self._count -= 1
