"""What short messages get for standing above older ones that they may bring up to date.

Far more changes are told in passing ("Too obvious, the spare key hangs in the shed from here on"), or without a word of
change ("The garden is 385 square metres"), than any rule can link when they are written. A question brings such
messages together: a short one is lifted above older short ones, if it takes no more than its tie to them is worth.
What ties them is what they share (`planning/news.py`), or that both tell something alike.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from streetai_core.dynamics.decay import Flags, Floats
from streetai_core.index.among import among
from streetai_core.index.cone import beyond
from streetai_core.index.words import WordIndex
from streetai_core.recall.continuing import answering, answering_somebody, going_on
from streetai_core.recall.naming import named, numbers, things
from streetai_core.recall.question import Question
from streetai_core.recall.siblings import each_of_another
from streetai_core.recall.standing import Standing
from streetai_core.recall.topmost import topmost
from streetai_core.state import MemoryState
from streetai_core.text.marks import CHANGE, CORRECTED, TOLD, VALUES, beside_about, news_about, over_about

Rows = npt.NDArray[np.intp]

NEWS = 0.7
"""Most by which a message is lifted that tells how something is, above one like it."""

SPOKEN_OF = 1.5
"""The same where it names what the older one told, and says that it is over or has become so."""

BESIDE = 1.0
"""The same where it names a value that the older one told beside another one of its kind."""

GOING_ON = 1.0
"""The same where it goes on with what is asked for, and names nothing of it."""

_COMPARED = 15
"""The best signals, among which such messages are looked for, beside those that say of a value of the best that it is
over: what is further down is seldom what is asked for."""

_MOST = 128
"""Of each of the two the most that are compared. As many as were said may score alike, or be said over and over, and
each is compared with each: with the 8,000 messages of a bot that always says the same a question took 17 seconds."""

_ANSWERS = 5
"""The best of them, which alone are brought up to date: only they may be what is asked for."""

_LIKE, _LIKE_CHANGED, _AS_NEAR = 0.5, 0.4, 0.5
"""What tells how something is: the least cosine with what it brings up to date, where it has a word of change too, and
its nearness to the question as a share of the older one's: it must be an answer itself. Of pairs that are less alike,
as many are of two things that both hold (these and the following chosen with `tests.benchmarks.as_typed`)."""

_LIKE_NAMED, _NEAR_NAMED = 0.3, 0.1
"""The same where it names what the older one told and says that it is over: it may be less like it, and further from
what is asked for ("Kessler went bust. The exhibition will be in the old post office")."""

_LIKE_BESIDE, _NEAR_BESIDE = 0.35, 0.25
"""The same where it names the value beside another one. Where it says of the value itself that it is over, the two may
be like nothing ("no more 200, it's 230")."""

_LIKE_ASKED, _AS_NEAR_ASKED, _RARE = 0.25, 0.6, 10
"""The same where both tell a value of one kind and have a word of the question that few messages have, and how many may
have it at most: "ferritin was 9 in January" and "new labs!! ferritin came back at 41"."""

_LIKE_GOING_ON = 0.15
"""The least cosine of what goes on with what is asked for (`recall/continuing.py`), where nobody asks in between."""

_SHORT = 280
"""Characters of a message that may be brought up to date; one of 45 words has so many at most, mostly."""


@dataclass(frozen=True, slots=True)
class _Compared:
    """The messages that are compared, the oldest first."""

    best: Rows
    """The signal of each that is nearest to the question, shape (k,)."""
    at: Rows
    """Their rows in the word index, shape (k,)."""
    answers: Flags
    """Which of them may be brought up to date, shape (k,)."""
    tied: Flags
    """Which of them share with which of these what may bring it up to date, shape (k, k)."""


def news(state: MemoryState, question: Question, standing: Standing) -> Floats | None:
    """What lifts short messages above older ones that they may bring up to date, shape (n,); `None`: nothing does.

    Where a question asks for what was, only what was told wrongly is brought up to date.
    """
    compared = _compared(state, standing)
    most = _most(state, question, compared, standing)
    if most is None:
        return None
    best = compared.best
    scores, lifted = standing.total[best], np.zeros(len(standing.total))
    for place in np.flatnonzero(most.any(axis=1)).tolist():
        needed = scores[:place] - scores[place] + standing.margin
        # What it cannot outdo it is not lifted towards: that would only put it above others.
        lift = float(needed[needed <= most[place, :place]].max(initial=0.0))
        lifted[best[place]] = lift
        scores[place] += lift
    return lifted if lifted.any() else None


def _compared(state: MemoryState, standing: Standing) -> _Compared:
    """The best messages, and those that say of what the best of these tell that it is over, wherever they stand."""
    best = topmost(standing.total, _COMPARED, allowed=standing.searched)
    at = state.alignment.at[best]
    stands = (at >= 0) & (standing.leaders[at] == best)
    best, at = best[stands], at[stands]
    sequences = state.words.column("sequence")
    few = _foremost(standing.total[best], sequences[at])
    best, at = best[few], at[few]
    scores = standing.total[best]
    answers = scores >= np.sort(scores)[-_ANSWERS:].min(initial=np.inf)
    asked = sequences[at[answers]].tolist()
    ties = [state.words.rows_with(news_about(one)) for one in asked]
    # What only names the same is seldom news if it is far from what is asked.
    over = [state.words.rows_with(over_about(one)) for one, rows in zip(asked, ties, strict=True) if len(rows)]
    if any(map(len, over)):
        more = np.setdiff1d(np.concatenate(over), at)
        signals = standing.leaders[more]
        found = signals >= 0
        if standing.searched is not None:
            found &= standing.searched[signals]
        signals, more = signals[found], more[found]
        few = _foremost(standing.total[signals], sequences[more])
        best, at = np.concatenate([best, signals[few]]), np.concatenate([at, more[few]])
        answers = np.concatenate([answers, np.zeros(len(at) - len(answers), dtype=np.bool_)])
    tied = np.zeros((len(at), len(at)), dtype=np.bool_)
    for answer, rows in zip(np.flatnonzero(answers).tolist(), ties, strict=True):
        tied[:, answer] = among(at, rows)
    oldest_first = np.argsort(sequences[at])
    return _Compared(best[oldest_first], at[oldest_first], answers[oldest_first], tied[oldest_first][:, oldest_first])


def _foremost(scores: Floats, sequences: Rows) -> Rows:
    """The places of the best of some messages, ascending; of those that score alike the newest."""
    if len(scores) <= _MOST:
        return np.arange(len(scores))
    return np.sort(np.lexsort((sequences, scores))[-_MOST:])


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The messages that are compared, and how much alike they are."""

    words: WordIndex
    at: Rows
    """Their rows, shape (k,)."""
    near: Floats
    """How near each is to the question, shape (k,)."""
    cosine: Floats
    """Of each to each, shape (k, k)."""

    def alike(self, least: Floats | float, least_near: float) -> Flags:
        """Which are enough like which, and as near to the question by some share, shape (k, k)."""
        enough: Flags = (self.cosine >= least) & (self.near[:, None] >= least_near * self.near)
        return enough


