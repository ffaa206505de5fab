"""Which messages say what replaces the statement of an earlier one."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from streetai_core.arrays import Integers, RowNumbers
from streetai_core.index.by_number import RowsByNumber
from streetai_core.index.order import oldest_first
from streetai_core.index.row_table import NONE


class Replacements:
    """Which row replaces the statements of which messages, by their sequences; those need not be there."""

    def __init__(self) -> None:
        self._newer = array("q")
        self._older = array("q")
        """What each of the rows replaces; one that replaces several comes several times."""
        self._links: RowNumbers | None = None
        self._missing = False
        """Whether any of what is replaced was not there when the links were made."""
        self._replaced: set[int] | None = None

    def put(self, row: int, sequences: Sequence[int]) -> None:
        """A row came, and replaces these."""
        for sequence in sequences:
            self._newer.append(row)
            self._older.append(sequence)
        # A row that replaces nothing makes a link only if it is one that was missed.
        if sequences or self._missing:
            self._links = None

    def drop(self, row: int) -> None:
        """A row went."""
        if row in self._newer:
            newer, older = self.every
            others = newer != row
            self.fill(newer[others], older[others])
        self._links = None

    def fill(self, newer: Integers, older: Integers) -> None:
        """Be these: rows, and for each the sequence of a message that it replaces; shape (k,)."""
        self._newer, self._older = array("q", newer.tobytes()), array("q", older.tobytes())
        self._links = None

    @property
    def every(self) -> tuple[Integers, Integers]:
        """The rows, and for each the sequence of a message that it replaces, there or not; shape (k,) each."""
        return np.array(self._newer, dtype=np.int64), np.array(self._older, dtype=np.int64)

    def links(self, rows: RowsByNumber, sequence: Integers, day: Integers) -> RowNumbers:
        """Row of the newer message and row of the one that it replaces, where both are there; the oldest newer first.

        Shape (k, 2). Not to be changed.

        Args:
            rows: of the messages that are there, by sequence.
            sequence: of each row, shape (n,).
            day: on which each was said, shape (n,).
        """
        if self._links is None:
            self._replaced = None
            newer, replaced = self.every
            older = rows.find(replaced)
            there = older != NONE
            self._missing = not there.all()
            unsorted = np.column_stack([newer[there].astype(np.intp), older[there]])
            self._links = unsorted[oldest_first(sequence[unsorted[:, 0]], day[unsorted[:, 0]])]
        return self._links

    def replaced(self, rows: RowsByNumber, sequence: Integers, day: Integers) -> set[int]:
        """Sequences of the messages whose statement a later one has replaced; arguments as for `links`."""
        links = self.links(rows, sequence, day)
        if self._replaced is None:
            self._replaced = set(sequence[links[:, 1]].tolist())
        return self._replaced


def connected(one: int, links: Iterable[tuple[int, int]]) -> list[int]:
    """All numbers that links lead to from one, itself included, ascending."""
    # Read through once: a fact that has changed thousands of times has a link for each.
    beside: defaultdict[int, list[int]] = defaultdict(list)
    for newer, older in links:
        beside[newer].append(older)
        beside[older].append(newer)
    found, todo = {one}, [one]
    while todo:
        new = set(beside[todo.pop()]) - found
        found |= new
        todo.extend(new)
    return sorted(found)
