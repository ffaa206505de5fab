"""Which signals belong to which row of the word index, kept from question to question."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from streetai_core.arrays import Floats, Integers, RowNumbers
from streetai_core.index.growing import Growing

_FARTHEST = -1.0
"""The cosine of a message that no signal stands for: none is lower."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near the signals of each message are to a question; arrays of shape (m,) over the rows of messages."""

    nearest: Floats
    """Cosine of the nearest; -1 for a message without signals."""
    leaders: RowNumbers
    """Which signal that is, -1 for none; of those that tie, the first in the message."""
    several: RowNumbers
    """The messages that have several signals."""
    total: Floats
    """All cosines of each of those added up, shape (len(several),)."""
    signals: Floats
    """How many signals each of those has."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Signals by the message that each is a piece of."""

    at: RowNumbers
    """The row of each signal's message, -1 for none, shape (n,)."""
    messages: int
    """How many rows of messages there are."""
    order: RowNumbers
    """The signals of the messages that have several, those of one message together, by their place in it."""
    starts: RowNumbers
    """Where each of those messages begins in that order."""
    sizes: RowNumbers
    """How many signals each has."""
    several: RowNumbers
    """The row of each of those messages."""
    standing: RowNumbers
    """A signal of each row of messages, -1 for none, shape (messages,)."""
    silent: RowNumbers
    """The rows of messages without signals."""
    is_whole: bool
    """Whether every signal has a message."""
    growing: tuple[Growing[np.intp], Growing[np.intp]] | None = None
    """What is behind `at` and `standing` in memory; both get longer with nearly every message."""

    def nearness(self, similarity: Floats) -> Nearness:
        """How near the messages are whose signals have these similarities, shape (n,)."""
        of_several = similarity.take(self.order)
        leaders = self._leaders(of_several)
        nearest = similarity.take(leaders) if len(similarity) else np.empty(self.messages)
        nearest[self.silent] = _FARTHEST
        np.maximum(nearest, _FARTHEST, out=nearest)
        total = np.add.reduceat(of_several, self.starts) if len(self.starts) else np.zeros(0)
        return Nearness(nearest, leaders, self.several, total, self.sizes.astype(np.float64))

    def signals_of(self, messages: RowNumbers) -> RowNumbers:
        """The signals of some rows of messages, ascending.

        Args:
            messages: distinct.
        """
        place = self.several.searchsorted(messages)
        crowded = self.several.take(place, mode="clip") == messages if len(self.several) else place < 0
        alone = self.standing[messages[~crowded]]
        sizes = self.sizes[place[crowded]]
        begins = self.starts[place[crowded]] - np.cumsum(sizes) + sizes
        of_several = self.order[np.arange(sizes.sum()) + np.repeat(begins, sizes)]
        return np.sort(np.concatenate([alone[alone >= 0], of_several]))

    def pieces_of(self, message: int) -> RowNumbers:
        """The signals of the row of a message that has several, by their place in it."""
        place = int(self.several.searchsorted(message))
        start = int(self.starts[place])
        return self.order[start : start + int(self.sizes[place])]

    def leaders(self, similarity: Floats) -> RowNumbers:
        """The nearest signal of each row of messages, -1 for none; of those that tie, the first in the message.

        Shape (messages,). Not to be changed.
        """
        return self._leaders(similarity.take(self.order))

    def lent(self, values: Floats) -> Floats:
        """To each signal what its message has, shape (n,); 0 to a signal without one.

        Args:
            values: of each row of messages.
        """
        if self.is_whole:
            return values.take(self.at)
        # One more than there are rows: -1, which stands for no row, is the last.
        padded = np.empty(self.messages + 1)
        padded[:-1] = values
        padded[-1] = 0.0
        return padded.take(self.at)

    def _leaders(self, of_several: Floats) -> RowNumbers:
        """The nearest signal of each row of messages, as `leaders` gives it.

        Args:
            of_several: similarities of the signals in `order`, in that order.
        """
        if not len(self.starts):
            return self.standing
        best = np.flatnonzero(of_several == np.repeat(np.maximum.reduceat(of_several, self.starts), self.sizes))
        if len(best) > len(self.starts):
            # Some tie.
            group = np.searchsorted(self.starts, best, side="right")
            best = best[np.diff(group, prepend=0) > 0]
        leaders: RowNumbers = self.standing.copy()
        leaders[self.several] = self.order[best]
        return leaders


def aligned(at: RowNumbers, places: Integers, messages: int) -> Alignment:
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
    return Alignment(
        at=at,
        messages=messages,
        order=order,
        starts=starts,
        sizes=np.diff(starts, append=len(order)),
        several=at[order[starts]],
        standing=standing[:-1],
        silent=np.flatnonzero(standing[:-1] < 0),
        is_whole=int(at.min(initial=0)) >= 0,
    )


def extended(before: Alignment, at: RowNumbers, places: Integers, messages: int) -> Alignment | None:
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
    growing = before.growing or (Growing(), Growing())
    if len(set(at.tolist())) == len(at):
        # Nearly all chat messages have one signal, and are added one or two at a time.
        standing = np.full(messages - before.messages, -1)
        standing[at - before.messages] = np.arange(number, number + len(at))
        order, starts, sizes, several = before.order, before.starts, before.sizes, before.several
        silent = (standing < 0).nonzero()[0]
    else:
        fresh = aligned(at - before.messages, places, messages - before.messages)
        standing = np.where(fresh.standing < 0, -1, fresh.standing + number)
        order = np.concatenate([before.order, fresh.order + number])
        starts = np.concatenate([before.starts, fresh.starts + len(before.order)])
        sizes = np.concatenate([before.sizes, fresh.sizes])
        several = np.concatenate([before.several, fresh.several + before.messages])
        silent = fresh.silent
    return Alignment(
        at=growing[0].extended(before.at, at),
        messages=messages,
        order=order,
        starts=starts,
        sizes=sizes,
        several=several,
        standing=growing[1].extended(before.standing, standing),
        silent=np.concatenate([before.silent, silent + before.messages]) if len(silent) else before.silent,
        # All new ones have one.
        is_whole=before.is_whole,
        growing=growing,
    )
