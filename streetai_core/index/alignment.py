"""Which signals belong to which row of the word index, kept from question to question."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
Rows = npt.NDArray[np.intp]

_FARTHEST = -1.0
"""The cosine of a message that no signal stands for: none is lower."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near the signals of each message are to a question; arrays of shape (m,) over the rows of messages."""

    nearest: Floats
    """Cosine of the nearest; -1 for a message without signals."""
    several: Rows
    """The messages that have several signals."""
    total: Floats
    """All cosines of each of those added up, shape (len(several),)."""
    signals: Floats
    """How many signals each of those has."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Signals by the message that each is a piece of."""

    at: Rows
    """The row of each signal's message, -1 for none, shape (n,)."""
    messages: int
    """How many rows of messages there are."""
    order: Rows
    """The signals of the messages that have several, those of one message together, by their place in it."""
    starts: Rows
    """Where each of those messages begins in that order."""
    sizes: Rows
    """How many signals each has."""
    standing: Rows
    """A signal of each row of messages, -1 for none, shape (messages,)."""

    @property
    def several(self) -> Rows:
        """The rows of the messages that have several signals."""
        return self.at[self.order[self.starts]]

    @property
    def is_whole(self) -> bool:
        """Whether every signal has a message."""
        return not len(self.at) or int(self.at.min()) >= 0

    def nearness(self, similarity: Floats) -> Nearness:
        """How near the messages are whose signals have these similarities, shape (n,)."""
        # One more than there are rows: -1, which stands for no row, is the last.
        nearest = np.full(self.messages + 1, _FARTHEST)
        nearest[self.at] = np.maximum(similarity, _FARTHEST)
        several, total = self.several, np.zeros(0)
        if len(self.starts):
            of_several = similarity[self.order]
            nearest[several] = np.maximum(np.maximum.reduceat(of_several, self.starts), _FARTHEST)
            total = np.add.reduceat(of_several, self.starts)
        return Nearness(nearest[:-1], several, total, self.sizes.astype(np.float64))

    def followers(self, similarity: Floats) -> Rows:
        """The signals that are not the nearest of their message; of those that tie, the first in it is the nearest."""
        if not len(self.starts):
            return self.order
        of_several = similarity[self.order]
        best = np.flatnonzero(of_several == np.repeat(np.maximum.reduceat(of_several, self.starts), self.sizes))
        group = np.searchsorted(self.starts, best, side="right")
        first = np.ones(len(best), dtype=np.bool_)
        first[1:] = group[1:] != group[:-1]
        following = np.ones(len(self.order), dtype=np.bool_)
        following[best[first]] = False
        return self.order[following]


def aligned(at: Rows, places: Integers, messages: int) -> Alignment:
    """Signals by message.

    Args:
        at: the row of each signal's message, -1 for none, shape (n,).
        places: the place of each signal in its message, shape (n,).
        messages: how many rows of messages there are.
    """
    sizes = np.bincount(at[at >= 0], minlength=messages)
    several = sizes > 1
    crowded = np.flatnonzero(several[at] & (at >= 0)) if messages else np.zeros(0, dtype=np.intp)
    order = crowded[np.lexsort((places[crowded], at[crowded]))]
    # One more than there are rows: -1, which stands for no row, is the last.
    standing = np.full(messages + 1, -1)
    standing[at] = np.arange(len(at))
    starts = np.flatnonzero(np.diff(at[order], prepend=-1))
    return Alignment(at, messages, order, starts, np.diff(starts, append=len(order)), standing[:-1])


def extended(before: Alignment, at: Rows, places: Integers, messages: int) -> Alignment | None:
    """The alignment after signals and messages were added; `None` if the new signals are not of new messages alone.

    Args:
        before: the alignment of the first signals.
        at: the row of each new signal's message.
        places: the place of each in its message.
        messages: how many rows of messages there are now.
    """
    if len(at) and int(at.min()) < before.messages:
        return None
    number = len(before.at)
    if len(set(at.tolist())) == len(at):
        # Nearly all chat messages have one signal, and are added one or two at a time.
        standing = np.full(messages - before.messages, -1)
        standing[at - before.messages] = np.arange(number, number + len(at))
        return replace(
            before,
            at=np.concatenate([before.at, at]),
            messages=messages,
            standing=np.concatenate([before.standing, standing]),
        )
    fresh = aligned(at - before.messages, places, messages - before.messages)
    return Alignment(
        at=np.concatenate([before.at, at]),
        messages=messages,
        order=np.concatenate([before.order, fresh.order + number]),
        starts=np.concatenate([before.starts, fresh.starts + len(before.order)]),
        sizes=np.concatenate([before.sizes, fresh.sizes]),
        standing=np.concatenate([before.standing, np.where(fresh.standing < 0, -1, fresh.standing + number)]),
    )
