"""BM25 of messages, alone and together with what stands around them.

    score = sum over the question's terms of idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean length))

Robertson and Zaragoza 2009, with the idf of Lucene (`text/rarity.py`), which is never negative. Scores are divided by
the sum of the question's idf, so that they mean the same for short and long questions: 0 is no word in common, 1 is
about one mention of each. For a message with what stands around it, the texts that are counted are all messages with
what stands around them; but a term keeps `LEAST_RARITY` of its own idf.

A matter that the question asks for is one more term, which a message has that tells of it in other words than the
question's (`text/matters.py`). It does not count for the divisor: a question is no longer for having other words. Nor
does what stands around lend it: such words stand in much of all talk.

Only rows that have a term, and those they stand around, are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from streetai_core.arrays import Flags, Floats, Integers, RowNumbers
from streetai_core.text.rarity import idf

TELLING = 1.5
"""How many of the rarest words a question must have, or more that are less rare, for words to tell all they can: on
"What is my diet?" that one word is all there is, and stands in much that is of others."""

K1 = 0.9
B = 0.4
"""Better than the usual 1.2 and 0.75 on short messages, where a word said twice says little more than once."""

LEAST_RARITY = 0.5
"""How much of its rarity a term keeps at least where it is lent: of a memory of a few messages each stands around all,
and what only one of them says still tells."""

_NONE = -1
"""No row."""

_AT_ONCE = 8
"""Terms that are scored together: most questions have fewer, and a pasted page does not fill the RAM."""


Term: TypeAlias = tuple[RowNumbers, Floats]
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
    """Terms of each and of what stands around it."""
    mean_length: float
    """Of the messages that are there."""
    mean_around: float
    before: Sequence[Integers]
    """The row before each in its conversation, and others before it that it stands around, by distance; -1 for none."""
    behind: Sequence[Integers]


@dataclass(frozen=True, slots=True)
class _Terms:
    """The rows of several terms, one after the other: a question has few, and each costs less with the others."""

    rows: RowNumbers
    counts: Floats
    sizes: Sequence[int]
    """How many rows each term has."""

    @classmethod
    def of(cls, terms: Sequence[Term]) -> _Terms:
        rows, counts = zip(*terms, strict=True)
        return cls(np.concatenate(rows), np.concatenate(counts), [len(one) for one in rows])

    def counts_in(self, some: RowNumbers) -> Floats:
        """How often each of t terms stands in each of k rows, shape (t, k)."""
        places, start = np.empty((len(self.sizes), len(some)), dtype=np.intp), 0
        for number, size in enumerate(self.sizes):
            places[number] = np.minimum(self.rows[start : start + size].searchsorted(some), size - 1) + start
            start += size
        found: Floats = self.counts[places] * (self.rows[places] == some)
        return found


@dataclass(frozen=True, slots=True)
class _Lent:
    """What messages score by t terms in them and around them."""

    terms: _Terms
    reached: RowNumbers
    """The rows that have any of the terms themselves or around them, ascending, shape (r,)."""
    mentions: Floats
    """Of each term in each of these rows and around it, shape (t, r)."""
    norm: Floats
    """Shape (r,)."""
    weights: Sequence[float]
    """What each term weighs."""

    def due_to_own(self, rows: RowNumbers) -> Floats:
        """As `WordScores.due_to_own`, by these terms."""
        due, places = np.zeros(len(rows)), np.minimum(self.reached.searchsorted(rows), len(self.reached) - 1)
        # A row that is not reached has none of the terms, so it matters nothing what stands at its place.
        totals = self.mentions[:, places] + self.norm[places]
        for weight, own, total in zip(self.weights, self.terms.counts_in(rows), totals, strict=True):
            due += weight * (K1 + 1) * (own / total)
        return due


@dataclass(frozen=True, slots=True, kw_only=True)
class WordScores:
    """How well the words of each message fit a question; arrays of shape (n,), 0 where nothing fits."""

    own: Floats
    """By the message's own words."""
    around: Floats
    """By the words of the message and of what stands around it."""
    told: Floats | None
    """By other words for what the question asks for; `None`: it asks for none of the matters that are known."""
    informed: float
    """How far the question's words are rare enough to tell, above 0 to 1; what a score made of them should count."""
    lent: Sequence[_Lent]
    """What `around` is made of."""

    def due_to_own(self, rows: RowNumbers) -> Floats:
        """What of `around` the messages in these rows have by words of their own, shape (k,).

        Of each term as much as its mentions in the message are of those in it and around it: all of `around`, to the
        last bit, where nothing around has one of the question's words.
        """
        due = np.zeros(len(rows))
        for some in self.lent:
            due += some.due_to_own(rows)
        return due


