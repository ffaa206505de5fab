"""BM25 of messages, alone and together with their neighbours.

    score = sum over the question's terms of idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean length))
    idf = ln(1 + (n - df + 0.5) / (df + 0.5))

Robertson and Zaragoza 2009, with the idf of Lucene, which is never negative. Scores are divided by the sum of the
question's idf, so that they mean the same for short and long questions: 0 is no word in common, 1 is about one mention
of each.

A matter that the question asks for is one more term, which a message has that tells of it in other words than the
question's (`text/matters.py`). It does not count for the divisor: a question is no longer for having other words. Nor
do neighbours lend it: such words stand in much of all talk.

Only rows that have a term, and those beside them, are looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

TELLING = 1.5
"""How many of the rarest words a question must have, or more that are less rare, for words to tell all they can: on
"What is my diet?" that one word is all there is, and stands in much that is of others."""

K1 = 0.9
B = 0.4
"""Better than the usual 1.2 and 0.75 on short messages, where a word said twice says little more than once."""

_NONE = -1
"""No row."""

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]
Integers = npt.NDArray[np.int64]

Term: TypeAlias = tuple[Rows, Floats]
"""The rows that have a term, ascending and each once, and how often."""


@dataclass(frozen=True, slots=True)
class Told:
    """The rows that tell of what a question asks for in other words than its own."""

    term: Term
    """Them, and how many such words each has, as of one term."""
    speaking: int
    """How many rows speak of it in any words, those of the question included; at least as many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """What BM25 needs to know of all messages; arrays of shape (n,)."""

    rows: int
    """n."""
    number: int
    """Messages that are there."""
    lengths: Integers
    """Terms of each."""
    around: Integers
    """Terms of each and of the two beside it."""
    mean_length: float
    """Of the messages that are there."""
    mean_around: float
    previous: Integers
    """The row before each in its conversation; -1 for none."""
    following: Integers


@dataclass(frozen=True, slots=True, kw_only=True)
class WordScores:
    """How well the words of each message fit a question; arrays of shape (n,), 0 where nothing fits."""

    own: Floats
    """By the message's own words."""
    around: Floats
    """By the words of the message and of the two beside it in its conversation."""
    told: Floats
    """By other words for what the question asks for."""
    collection: Collection
    """The messages."""
    informed: float
    """How far the question's words are rare enough to tell, above 0 to 1; what a score made of them should count."""
    silent: Rows
    """Those that lend nothing to the one before them, ascending."""
    weighed: Sequence[tuple[Term, float]]
    """The terms of the question that any message has, and what each weighs in `around`."""

    def due_to_own(self, rows: Rows) -> Floats:
        """What of `around` the messages in these rows have by words of their own, shape (k,).

        Of each term as much as its mentions in the message are of those in the three messages: all of `around`, to the
        last bit, where the neighbours have none of the question's words.
        """
        here, due = self.collection, np.zeros(len(rows))
        following = here.following[rows]
        if len(self.silent):
            following[_are_in(following, self.silent)] = _NONE
        three = np.concatenate([rows, here.previous[rows], following])
        norm = _norm(here.around[rows], here.mean_around)
        for term, weight in self.weighed:
            own, before, behind = _counts_in(three, term).reshape(3, -1)
            due += weight * (own * (K1 + 1) / (own + before + behind + norm))
        return due


