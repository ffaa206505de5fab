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
        pairs, counts = np.unique(conversation * every + author + 1, return_counts=True)
        at, who = pairs // every, pairs % every - 1
        self._said = dict(zip(zip(at.tolist(), who.tolist(), strict=True), counts.tolist(), strict=True))
        self._where: dict[int, list[int]] = {}
        for one, speaker in self._said:
            self._where.setdefault(speaker, []).append(one)
        # By conversation: its messages, and the squares of those of each of its speakers, added up.
        self._all = np.bincount(at, weights=counts)
        self._squares = np.bincount(at, weights=counts**2)

    def add(self, conversation: int, author: int) -> None:
        """Count one message."""
        before = self._said.get((conversation, author), 0)
        self._said[conversation, author] = before + 1
        if not before:
            self._where.setdefault(author, []).append(conversation)
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
        there = np.array(self._where.get(author, ()), dtype=np.intp)
        found = np.zeros(conversations, dtype=np.bool_)
        found[there] = self._all[there] ** 2 <= TWO * self._squares[there]
        return found