def _most(state: MemoryState, question: Question, compared: _Compared, standing: Standing) -> Floats | None:
    """By how much each of some messages may be lifted above each at most, shape (k, k); `None`: none by anything."""
    words, at = state.words, compared.at
    tied, over = compared.tied, _tied(words, compared, over_about)
    there = named(words, question.words)
    telling = _telling(words, at, there.values()) if question.time.present else np.zeros(len(at), dtype=np.bool_)
    if question.time.of_then:
        over &= words.having(CORRECTED, at)[:, None]
        tied, beside = over, np.zeros_like(over)
    else:
        beside = _tied(words, compared, beside_about)
    if not telling.any() and not tied.any():
        return None
    vectors = state.columns.vectors_of(compared.best)
    cosine = beyond((vectors @ vectors.T).astype(np.float64), question.common)
    pairs = _Pairs(words, at, standing.nearness[compared.best], cosine)
    speaks = over | (tied & ~beside & pairs.alike(_LIKE_NAMED, _NEAR_NAMED))
    names = beside & pairs.alike(_LIKE_BESIDE, _NEAR_BESIDE)
    # What names what is over need not name whom it is over for.
    of_same = _of_same(words, at, numbers(question))
    most: Floats = np.maximum(speaks * of_same * SPOKEN_OF, names * of_same * BESIDE)
    if telling.any():
        told = np.maximum(_tells(pairs, question, there) * NEWS, _goes_on(pairs, standing) * GOING_ON)
        most = np.maximum(most, telling[:, None] * told)
    most[~(_may_outdo(words, at) & compared.answers & ~each_of_another(words, question, at))] = 0.0
    return most


