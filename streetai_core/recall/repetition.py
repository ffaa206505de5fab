"""Which of many ranked signals say what a better one says."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from streetai_core.arrays import RowNumbers
from streetai_core.index.columns import SignalColumns
from streetai_core.types import Matrix

_BLOCK = 26
"""Signals compared at a time: few enough that no product wakes a thread pool, and that little is done in vain; and one
more than are recalled by default, so that one block is mostly all."""


def without_repetitions(columns: SignalColumns, rows: RowNumbers, threshold: float, most: int) -> RowNumbers:
    """Places among `rows`, which are ranked, of those that no chosen one before them is as near to as `threshold`.

    Args:
        columns: all signals.
        rows: the ranked ones, best first.
        threshold: the cosine from which two say the same.
        most: how many are wanted.
    """
    kept = np.empty((min(most, len(rows)), columns.dim), dtype=np.float32)
    chosen: list[int] = []
    for start in range(0, len(rows), _BLOCK):
        if len(chosen) >= most:
            break
        block = columns.vectors_of(rows[start : start + _BLOCK])
        fresh = np.arange(len(block))
        if chosen:
            fresh = np.flatnonzero(_nearest(kept[: len(chosen)], block) < threshold)
        taken = _unlike(block @ block.T >= threshold, fresh.tolist(), most - len(chosen))
        kept[len(chosen) : len(chosen) + len(taken)] = block[taken]
        chosen += [start + number for number in taken]
    return np.array(chosen, dtype=np.intp)


def _unlike(alike: npt.NDArray[np.bool_], numbers: list[int], most: int) -> list[int]:
    """The first of these numbers, at most so many, that are not like one taken before them."""
    np.fill_diagonal(alike, val=True)
    taken: list[int] = []
    first = alike.argmax(axis=1).tolist()
    for number in numbers:
        if len(taken) == most:
            break
        # Mostly nothing before it is like it; and what is was mostly taken, but need not have been.
        before = first[number]
        if before == number or (before not in taken and not alike[number, taken].any()):
            taken.append(number)
    return taken


def _nearest(kept: Matrix, block: Matrix) -> Matrix:
    """The cosine of each vector of `block` with the nearest of `kept`; -inf without any."""
    nearest = np.full(len(block), -np.inf, dtype=np.float32)
    for start in range(0, len(kept), _BLOCK):
        np.maximum(nearest, (kept[start : start + _BLOCK] @ block.T).max(axis=0), out=nearest)
    return nearest
