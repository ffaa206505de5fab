"""Rows by the group that each is in, for passes over all groups at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Groups:
    """n rows in m groups, each of which has at least one."""

    of: Integers
    """The group of each row, shape (n,)."""
    order: Rows | None
    """The rows, those of one group together, shape (n,); `None`: they are in that order already."""
    starts: Rows
    """Where each group begins in that order, shape (m,)."""
    sizes: Rows
    """Rows of each group, shape (m,)."""

    def best_mean(self, values: Floats, best_of: int) -> Floats:
        """The mean of the best distinct values of each group, shape (m,); -inf for a group without any.

        Args:
            values: of each row, shape (n,); -inf for none. Not changed.
            best_of: how many of the best values count; those that are equal count once.
        """
        rest = values.copy() if self.order is None else values[self.order]
        total, count = np.zeros(len(self.starts)), np.zeros(len(self.starts))
        for number in range(best_of):
            best = np.maximum.reduceat(rest, self.starts) if len(self.starts) else total.copy()
            there = best > -np.inf
            total[there] += best[there]
            count += there
            if number < best_of - 1:
                rest[rest == np.repeat(best, self.sizes)] = -np.inf
        mean: Floats = np.divide(total, count, out=np.full(len(total), -np.inf), where=count > 0)
        return mean


def grouped(of: Integers, number: int) -> Groups:
    """Rows by group.

    Args:
        of: the group of each row, from 0; none is empty. Copied.
        number: how many groups there are.
    """
    of = of.copy()
    in_order = bool((of[1:] >= of[:-1]).all())
    sizes = np.bincount(of, minlength=number)
    order = None if in_order else np.argsort(of, kind="stable")
    starts = np.cumsum(sizes) - sizes
    return Groups(of, order, starts.astype(np.intp), sizes.astype(np.intp))
