"""How signals gather in stacks: rules over arrays, without I/O.

A signal joins the stack whose centroid is nearest, if the cosine reaches the threshold; otherwise it starts a stack of
its own. Of stacks that are equally near it joins the oldest, in whatever order they are given. The order of the signals
matters, as it did when they were said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from streetai_core.types import Matrix, Vector
from streetai_core.vectors import unit

_TOLERANCE = 1e-6
"""The threshold is inclusive; float32 rounding must not decide."""

_BLOCK = 256
"""Signals whose cosines to all centroids are taken in one matrix product; bounds its memory."""

_FEW = 4
"""Up to so many signals, a scan for each is faster than the matrix product, which is slow at narrow right sides."""

Comparison = Callable[[Vector, float], Vector]
"""(unit vector, threshold) -> its cosine with the centroid of each stack, shape (m,); one below the threshold may be
any other number below it."""

CentroidRule = Callable[[int], Vector]
"""stack -> the sum, without new signals, whose direction is its centroid; zeros of one that is new."""


@dataclass(slots=True)
class Assignment:
    """Where new signals go."""

    stack_of: list[int] = field(default_factory=list)
    """For each new signal the key of its stack."""
    totals: dict[int, Vector] = field(default_factory=dict)
    """New sums of the stacks that were touched or founded."""
    joined: dict[int, list[int]] = field(default_factory=dict)
    """Stack -> indices of the new signals in it."""


def assign(
    vectors: Matrix,
    *,
    centroids: Matrix,
    compare: Comparison,
    keys: Sequence[int],
    first_new_key: int,
    threshold: float,
    total_of: CentroidRule,
) -> Assignment:
    """Find a stack for each row of `vectors`, shape (n, dim), in order.

    Args:
        vectors: the new signals, unit rows.
        centroids: unit rows of the existing stacks, shape (m, dim); not changed.
        compare: compares one vector with all of these.
        keys: the keys of those m stacks.
        first_new_key: founded stacks get this key and the following ones.
        threshold: cosine from which a signal joins.
        total_of: the rule that tells the sum of a stack to which new signals are added, each of which counts fully.
    """
    plan = Assignment()
    row_of: dict[int, int] = {}
    """Of the stacks that were touched."""
    founded: list[int] = []
    for start in range(0, len(vectors), _BLOCK):
        block = vectors[start : start + _BLOCK]
        known = _Cosines(block, centroids, compare, least=threshold - _TOLERANCE, founded_before=len(founded))
        known.put_all([row_of[key] for key in plan.totals], list(plan.totals.values()))
        for offset in range(known.size):
            nearest = known.nearest(offset, threshold - _TOLERANCE)
            if not nearest:
                nearest = [len(keys) + len(founded)]
                founded.append(first_new_key + len(founded))
            key, row = min((keys[row] if row < len(keys) else founded[row - len(keys)], row) for row in nearest)
            row_of[key] = row
            plan.joined.setdefault(key, []).append(start + offset)
            plan.stack_of.append(key)
            before = plan.totals[key] if key in plan.totals else total_of(key)
            plan.totals[key] = before + vectors[start + offset]
            known.put(row, plan.totals[key], offset + 1)
    return plan


class _Cosines:
    """Cosines of a block of new signals to all stacks, kept right while stacks are touched and founded."""

    def __init__(
        self, block: Matrix, centroids: Matrix, compare: Comparison, *, least: float, founded_before: int
    ) -> None:
        """Compare a block with all stacks, exactly from `least` on, and make room for as many as it has signals."""
        self.size = len(block)
        self._block = block
        self._rows = len(centroids) + founded_before
        self._cosines = np.full((self._rows + self.size, self.size), -np.inf, dtype=np.float32)
        if self.size <= _FEW:
            for offset, vector in enumerate(block):
                self._cosines[: len(centroids), offset] = compare(vector, least)
        else:
            np.matmul(centroids, block.T, out=self._cosines[: len(centroids)])

    def put(self, row: int, total: Vector, first: int) -> None:
        """The sum of stack `row` is now this, for the signals from `first` on."""
        self._rows = max(self._rows, row + 1)
        if first < self.size:
            self._cosines[row, first:] = self._block[first:] @ unit(total)

    def put_all(self, rows: Sequence[int], totals: Sequence[Vector]) -> None:
        """The sums of some stacks are now these."""
        if rows:
            units = np.stack([unit(total) for total in totals])
            self._cosines[list(rows)] = units @ self._block.T

    def nearest(self, offset: int, threshold: float) -> list[int]:
        """The row of the nearest stack if it is near enough, or the rows of several that are equally near."""
        if not self._rows or not self._block[offset].any():
            return []
        column = self._cosines[: self._rows, offset]
        best = column.max()
        return np.flatnonzero(column == best).tolist() if best >= threshold else []
