"""Stretches of talk: messages of one conversation that follow each other, and are mostly about one thing.

A conversation may be an evening or a year: an app that names none has a single one. So the company of a message is the
stretch that it stands in. Talk begins anew with a conversation, and with a new day unless hardly anything was said on
the days before. From there it is cut into halves of ten messages; two halves that follow each other are a stretch, so
that most messages are in two, and what is said around a cut is in one piece somewhere.

Where the cuts are depends on the messages that are there and on nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from streetai_core.arrays import Floats, Integers, RowNumbers

Singles = npt.NDArray[np.float32]

HALF = 10
"""Messages of half a stretch, and the least after which a new day begins another one. With 8 or 12 no figure of chats
without sessions is more than a point lower."""

_NONE = -1
"""No row, and no half."""

_END = 4
"""Numbers of an image that say where a conversation ends: which it is, and what `_End` has."""

_LOWEST = np.float32(-np.inf)
"""Below every value."""

_FIRST_CAPACITY = 16
"""Halves that there is room for at first; doubled whenever it is full."""


@dataclass(slots=True)
class _End:
    """Where a conversation ends."""

    talk: int
    """Messages since talk began anew."""
    day: int
    half: int


class Stretches:
    """Rows of messages by half. Rows are only added; when one goes, cut anew."""

    def __init__(self) -> None:
        self._rows = 0
        self._halves = 0
        self._largest = 1
        self._latest = _NONE
        self._of = np.zeros(0, dtype=np.intp)
        # By place in the half first: so the best of all halves are found by comparing whole rows of numbers.
        self._members = np.full((HALF, _FIRST_CAPACITY), _NONE, dtype=np.intp)
        self._next = np.full(_FIRST_CAPACITY, _NONE, dtype=np.intp)
        self._ends: dict[int, _End] = {}

    def __len__(self) -> int:
        """Halves."""
        return self._halves

    def fill(self, rows: RowNumbers, *, sequence: Integers, conversation: Integers, day: Integers) -> None:
        """Take over all messages of a memory, where there is none yet.

        Args:
            rows: of the messages that are there, shape (k,).
            sequence: of each row, shape (n,).
            conversation: shape (n,).
            day: shape (n,).
        """
        self._rows = len(sequence)
        self._of = np.full(self._rows, _NONE, dtype=np.intp)
        if not len(rows):
            return
        rows = rows[np.lexsort((sequence[rows], conversation[rows]))]
        spoken, days = conversation[rows], day[rows]
        begins = _begins(spoken, days)
        talk = np.repeat(np.arange(len(begins)), np.diff(begins, append=len(rows)))
        place = np.arange(len(rows)) - begins[talk]
        half = np.cumsum(place % HALF == 0) - 1
        self._halves = int(half[-1]) + 1
        self._largest = int((place % HALF).max()) + 1
        self._of[rows] = half
        self._members = np.full((HALF, self._halves), _NONE, dtype=np.intp)
        self._members[place % HALF, half] = rows
        self._next = np.full(self._halves, _NONE, dtype=np.intp)
        goes_on = np.flatnonzero((place % HALF == 0) & (place > 0))
        self._next[half[goes_on] - 1] = half[goes_on]
        self._latest = int(sequence[rows].max())
        last = np.flatnonzero(np.diff(spoken, append=_NONE))
        ends = zip(*(column[last].tolist() for column in (spoken, place + 1, days, half)), strict=True)
        self._ends = {number: _End(*end) for number, *end in ends}

    def add(self, row: int, *, sequence: int, conversation: int, day: int) -> bool:
        """Add the row behind all others.

        Args:
            row: one more than the last one, or 0.
            sequence: of its message.
            conversation: the number of its conversation.
            day: on which it was said.

        Returns:
            Whether it was added. Only the latest message can be: if it is not, nothing has changed.
        """
        if sequence <= self._latest:
            return False
        end = self._ends.get(conversation)
        if end is None or (day != end.day and end.talk >= HALF):
            end = self._ends[conversation] = _End(0, day, _NONE)
        place = end.talk % HALF
        if not place:
            before, end.half = end.half, self._new_half()
            if before != _NONE:
                self._next[before] = end.half
        self._members[place, end.half] = row
        self._largest = max(self._largest, place + 1)
        self._put(row, end.half)
        end.talk += 1
        end.day = day
        self._latest = sequence
        return True

    def image(self) -> dict[str, npt.NDArray[np.generic]]:
        """All of it."""
        ends = [(number, end.talk, end.day, end.half) for number, end in self._ends.items()]
        return {
            "of": self._of[: self._rows],
            "members": self._members[:, : self._halves],
            "next": self._next[: self._halves],
            "ends": np.array(ends, dtype=np.int64).reshape(-1, _END),
            "largest": np.array([self._largest, self._latest]),
        }

    def restore(self, image: Mapping[str, npt.NDArray[np.generic]]) -> None:
        """Take over those of an image, where there is none yet."""
        self._of, self._next = image["of"].astype(np.intp), image["next"].astype(np.intp)
        self._rows, self._halves = len(self._of), len(self._next)
        self._members = image["members"].astype(np.intp).reshape(HALF, self._halves)
        self._largest, self._latest = image["largest"].tolist()
        ends = image["ends"].astype(np.int64).reshape(-1, _END).tolist()
        self._ends = {number: _End(*end) for number, *end in ends}

    def best_mean(self, values: Floats, best_of: int) -> Singles:
        """The mean of the best distinct values in the best stretch that each half is part of, shape (h,).

        Args:
            values: of each row, finite, shape (n,); compared in single precision, which is twice as fast.
            best_of: how many of the best values of a stretch count; those that are equal count once.
        """
        # One more than there are rows: -1, which stands for no row, is the last.
        singles = np.empty(len(values) + 1, dtype=np.float32)
        singles[:-1] = values
        singles[_NONE] = -np.inf
        # An app with short conversations has many halves of a few messages.
        best = _best(singles.take(self._members[: self._largest, : self._halves]), best_of)
        following = self._next[: self._halves]
        first = (following != _NONE).nonzero()[0]
        second = following.take(first)
        mean = np.full(self._halves, -np.inf, dtype=np.float32)
        ending = _mean(_united([one.take(first) for one in best], [one.take(second) for one in best], best_of))
        mean[first] = ending
        mean[second] = np.maximum(mean.take(second), ending)
        alone = (mean == -np.inf).nonzero()[0]
        if len(alone):
            mean[alone] = _mean([one.take(alone) for one in best])
        return mean

    def spread(self, values: Singles) -> Singles:
        """To each row what its half has, shape (n,); 0 to a row whose message is not there.

        Args:
            values: of each half, shape (h,).
        """
        # One more than there are halves, as above.
        padded = np.zeros(len(values) + 1, dtype=np.float32)
        padded[:-1] = values
        return padded.take(self._of[: self._rows])

    def _new_half(self) -> int:
        """Number of one more half."""
        if self._halves == len(self._next):
            self._members = np.concatenate([self._members, np.full_like(self._members, _NONE)], axis=1)
            self._next = np.concatenate([self._next, np.full_like(self._next, _NONE)])
        self._halves += 1
        return self._halves - 1

    def _put(self, row: int, half: int) -> None:
        """Note the half of a new row."""
        if row >= len(self._of):
            self._of = np.concatenate([self._of, np.full(max(row + 1, _FIRST_CAPACITY), _NONE, dtype=np.intp)])
        self._of[row] = half
        self._rows = row + 1


def _begins(conversation: Integers, day: Integers) -> RowNumbers:
    """Where talk begins anew in messages that are sorted by conversation and sequence, shape (t,)."""
    other = np.diff(conversation, prepend=_NONE) != 0
    changes = np.flatnonzero(other | (np.diff(day, prepend=day[:1]) != 0))
    begins: list[int] = []
    for at, is_other in zip(changes.tolist(), other[changes].tolist(), strict=True):
        if is_other or at - begins[-1] >= HALF:
            begins.append(at)
    return np.array(begins, dtype=np.intp)


def _best(values: Singles, best_of: int) -> list[Singles]:
    """The best distinct values of each column, best first, of shape (m,) each; -inf where there are no more.

    Args:
        values: shape (k, m), -inf for none. They are overwritten.
        best_of: how many.
    """
    # Rows meet in pairs, winners in pairs of pairs: two thirds of the comparisons that row after row would take.
    best, spare = [values], None
    while len(best[0]) > 1:
        half = len(best[0]) // 2
        if len(best[0]) % 2:
            odd = [one[2 * half :] for one in best]
            spare = odd if spare is None else _united(spare, odd, best_of)
        best = _united([one[:half] for one in best], [one[half : 2 * half] for one in best], best_of)
    best = best if spare is None else _united(best, spare, best_of)
    return [one[0] for one in best]


def _united(best: list[Singles], others: list[Singles], best_of: int) -> list[Singles]:
    """The best distinct values of both, each best first; those of `best` are overwritten."""
    best = list(best)
    for number, handed in enumerate(others):
        # It is not above the others that came before it, so it is handed down from its own place.
        for place in best[number : best_of - 1]:
            same = place == handed
            lower = np.minimum(place, handed)
            np.maximum(place, handed, out=place)
            # What is there already counts once.
            lower[same] = _LOWEST
            handed = lower  # noqa: PLW2901 - what is left of it
        if len(best) < best_of:
            best.append(handed)
        else:
            np.maximum(best[-1], handed, out=best[-1])
    return best


def _mean(best: list[Singles]) -> Singles:
    """The mean of the values that are there, at least the first; shape (m,)."""
    total, number = best[0].copy(), np.ones_like(best[0])
    for one in best[1:]:
        there = one > _LOWEST
        np.add(total, one, out=total, where=there)
        number += there
    mean: Singles = total / number
    return mean
