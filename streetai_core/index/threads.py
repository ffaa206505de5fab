"""Who stands beside whom: the messages of each conversation in the order they were said, as a chain of rows.

What stands around a message are the messages before and behind it, one of each at least: an answer often leaves out
what the question before it named. Where those say little, as in a chat of a few words a line, they are more.
"""

from __future__ import annotations

import numpy as np

from streetai_core.arrays import Integers, RowNumbers
from streetai_core.index.distinct import distinct
from streetai_core.index.row_table import NONE, RowTable

FARTHEST = 3
"""Messages on each side that stand around one at most. With two, chats of single sentences lose up to a point of
evidence; with four nothing is gained."""

ENOUGH = 40
"""Terms, those of the message included, from which on no more messages count as standing around it. With 25, chats of
short messages lose up to half a point of evidence; with 60 or 90 nothing is gained."""

BEFORE = ("previous", *(f"before_{distance}" for distance in range(2, FARTHEST + 1)))
"""Columns of the rows before each that it stands around, by distance; -1 for none."""

BEHIND = ("following", *(f"behind_{distance}" for distance in range(2, FARTHEST + 1)))
"""Columns of the rows behind each that it stands around, by distance; -1 for none."""

_BESIDE = tuple(zip(BEFORE, BEHIND, strict=True))
"""Both by distance."""

CHAINED = (*BEFORE, *BEHIND, "around")
"""The columns that are kept here; the last is the length of a message with what stands around it."""


class Threads:
    """Chains the rows of a table, whose columns sequence, conversation and length it reads.

    Args:
        table: has the columns of `CHAINED` too.
    """

    def __init__(self, table: RowTable) -> None:
        self._table = table
        self._last_of: dict[int, int] = {}
        self.around = 0
        """The lengths with what stands around, added up over all rows that count."""

    def fill(self, last_of: dict[int, int]) -> None:
        """Take over the chains of a memory, whose rows before and behind each the table has already.

        Args:
            last_of: conversation -> its last row.
        """
        self._last_of = last_of
        self._measure(np.arange(self._table.count))

    def restore(self) -> None:
        """Take over the chains that the table has, with all that is kept here, where every row counts."""
        last = np.flatnonzero(self._table["following"] == NONE)
        self._last_of = dict(zip(self._table["conversation"][last].tolist(), last.tolist(), strict=True))
        self.around = int(self._table["around"].sum())

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
        self._measure_round(row)

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
        # The last ones of before have got neighbours too.
        touched = [rows]
        for _ in range(FARTHEST):
            touched.append(_next(previous, touched[-1]))
        self._measure(distinct(np.concatenate(touched)))

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
        self._measure_round(row)

    def leave(self, row: int) -> None:
        """Make the neighbours of a row that counts no more neighbours of each other."""
        near = self._near(row)
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
        # Near an end some have lost a neighbour at a distance, and nothing else says so.
        for name in (*BEFORE[1:], *BEHIND[1:]):
            self._table[name][near] = NONE
        self._measure(self._nearer(near[near != row]))

    def _beside(self, row: int) -> tuple[int, int]:
        return int(self._table["previous"][row]), int(self._table["following"][row])

    def _near(self, row: int) -> RowNumbers:
        """A row, and those that it stands around or may stand around."""
        return self._nearer(np.array([row]))

    def _nearer(self, rows: RowNumbers) -> RowNumbers:
        """Rows, and those that may stand around any of them; ascending, each once."""
        every = [rows]
        for column in (self._table["previous"], self._table["following"]):
            at = rows
            for _ in range(FARTHEST):
                at = _next(column, at)
                every.append(at)
        return distinct(np.concatenate(every))

    def _measure_round(self, row: int) -> None:
        """Do what `_measure` does with a row and all that may stand around it: of so few, one by one is quicker."""
        before, behind = self._chain("previous", row), self._chain("following", row)
        chain = [*reversed(before), row, *behind]
        lengths = self._table["length"][chain].tolist()
        around, beside = self._table["around"], [(self._table[old], self._table[new]) for old, new in _BESIDE]
        place = len(before)
        for at in range(max(0, place - FARTHEST), min(len(chain), place + FARTHEST + 1)):
            total = lengths[at]
            for distance, (as_before, as_behind) in enumerate(beside, 1):
                wide = total < ENOUGH or distance == 1
                for other, column in ((at - distance, as_behind), (at + distance, as_before)):
                    if not 0 <= other < len(chain):
                        continue
                    if distance > 1:
                        column[chain[other]] = chain[at] if wide else NONE
                    total += lengths[other] if wide else 0
            self.around += total - int(around[chain[at]])
            around[chain[at]] = total

    def _chain(self, column: str, row: int) -> list[int]:
        """The rows that one after the other a column leads to, as far as they count for any that a row may stand by."""
        following = self._table[column]
        found: list[int] = []
        while len(found) < 2 * FARTHEST and (row := int(following[row])) != NONE:
            found.append(row)
        return found

    def _measure(self, rows: RowNumbers) -> None:
        """Find out anew what stands around these rows, which are distinct."""
        length, around = self._table["length"], self._table["around"]
        total = length[rows]
        before = behind = rows
        for distance in range(1, FARTHEST + 1):
            before, behind = _next(self._table["previous"], before), _next(self._table["following"], behind)
            wide = (total < ENOUGH) | (distance == 1)
            for beside, name in ((before, BEHIND[distance - 1]), (behind, BEFORE[distance - 1])):
                there = beside != NONE
                if distance > 1:
                    self._table[name][beside[there]] = np.where(wide, rows, NONE)[there]
                total += np.where(there & wide, length[beside], 0)
        self.around += int((total - around[rows]).sum())
        around[rows] = total


def _next(column: Integers, rows: RowNumbers) -> RowNumbers:
    """What a column of rows has for some rows; -1 for -1."""
    found: RowNumbers = np.where(rows == NONE, NONE, column[rows])
    return found
