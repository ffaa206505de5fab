"""Which row a message has, for many messages at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from streetai_core.index.row_table import NONE, SPARE

Integers = npt.NDArray[np.int64]

_FIRST_ROOM = 64
"""Sequences that a new memory has room for; doubled whenever there is a larger one."""


class RowsBySequence:
    """The row of each sequence between the lowest that is known and the highest.

    An app that deletes as much as it adds has few messages, with higher sequences every day: so nothing is kept for
    those before the first one.
    """

    def __init__(self) -> None:
        self._first = 0
        """The sequence that the first number is for."""
        self._rows = np.zeros(0, dtype=np.int64)
        """-1 where there is no message."""

    @property
    def room(self) -> int:
        """For how many sequences there is a number."""
        return len(self._rows)

    def fill(self, sequences: Integers) -> None:
        """Take over those of rows 0, 1, 2 ...; shape (n,), none twice."""
        if not len(sequences):
            self._first, self._rows = 0, np.zeros(0, dtype=np.int64)
            return
        self._first = int(sequences.min())
        span = int(sequences.max()) + 1 - self._first
        self._rows = np.full(span + len(sequences) // SPARE, NONE, dtype=np.int64)
        self._rows[sequences - self._first] = np.arange(len(sequences))

    def find(self, sequences: Integers) -> npt.NDArray[np.intp]:
        """The row of each of these messages, -1 for one that is not there."""
        found = np.full(len(sequences), NONE, dtype=np.intp)
        places = sequences - self._first
        known = (places >= 0) & (places < len(self._rows))
        found[known] = self._rows[places[known]]
        return found

    def put(self, sequence: int, row: int) -> None:
        """A message is in this row now."""
        if not len(self._rows):
            self._first, self._rows = sequence, np.full(_FIRST_ROOM, NONE, dtype=np.int64)
        if sequence < self._first:
            before = np.full(self._first - sequence, NONE, dtype=np.int64)
            self._first, self._rows = sequence, np.concatenate([before, self._rows])
        elif sequence - self._first >= len(self._rows):
            room = max(2 * len(self._rows), sequence - self._first + 1)
            more = np.full(room - len(self._rows), NONE, dtype=np.int64)
            self._rows = np.concatenate([self._rows, more])
        self._rows[sequence - self._first] = row

    def drop(self, sequence: int) -> None:
        """A message that was put is not there any more."""
        self._rows[sequence - self._first] = NONE
