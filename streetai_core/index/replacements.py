"""Which messages say what replaces the statement of an earlier one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from streetai_core.index.bm25 import Integers, Rows


class Replacements:
    """For each row the messages whose statement it replaces, by their sequences; they need not be there."""

    def __init__(self) -> None:
        self._of_row: dict[int, tuple[int, ...]] = {}
        self._links: Rows | None = None
        self._missing = False
        """Whether any of what is replaced was not there when the links were made."""
        self._replaced: set[int] | None = None

    def put(self, row: int, sequences: Sequence[int]) -> None:
        """A row came, and replaces these."""
        if sequences:
            self._of_row[row] = tuple(sequences)
        # A row that replaces nothing makes a link only if it is one that was missed.
        if sequences or self._missing:
            self._links = None

    def drop(self, row: int) -> None:
        """A row went."""
        self._of_row.pop(row, None)
        self._links = None

    def fill(self, of_rows: Sequence[Sequence[int]]) -> None:
        """Take over those of all rows, from the first on."""
        self._of_row = {row: tuple(found) for row, found in enumerate(of_rows) if found}
        self._links = None

    def links(self, row_of: Mapping[int, int], sequence: Integers) -> Rows:
        """Row of the newer message and row of the one that it replaces, where both are there; the oldest newer first.

        Shape (k, 2). Not to be changed.

        Args:
            row_of: sequence -> row, of the messages that are there.
            sequence: of each row, shape (n,).
        """
        if self._links is None:
            self._replaced = None
            links = [
                (newer, row_of[replaced])
                for newer, every in self._of_row.items()
                for replaced in every
                if replaced in row_of
            ]
            self._missing = len(links) < sum(map(len, self._of_row.values()))
            unsorted = np.array(links, dtype=np.intp).reshape(-1, 2)
            self._links = unsorted[np.argsort(sequence[unsorted[:, 0]], kind="stable")]
        return self._links

    def replaced(self, row_of: Mapping[int, int], sequence: Integers) -> set[int]:
        """Sequences of the messages whose statement a later one has replaced; arguments as of `links`."""
        links = self.links(row_of, sequence)
        if self._replaced is None:
            self._replaced = set(sequence[links[:, 1]].tolist())
        return self._replaced


def connected(one: int, links: Sequence[tuple[int, int]]) -> list[int]:
    """All numbers that links lead to from one, itself included, ascending."""
    found, todo = {one}, [one]
    while todo:
        looked_at = todo.pop()
        beside = {other for pair in links if looked_at in pair for other in pair} - found
        found |= beside
        todo.extend(beside)
    return sorted(found)
