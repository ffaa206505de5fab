"""Who speaks in which conversation: whether it is mostly between two, or a crowd.

Two who talk tell of themselves: a question about one of them is mostly answered by that one's own messages. In a crowd,
and where somebody is not there, people speak of each other.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]

TWO = 2.5
"""Speakers up to which talk is between two, where each counts by the share of what is said: `1 / sum(share ** 2)`, the
inverse of Simpson's index. Two who say equally much are 2, and 2.4 with a third who says a tenth of it."""


class Voices:
    """Messages by conversation and author, both by number; -1 is an author without a name.

    Args:
        conversation: of each message, shape (n,).
        author: of each, shape (n,).
    """

    def __init__(self, conversation: Integers, author: Integers) -> None:
        # Numbers of authors begin at -1.
        every = int(author.max(initial=0)) + 2
        pairs, counts = _counted(conversation * every + author + 1)
        # Conversation, ascending, and author: how many messages, at first, and since then.
        self._where, self._who, self._said = pairs // every, pairs % every - 1, counts
        self._since: dict[tuple[int, int], int] = {}
        # By conversation: its messages, and the squares of those of each of its speakers, added up.
        self._all = np.bincount(self._where, weights=counts)
        self._squares = np.bincount(self._where, weights=counts**2)

    def add(self, conversation: int, author: int) -> None:
        """Count one message."""
        since = self._since.get((conversation, author), 0)
        here = slice(*self._where.searchsorted([conversation, conversation + 1]))
        before = since + int(self._said[here][self._who[here] == author].sum())
        self._since[conversation, author] = since + 1
        if conversation >= len(self._all):
            more = np.zeros(conversation + 1)
            self._all, self._squares = np.append(self._all, more), np.append(self._squares, more)
        self._all[conversation] += 1
        self._squares[conversation] += 2 * before + 1

    def between_two(self, author: int, conversations: int) -> Flags:
        """Which conversations this author takes part in that are mostly between two; by number.

        Args:
            author: by number.
            conversations: how many there are.
        """
        since = [conversation for conversation, speaker in self._since if speaker == author]
        there = np.concatenate([self._where[self._who == author], np.array(since, dtype=np.int64)])
        found = np.zeros(conversations, dtype=np.bool_)
        found[there] = self._all[there] ** 2 <= TWO * self._squares[there]
        return found


def _counted(numbers: Integers) -> tuple[Integers, Integers]:
    """Whole numbers, ascending, each once, and how often each came."""
    ordered = np.sort(numbers)
    first = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    return ordered[first], np.diff(first, append=len(ordered))