def word_scores(
    collection: Collection,
    found: Sequence[Term],
    length: int,
    framing: Sequence[Term] = (),
    matters: Sequence[Told] = (),
) -> WordScores:
    """The scores of all rows for a question.

    A message that is the question itself, asked before, lends its words to what stands behind it, its answer, and not
    to what stands before it.

    Args:
        collection: the messages.
        found: the rows of each term of the question.
        length: how many terms it has, repetitions and framing counted.
        framing: the rows of each term that only says how to answer.
        matters: the rows that tell in other words of what it asks for, which weigh by how many speak of it at all.
    """
    own, around = np.zeros(collection.rows), np.zeros(collection.rows)
    silent = _asked_before(collection, [*found, *framing], length)
    lent: list[_Lent] = []
    weights = [idf(collection.number, matter.speaking) for matter in matters]
    most = sum(idf(collection.number, len(rows)) for rows, _ in found) or sum(weights) or 1.0
    there = [term for term in found if len(term[0])]
    for start in range(0, len(there), _AT_ONCE):
        some = _Terms.of(there[start : start + _AT_ONCE])
        weight_of = np.array([idf(collection.number, size) / most for size in some.sizes])
        norm = _norm(collection.lengths.take(some.rows), collection.mean_length)
        worth = np.repeat(weight_of, some.sizes) * _saturated(some.counts, norm)
        own += np.bincount(some.rows, weights=worth, minlength=collection.rows)
        reached, mentions = _spread(collection, some, silent)
        norm = _norm(collection.around.take(reached), collection.mean_around)
        having = [int(np.count_nonzero(in_each)) for in_each in mentions > 0.0]
        rarities = [_rarity_around(collection.number, *of) / most for of in zip(some.sizes, having, strict=True)]
        score, room = np.zeros(len(reached)), np.empty(len(reached))
        for weight, in_each in zip(rarities, mentions, strict=True):
            score += _saturated(in_each, norm, weight, room)
        around[reached] += score
        lent.append(_Lent(some, reached, mentions, norm, rarities))
    return WordScores(
        own=own,
        around=around,
        told=_told(collection, [matter.term for matter in matters], [weight / most for weight in weights]),
        informed=min(1.0, most / (TELLING * idf(max(1, collection.number), 1))),
        lent=lent,
    )


def _told(collection: Collection, matters: Sequence[Term], weights: Sequence[float]) -> Floats | None:
    """What every row scores for telling of what is asked for in other words, shape (n,); `None`: none."""
    if not matters:
        return None
    told = np.zeros(collection.rows)
    for (rows, counts), weight in zip(matters, weights, strict=True):
        told[rows] += weight * _saturated(counts, _norm(collection.lengths[rows], collection.mean_length))
    return told


def _spread(collection: Collection, terms: _Terms, silent: RowNumbers) -> tuple[RowNumbers, Floats]:
    """The rows that have any of some terms themselves or around them, and how often.

    Args:
        collection: the messages.
        terms: t of them.
        silent: rows that do not count for what stands before them, ascending.

    Returns:
        The rows, ascending, shape (r,), and the mentions of each term in each of them and around it, shape (t, r).
    """
    # `take`, here and below, is quicker than brackets.
    every = np.arange(len(terms.rows))
    loud = (~_are_in(terms.rows, silent)).nonzero()[0] if len(silent) else every
    taken, lenders = [terms.rows], [every]
    for columns, lender in ((collection.before, loud), (collection.behind, every)):
        at = terms.rows if lender is every else terms.rows.take(lender)
        taken.append(columns[0].take(at))
        lenders.append(lender)
        for column in columns[1:]:
            # Nearly all messages stand around the next one, far fewer around those farther away.
            rows = column.take(at)
            some = (rows != _NONE).nonzero()[0]
            taken.append(rows.take(some))
            lenders.append(lender.take(some))
    takers, lender = np.concatenate(taken), np.concatenate(lenders)
    # One more than there are rows: -1, which stands for no row, is the last.
    is_taker = np.zeros(collection.rows + 1, dtype=np.bool_)
    is_taker[takers] = True
    is_taker[_NONE] = False
    reached = is_taker.nonzero()[0]
    width = len(reached) + 1
    place = np.empty(collection.rows + 1, dtype=np.intp)
    place[reached] = np.arange(len(reached))
    place[_NONE] = len(reached)
    cells = place.take(takers)
    cells += np.repeat(np.arange(len(terms.sizes)) * width, terms.sizes).take(lender)
    mentions = np.bincount(cells, weights=terms.counts.take(lender), minlength=len(terms.sizes) * width)
    by_term: Floats = np.reshape(mentions, (len(terms.sizes), width))
    return reached, by_term[:, :-1]


def _asked_before(collection: Collection, found: Sequence[Term], length: int) -> RowNumbers:
    """Rows whose terms are those of the question, all of them and no others."""
    if not found or not length:
        return np.zeros(0, dtype=np.intp)
    rows = min((rows for rows, _ in found), key=len)
    same: RowNumbers = rows[collection.lengths[rows] == length]
    for rows, _ in found:
        if not len(same):
            break
        same = same[_are_in(same, rows)]
    return same


def _are_in(some: RowNumbers, rows: RowNumbers) -> Flags:
    """Which of some rows, at least one, are among others, at least one, in ascending order."""
    places = np.minimum(np.searchsorted(rows, some), len(rows) - 1)
    found: Flags = rows[places] == some
    return found


def _norm(lengths: Integers, mean: float) -> Floats:
    """`k1 * (1 - b + b * length / mean length)` of each row."""
    return np.asarray(lengths * (K1 * B / (mean or 1.0)) + K1 * (1 - B), dtype=np.float64)


def _saturated(counts: Floats, norm: Floats, weight: float = 1.0, room: Floats | None = None) -> Floats:
    """`weight * counts * (k1 + 1) / (counts + norm)`, made in `room` if there is one."""
    total = np.add(counts, norm, out=room)
    np.divide(counts, total, out=total)
    total *= weight * (K1 + 1)
    return total


def _rarity_around(number: int, having: int, around: int) -> float:
    """What a term tells that `having` of the messages have, and `around` of them have or stand beside."""
    return max(idf(number, around), LEAST_RARITY * idf(number, having))
