"""Which short messages tell of what an older one tells, by what they say and how near both are to a question.

Nothing ties these when they are written (`planning/news.py`): they are only alike, or it is said of the newer one that
something has changed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from streetai_core.arrays import Flags, Floats, RowNumbers
from streetai_core.index.words import WordIndex
from streetai_core.recall.continuing import answering, answering_somebody, going_on
from streetai_core.recall.naming import things
from streetai_core.recall.question import Question
from streetai_core.recall.standing import Standing
from streetai_core.text.marks import ANNOUNCED, CHANGE, CONFIRMS, TOLD, VALUES

_LIKE, _LIKE_CHANGED, _AS_NEAR = 0.5, 0.4, 0.5
"""For a message that tells how something is: its least cosine with what it brings up to date, the same if it has a word
of change, and its least nearness to the question as a share of the older one's, for it must be an answer itself. Of
pairs that are less alike, as many are of two things that both hold (these and the following chosen with
`tests.benchmarks.as_typed`)."""

_LIKE_ASKED, _AS_NEAR_ASKED, _RARE = 0.25, 0.6, 10
"""The least cosine and nearness where both tell a value of one kind and have a word of the question that few messages
have, and how many may have it at most: "ferritin was 9 in January" and "new labs!! ferritin came back at 41"."""

_LIKE_GOING_ON = 0.15
"""The least cosine of what goes on with what is asked for (`recall/continuing.py`), where nobody asks in between."""

_LIKE_CHANGING, _AS_NEAR_CHANGING = 0.4, 0.5
"""The least cosine and nearness of a message of which it is said that something has changed. Where a reply
confirms everything new, 43 more of 3,142 changes are found so, and one of 431 facts that still hold is outdone; with .2
for both it was 211 more of 2,992, and 83 (`confirmed` of `tests.benchmarks.as_typed`)."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The messages that are compared, and how much alike they are."""

    words: WordIndex
    at: RowNumbers
    """Their rows, shape (k,)."""
    near: Floats
    """How near each is to the question, shape (k,)."""
    cosine: Floats
    """Of each with each, shape (k, k)."""

    def alike(self, least: Floats | float, least_near: float) -> Flags:
        """`[i, j]`: whether i is enough like j, and near enough to the question beside it; shape (k, k).

        Args:
            least: the least cosine of the two; of all, or of shape (k, 1) for each i.
            least_near: how near i must be to the question, as a share of how near j is.
        """
        enough: Flags = (self.cosine >= least) & (self.near[:, None] >= least_near * self.near)
        return enough


def who_tell(words: WordIndex, at: RowNumbers, whom: Collection[int]) -> Flags:
    """Which messages tell how something is; if a question names somebody (`whom`, numbers of authors), theirs alone.

    Shape (k,).
    """
    # Of whom a question names, it mostly asks for all that was told: without a word of change nothing gives way.
    telling = words.having(CHANGE if whom else TOLD, at)
    return telling & np.isin(words.column("author")[at], list(whom)) if whom else telling


def who_change(words: WordIndex, at: RowNumbers) -> Flags:
    """Which messages tell of a change, as they say themselves or an assistant's reply does; shape (k,)."""
    announced = words.having(ANNOUNCED, at)
    return np.asarray(announced | words.having(CONFIRMS, words.column("following")[at]), dtype=np.bool_)


def told_of(pairs: Pairs, question: Question, there: Collection[str]) -> Flags:
    """`[i, j]`: whether i, if it tells how something is, tells it of what j is about; shape (k, k).

    Args:
        pairs: the messages.
        question: what is asked.
        there: whom it names.
    """
    words, at = pairs.words, pairs.at
    changed = words.having(CHANGE, at)[:, None]
    tells = pairs.alike(np.where(changed, _LIKE_CHANGED, _LIKE), _AS_NEAR)
    asked = _of_what_is_asked(words, question, at)
    if asked.any():
        tells |= asked & _of_one_kind(words, at) & pairs.alike(_LIKE_ASKED, _AS_NEAR_ASKED)
    tells &= of_same(words, at, things(question))
    # What is asked of nobody may be told by anybody: where all meet is nobody's own matter.
    return tells & _of_one_speaker(words, at) if there or question.of_oneself else tells


def changed_of(pairs: Pairs, question: Question) -> Flags:
    """`[i, j]`: whether i, if it tells of a change, tells it of what j is about; shape (k, k)."""
    words, at = pairs.words, pairs.at
    kinds = _kinds(words, at)
    fits = (kinds.T @ kinds) | ~kinds.any(axis=0)
    changes = fits & pairs.alike(_LIKE_CHANGING, _AS_NEAR_CHANGING) & of_same(words, at, things(question))
    return changes & _of_one_speaker(words, at) if question.of_oneself else changes


def gone_on_with(pairs: Pairs, standing: Standing) -> Flags:
    """`[i, j]`: whether i, if it tells how something is, goes on behind j with what is asked for; shape (k, k)."""
    words, at = pairs.words, pairs.at
    answers = answering(words, at)
    goes_on = going_on(words, standing, at, pairs.near, answers)
    if not goes_on.any():
        return goes_on
    kinds = _kinds(words, at)
    fits = (kinds.T @ kinds) & (answers[:, None] | (pairs.cosine >= _LIKE_GOING_ON))
    # Of an older value of no kind any answer may be news.
    fits |= answers[:, None] & ~kinds.any(axis=0)
    # An assistant asks all the time: what it is told is news of nothing, unless that says so itself.
    fits &= (answering_somebody(words, at) | words.having(CHANGE, at))[:, None]
    return goes_on & fits & _of_one_speaker(words, at)


def _of_what_is_asked(words: WordIndex, question: Question, at: RowNumbers) -> Flags:
    """`[i, j]`: whether i and j share a rare word of the question, shape (k, k)."""
    both = np.zeros((len(at), len(at)), dtype=np.bool_)
    for term in question.terms:
        if words.frequency(term) <= _RARE:
            has = words.having(term, at)
            both |= has[:, None] & has
    return both


def _of_one_kind(words: WordIndex, at: RowNumbers) -> Flags:
    """`[i, j]`: whether i and j tell values of one kind, shape (k, k)."""
    kinds = _kinds(words, at)
    both: Flags = kinds.T @ kinds
    return both


def _kinds(words: WordIndex, at: RowNumbers) -> Flags:
    """`[kind, i]`: whether message i tells a value of this kind, shape (kinds, k)."""
    return np.stack([words.having(mark, at) for mark in VALUES.values()])


def _of_one_speaker(words: WordIndex, at: RowNumbers) -> Flags:
    """`[i, j]`: whether i and j are by one author, shape (k, k). Ties say for themselves of whom they tell."""
    author = words.column("author")[at]
    one: Flags = author[:, None] == author
    return one


def of_same(words: WordIndex, at: RowNumbers, things: Collection[int]) -> Flags:
    """`[i, j]`: whether i has all of these things that j has, shape (k, k).

    What is told of another boat is no news of this one.
    """
    same = np.ones((len(at), len(at)), dtype=np.bool_)
    for thing in things:
        has = words.having(thing, at)
        same &= has[:, None] | ~has
    return same
