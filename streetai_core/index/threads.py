"""Who stands beside whom: the messages of each conversation in the order they were said, as a chain of rows."""

from __future__ import annotations

import numpy as np

from streetai_core.index.filling import Neighbours
from streetai_core.index.row_table import NONE, RowTable

CHAINED = ("previous", "following", "around")
"""The columns that are kept here: the rows of the neighbours, and the length of the three."""


class Threads:
    """Chains the rows of a table, whose columns sequence, conversation and length it reads.

    Args:
        table: has the columns of `CHAINED` too.
    """

    def __init__(self, table: RowTable) -> None:
        self._table = table
        self._last_of: dict[int, int] = {}
        self.around = 0
        """The lengths with those of the neighbours, added up over all rows that count."""

    def fill(self, neighbours: Neighbours) -> None:
        """Take over the chains of a memory whose columns the table has already."""
        self._last_of = neighbours.last_of
        self.around = int(neighbours.around.sum())

    def join(self, row: int) -> None:
        """Put a row where its sequence belongs in its conversation: nearly always at the end."""
        sequence, previous, following = (self._table[name] for name in ("sequence", "previous", "following"))
        conversation = int(self._table["conversation"][row])
        before, behind = self._last_of.get(conversation, NONE), NONE
        while before != NONE and sequence[before] > sequence[row]:
            before, behind = int(previous[before]), before
        previous[row], following[row] = before, behind
        if before != NONE:
            following[before] = row
        if behind != NONE:
            previous[behind] = row
        else:
            self._last_of[conversation] = row
        self._measure(before, row, behind)

    def join_ends(self, first: int) -> None:
        """Put the rows from `first` on at the ends of their conversations, in order."""
        rows = np.arange(first, self._table.count)
        before = np.full(len(rows), NONE)
        for number, conversation in enumerate(self._table["conversation"][first:].tolist()):
            before[number] = self._last_of.get(conversation, NONE)
            self._last_of[conversation] = first + number
        previous, following = self._table["previous"], self._table["following"]
        previous[rows], following[rows] = before, NONE
        following[before[before != NONE]] = rows[before != NONE]
        # The last ones of before have got a neighbour too.
        touched = np.concatenate([rows, np.unique(before[(before != NONE) & (before < first)])])
        length, around = self._table["length"], self._table["around"]
        total = length[touched]
        for side in (previous, following):
            beside = side[touched]
            total += np.where(beside == NONE, 0, length[beside])
        self.around += int((total - around[touched]).sum())
        around[touched] = total

    def take_place(self, row: int, old: int) -> None:
        """Put a row where another one of the same message was, which counts no more."""
        previous, following = self._beside(old)
        self._table["previous"][row], self._table["following"][row] = previous, following
        if previous != NONE:
            self._table["following"][previous] = row
        if following != NONE:
            self._table["previous"][following] = row
        conversation = int(self._table["conversation"][row])
        if self._last_of.get(conversation) == old:
            self._last_of[conversation] = row
        self.around -= int(self._table["around"][old])
        self._measure(previous, row, following)

    def leave(self, row: int) -> None:
        """Make the neighbours of a row that counts no more neighbours of each other."""
        previous, following = self._beside(row)
        if previous != NONE:
            self._table["following"][previous] = following
        if following != NONE:
            self._table["previous"][following] = previous
        conversation = int(self._table["conversation"][row])
        if self._last_of.get(conversation) == row:
            self._last_of[conversation] = previous
        self._table["previous"][row] = self._table["following"][row] = NONE
        self.around -= int(self._table["around"][row])
        self._measure(previous, following)

    def _beside(self, row: int) -> tuple[int, int]:
        return int(self._table["previous"][row]), int(self._table["following"][row])

    def _measure(self, *rows: int) -> None:
        """Add up anew the lengths of these rows and their neighbours."""
        length, around = self._table["length"], self._table["around"]
        previous, following = self._table["previous"], self._table["following"]
        for row in rows:
            if row == NONE:
                continue
            beside = (row, int(previous[row]), int(following[row]))
            total = sum(int(length[one]) for one in beside if one != NONE)
            self.around += total - int(around[row])
            around[row] = total
