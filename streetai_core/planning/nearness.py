"""How near stored messages are in meaning to one that is written, exactly, of those that are compared with it."""

from __future__ import annotations

import numpy as np

from streetai_core.arrays import RowNumbers
from streetai_core.state import MemoryState
from streetai_core.types import Matrix, Vector

CANDIDATES = 20
"""Messages that are compared, the most similar ones; what is replaced is about the same thing."""

PARTS = 4
"""Chunks of a message whose neighbours are looked at."""

_MOST = PARTS * CANDIDATES
"""Signals that are looked at: as many messages are among them as are compared, even if all have several."""


def nearest_messages(state: MemoryState, vectors: Matrix, rows: RowNumbers, common: float) -> dict[int, float]:
    """The cosine of the nearest signal of each message among some, by sequence, the nearest first.

    Args:
        state: the memory.
        vectors: of the chunks of what is written, at least one, shape (n, dim).
        rows: of the signals that are looked at, ascending.
        common: what all vectors of the encoder have in common.
    """
    if not len(rows):
        return {}
    rows = _promising(state, vectors, rows, common)
    nearness = np.maximum.reduce([state.columns.similarities_of(rows, vector) for vector in vectors])
    return _by_message(state, rows, nearness)


def with_vector(state: MemoryState, messages: RowNumbers) -> RowNumbers:
    """The signals of some rows of messages that have a vector, ascending."""
    signals = state.alignment.signals_of(messages)
    if not state.columns.without_vector:
        return signals
    found: RowNumbers = signals[~np.isin(state.columns.keys[signals], list(state.columns.without_vector))]
    return found


def _promising(state: MemoryState, vectors: Matrix, rows: RowNumbers, common: float) -> RowNumbers:
    """Those of some rows among which are the nearest signals of the messages that are compared, ascending.

    They are among the `_MOST` nearest to any of the vectors.
    """
    if len(rows) <= _MOST:
        return rows
    found = [state.columns.estimates_of(rows, vector) for vector in vectors]
    nearest = np.maximum.reduce([estimates for estimates, _ in found])
    off = 2.0 * max(error for _, error in found)
    near = nearest >= np.partition(nearest, len(nearest) - _MOST)[len(nearest) - _MOST] - off
    rows, nearest = rows[near], nearest[near]
    by_message = list(_by_message(state, rows, nearest).values())
    # Where vectors have something in common, a text without a vector may come before others that are nearer.
    if len(by_message) <= CANDIDATES or common:
        return rows
    promising: RowNumbers = rows[nearest >= by_message[CANDIDATES - 1] - off]
    return promising


def _by_message(state: MemoryState, rows: RowNumbers, nearness: Vector) -> dict[int, float]:
    """How near the nearest signal of each message is, by sequence, the nearest first; of the `_MOST` nearest.

    Of those that tie the newest: it is what holds until now.
    """
    sequences = state.columns.column("sequence")[rows]
    best = np.lexsort((-sequences, -nearness))[:_MOST]
    near: dict[int, float] = {}
    for sequence, one in zip(sequences[best].tolist(), nearness[best].tolist(), strict=True):
        near.setdefault(sequence, one)
    return near