def _tells(pairs: _Pairs, question: Question, there: Collection[str]) -> Flags:
    """Which of some messages, if they tell how something is, tell it of what which of them is about, shape (k, k).

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
    tells &= _of_same(words, at, things(question))
    # What is asked of nobody may be told by anybody: where all meet is nobody's own matter.
    return tells & _of_one_speaker(words, at) if there or question.of_oneself else tells


def _goes_on(pairs: _Pairs, standing: Standing) -> Flags:
    """Which of some messages, if they tell how something is, go on behind which with what is asked for, (k, k)."""
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


def _telling(words: WordIndex, at: Rows, whom: Collection[int]) -> Flags:
    """Which of some messages tell how something is, by whom a question names, by numbers of authors; shape (k,)."""
    # Of whom a question names, it mostly asks for all that was told: without a word of change nothing gives way.
    telling = words.having(CHANGE if whom else TOLD, at)
    return telling & np.isin(words.column("author")[at], list(whom)) if whom else telling


def _of_what_is_asked(words: WordIndex, question: Question, at: Rows) -> Flags:
    """Which of some messages share with which a rare word of a question, shape (k, k)."""
    both = np.zeros((len(at), len(at)), dtype=np.bool_)
    for term in question.terms:
        if words.frequency(term) <= _RARE:
            has = words.having(term, at)
            both |= has[:, None] & has
    return both


def _of_one_kind(words: WordIndex, at: Rows) -> Flags:
    """Which of some messages tell a value of one kind with which, shape (k, k)."""
    kinds = _kinds(words, at)
    both: Flags = kinds.T @ kinds
    return both


def _kinds(words: WordIndex, at: Rows) -> Flags:
    """Of which kinds some messages tell values, shape (kinds, k)."""
    return np.stack([words.having(mark, at) for mark in VALUES.values()])


def _tied(words: WordIndex, compared: _Compared, mark: Callable[[int], int]) -> Flags:
    """Which of some messages that are tied to others have a mark for them, shape (k, k)."""
    tied = compared.tied.copy()
    sequences = words.column("sequence")[compared.at]
    for answer in np.flatnonzero(tied.any(axis=0)).tolist():
        tied[:, answer] &= words.having(mark(int(sequences[answer])), compared.at)
    return tied


def _may_outdo(words: WordIndex, at: Rows) -> Flags:
    """Which of some messages may stand above which for what they tell, shape (k, k).

    Nobody's word outdoes one that is trusted more, and what is said again in the same words is no news.
    """
    may: Flags = np.broadcast_to(words.column("characters")[at] <= _SHORT, (len(at), len(at))).copy()
    trust = words.trust[at]
    may &= trust[:, None] >= trust
    role = words.column("role")[at]
    may &= role[:, None] == role
    texts = words.column("fingerprint")[at]
    may &= texts[:, None] != texts
    return may


def _of_one_speaker(words: WordIndex, at: Rows) -> Flags:
    """Which of some messages are of one person, shape (k, k). Ties say for themselves of whom they tell."""
    author = words.column("author")[at]
    one: Flags = author[:, None] == author
    return one


def _of_same(words: WordIndex, at: Rows, things: Collection[int]) -> Flags:
    """Which of some messages lack none of the things that which of them have, shape (k, k).

    What is told of another boat is no news of this one.
    """
    same = np.ones((len(at), len(at)), dtype=np.bool_)
    for thing in things:
        has = words.having(thing, at)
        same &= has[:, None] | ~has
    return same
