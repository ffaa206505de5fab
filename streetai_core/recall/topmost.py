"""The best of many values without sorting them."""

from __future__ import annotations

import numpy as np

from streetai_core.arrays import Flags, Floats, RowNumbers

_SAMPLE = 16
"""One value in so many is looked at to guess where the best begin."""

_LEAST = 4_000
"""Fewer values than this are partitioned at once: guessing would save nothing."""

_SPARE = 1.5
"""The guess aims at so many times what is wanted, so that it seldom falls short."""


def topmost(values: Floats, wanted: int, *, within: float = 0.0, allowed: Flags | None = None) -> RowNumbers:
    """The rows of the best values, ascending: the `wanted` best, and all that are no more than `within` below them.

    Args:
        values: finite, shape (n,).
        wanted: how many of the best, from 0.
        within: from 0.
        allowed: which rows count, shape (n,); `None`: all.
    """
    if allowed is None:
        return _topmost(values, wanted, within)
    rows = np.flatnonzero(allowed)
    return rows[_topmost(values[rows], wanted, within)]


def _topmost(values: Floats, wanted: int, within: float) -> RowNumbers:
    if len(values) <= wanted:
        return np.arange(len(values))
    if not wanted:
        return np.zeros(0, dtype=np.intp)
    promising = _promising(values, wanted)
    among = values if promising is None else values[promising]
    last = np.partition(among, len(among) - wanted)[len(among) - wanted]
    best: RowNumbers = np.flatnonzero(values >= last - within)
    return best


def _promising(values: Floats, wanted: int) -> RowNumbers | None:
    """Few rows with all of the `wanted` best values among them; `None` if they cannot be guessed."""
    sample = values[::_SAMPLE]
    aim = int(_SPARE * wanted / _SAMPLE) + 1
    if len(values) < _LEAST or aim >= len(sample):
        return None
    guess = np.partition(sample, len(sample) - aim)[len(sample) - aim]
    rows: RowNumbers = np.flatnonzero(values >= guess)
    return rows if len(rows) >= wanted else None
