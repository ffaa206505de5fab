"""Which messages tell of another thing of the kind that a question asks for.

"The physics exam moved to Thursday" is no news of the maths exam: who asks for that one says which, and the message
says of another which one it is. What says only "the exam moved to Thursday" may mean either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from streetai_core.arrays import Flags, RowNumbers
from streetai_core.index.words import WordIndex
from streetai_core.knowledge.pairs import pairs
from streetai_core.recall.naming import asks_whether
from streetai_core.recall.question import Question
from streetai_core.text.marks import numbered, qualified
from streetai_core.text.words import hashed


def each_of_another(words: WordIndex, question: Question, at: RowNumbers) -> Flags:
    """`[i, j]`: whether message i tells of another thing of the kind, and message j of the one that is asked for.

    Args:
        words: the messages of a memory.
        question: what is asked.
        at: rows of messages, shape (k,).

    Returns:
        Shape (k, k).
    """
    apart = np.zeros((len(at), len(at)), dtype=np.bool_)
    for wanted in _asked_for(question):
        apart |= wanted.other(words, at)[:, None] & wanted.this(words, at)
    return apart


def of_another(words: WordIndex, question: Question, newer: RowNumbers, older: RowNumbers) -> Flags:
    """Which messages tell of another thing of the kind, while the older one of each pair tells of the one asked for.

    Args:
        words: the messages of a memory.
        question: what is asked.
        newer: rows of messages, shape (k,).
        older: the row that each of them is compared with, shape (k,).

    Returns:
        Shape (k,).
    """
    apart = np.zeros(len(newer), dtype=np.bool_)
    for wanted in _asked_for(question):
        # Few messages say of a noun which one they mean: the others are asked nothing more.
        some = words.having(wanted.mark(wanted.noun), newer).nonzero()[0]
        if len(some):
            apart[some] |= wanted.other(words, newer[some]) & wanted.this(words, older[some])
    return apart


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A noun of a question, and what tells which is meant, as hashes of terms."""

    noun: int
    which: frozenset[int]
    mark: Callable[[int], int]
    """The term by which messages are marked that say of a noun which one they mean."""

    def this(self, words: WordIndex, at: RowNumbers) -> Flags:
        """Which messages tell of the thing that is meant, shape of `at`."""
        return words.having(self.noun, at) & self._told(words, at)

    def other(self, words: WordIndex, at: RowNumbers) -> Flags:
        """Which messages tell of another thing of its kind, shape of `at`."""
        of_some = words.having(self.noun, at) & words.having(self.mark(self.noun), at)
        return of_some & ~self._told(words, at)

    def _told(self, words: WordIndex, at: RowNumbers) -> Flags:
        return np.asarray(np.any([words.having(word, at) for word in self.which], axis=0), dtype=np.bool_)


def _asked_for(question: Question) -> list[_Wanted]:
    """The nouns of a question that say which is meant, by a word or by a number."""
    if asks_whether(question):
        return []
    found: dict[tuple[str, Callable[[int], int]], set[int]] = {}
    for which, noun in pairs(question.text):
        found.setdefault((noun, numbered if which.isdigit() else qualified), set()).add(hashed(which))
    return [_Wanted(hashed(noun), frozenset(which), mark) for (noun, mark), which in found.items()]