def word_scores(
    collection: Collection,
    found: Sequence[Term],
    length: int,
    framing: Sequence[Term] = (),
    matters: Sequence[Told] = (),
) -> WordScores:
    """The scores of all rows for a question.

    A message that is the question itself, asked before, lends its words to what follows it, its answer, and not to
    what stands before it.

    Args:
        collection: the messages.
        found: the rows of each term of the question.
        length: how many terms it has, repetitions and framing counted.
        framing: the rows of each term that only says how to answer.
        matters: the rows that tell in other words of what it asks for, which weigh by how many speak of it at all.
    """
    own, around, told = np.zeros(collection.rows), np.zeros(collection.rows), np.zeros(collection.rows)
    silent = _asked_before(collection, [*found, *framing], length)
    spread = _Spread(collection, silent)
    weighed: list[tuple[Term, float]] = []
    weights = [_idf(collection.number, matter.speaking) for matter in matters]
    most = sum(_idf(collection.number, len(rows)) for rows, _ in found) or sum(weights) or 1.0
    for matter, weight in zip(matters, weights, strict=True):
        rows, counts = matter.term
        told[rows] += weight / most * _saturated(counts, _norm(collection.lengths[rows], collection.mean_length))
    for rows, counts in found:
        if not len(rows):
            continue
        weight = _idf(collection.number, len(rows)) / most
        own[rows] += weight * _saturated(counts, _norm(collection.lengths[rows], collection.mean_length))
        wide_rows, wide_counts = spread.of(rows, counts)
        weight = _idf(collection.number, len(wide_rows)) / most
        weighed.append(((rows, counts), weight))
        norm = _norm(collection.around[wide_rows], collection.mean_around)
        around[wide_rows] += weight * _saturated(wide_counts, norm)
    informed = min(1.0, most / (TELLING * _idf(max(1, collection.number), 1)))
    return WordScores(
        own=own, around=around, told=told, collection=collection, informed=informed, silent=silent, weighed=weighed
    )


class _Spread:
    """Rows that have a term themselves or beside them, and how often it stands in the three together."""

    def __init__(self, collection: Collection, silent: Rows) -> None:
        """Rows that are `silent` do not count for the ones before them."""
        self._collection = collection
        self._silent = silent
        # One more than there are rows: -1, which stands for no row, is the last.
        self._sums = np.zeros(collection.rows + 1)
        self._places = np.empty(collection.rows + 1, dtype=np.intp)

    def of(self, rows: Rows, counts: Floats) -> Term:
        """The rows that a term reaches, in no order."""
        previous, following = self._collection.previous[rows], self._collection.following[rows]
        if len(self._silent):
            previous[_are_in(rows, self._silent)] = _NONE
        sums = self._sums
        sums[rows] = counts
        # No row is twice in one of these, but for -1, where any sum is as good.
        sums[previous] += counts
        sums[following] += counts
        sums[_NONE] = 0.0
        every = np.concatenate([rows, previous, following])
        # Of those that are a row twice, one is left: that whose place was written last.
        places = np.arange(len(every))
        self._places[every] = places
        reached = every[(self._places[every] == places) & (every != _NONE)]
        total = sums[reached]
        sums[reached] = 0.0
        return reached, total


def _asked_before(collection: Collection, found: Sequence[Term], length: int) -> Rows:
    """Rows whose terms are those of the question, all of them and no others."""
    if not found or not length:
        return np.zeros(0, dtype=np.intp)
    rows = min((rows for rows, _ in found), key=len)
    same: Rows = rows[collection.lengths[rows] == length]
    for rows, _ in found:
        if not len(same):
            break
        same = same[_are_in(same, rows)]
    return same


def _counts_in(some: Rows, term: Term) -> Floats:
    """How often a term that any row has stands in each of some rows, shape of `some`; 0 for -1."""
    rows, counts = term
    places = rows.searchsorted(some)
    found: Floats = counts.take(places, mode="clip") * (rows.take(places, mode="clip") == some)
    return found


def _are_in(some: Rows, rows: Rows) -> Flags:
    """Which of some rows, at least one, are among others, at least one, in ascending order."""
    places = np.minimum(np.searchsorted(rows, some), len(rows) - 1)
    found: Flags = rows[places] == some
    return found


def _norm(lengths: Integers, mean: float) -> Floats:
    """`k1 * (1 - b + b * length / mean length)` of each row."""
    return np.asarray(lengths * (K1 * B / (mean or 1.0)) + K1 * (1 - B), dtype=np.float64)


def _saturated(counts: Floats, norm: Floats) -> Floats:
    return counts * (K1 + 1) / (counts + norm)


def _idf(number: int, having: int) -> float:
    return math.log(1 + (number - having + 0.5) / (having + 0.5))
