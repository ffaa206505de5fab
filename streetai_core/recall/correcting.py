"""What newer statements get for standing above the older ones that they replace or may bring up to date.

What replaces what is known where it was said so (`knowledge/changes.py`): such a statement stands above the other
whatever it takes. Far more is only told in passing ("Too obvious, the spare key hangs in the shed from here on"), or
without a word of change ("The garden is 385 square metres"). A question about what is so brings such messages
together: a short one is lifted above older short ones of the same speaker that say something like it, if it takes no
more than `NEWS`, or `SPOKEN_OF` where it names what the older one told and says that it is over (`planning/news.py`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from streetai_core.dynamics.decay import Flags, Floats
from streetai_core.index.cone import beyond
from streetai_core.index.words import WordIndex
from streetai_core.recall.naming import named, numbers, things
from streetai_core.recall.question import Question
from streetai_core.recall.topmost import topmost
from streetai_core.state import MemoryState
from streetai_core.text.marks import CHANGE, TOLD, news_about

Rows = npt.NDArray[np.intp]

CORRECTION = 0.02
"""By how much a statement stands above the one that it replaces, beyond what activation can make up for."""

NEWS = 0.7
"""Most by which a message is lifted of which nothing says that it replaces another."""

_COMPARED = 15
"""The best signals, among which such messages are looked for: what is further down is seldom what is asked for."""

_ANSWERS = 5
"""The best of them, which alone are brought up to date: only they may be what is asked for."""

_LIKE = 0.5
_LIKE_CHANGED = 0.4
"""The least cosine of what is brought up to date with what does so, and where that has a word of change. Of pairs that
are less alike, as many are of two things that both hold (chosen with `tests.benchmarks.as_typed`)."""

_AS_NEAR = 0.5
"""Share of the older one's nearness to the question that the newer one has at least: it must be an answer itself."""

SPOKEN_OF = 1.5
"""The same where it names what the older one told, and says that it is over or has become so. It may be less like the
older one, and further from what is asked for: "Kessler went bust. The exhibition will be in the old post office"."""

_LIKE_NAMED = 0.3
_NEAR_NAMED = 0.1
"""The least cosine of the two then, and the newer one's nearness as a share of the older one's."""

_SHORT = 280
"""Characters of a message that may be brought up to date; one of 45 words has so many at most, mostly."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How signals stand without their lifts."""

    total: Floats
    """What each scores, shape (n,)."""
    nearness: Floats
    """How near each is to the question, shape (n,)."""
    leaders: Rows
    """The nearest signal of each message, which stands for it; -1 for none. Shape (m,)."""
    searched: Flags | None
    """The signals that may be found, shape (n,); `None`: all."""
    margin: float
    """By how much a statement stands above the one that it replaces."""


def lifts(state: MemoryState, question: Question, standing: Standing) -> Floats | None:
    """What signals get, shape (n,); `None`: none gets anything, as where the past is asked for."""
    if question.time.past:
        return None
    news = None
    if question.vector is not None and question.time.present:
        news = _news(state, question, standing)
    if news is None:
        return _replacing(state, standing)
    # What is known to replace another stands above it, wherever that stands now.
    replacing = _replacing(state, replace(standing, total=standing.total + news))
    return news if replacing is None else news + replacing


def _replacing(state: MemoryState, standing: Standing) -> Floats | None:
    """What lifts every statement above the one that it replaces; in chains above all before it."""
    links = state.words.replacements()
    if not len(links):
        return None
    total, leaders, searched = standing.total, standing.leaders, standing.searched
    later, earlier = np.ascontiguousarray(links.T)
    # Of the messages that have several signals, the nearest one stands for all.
    newer, older = leaders.take(later), leaders.take(earlier)
    both = (newer >= 0) & (older >= 0)
    if searched is not None:
        both &= searched[newer] & searched[older]
    newer, older, later, earlier = newer[both], older[both], later[both], earlier[both]
    lacking = total.take(older) - total.take(newer) + standing.margin
    short = lacking > 0.0
    if not short.any():
        return None
    lifted = np.zeros(len(total))
    np.maximum.at(lifted, newer[short], lacking[short])
    # What is lifted lifts what replaces it in turn. What was said later lends no lift, so that no ring goes on for
    # ever.
    replaces = np.zeros(len(total), dtype=np.bool_)
    replaces[newer] = True
    sequence = state.words.column("sequence")
    chained = (replaces.take(older) & (sequence.take(earlier) < sequence.take(later))).nonzero()[0]
    upper, lower, gap = newer[chained], older[chained], lacking[chained]
    # Once for each link of the longest chain.
    while (short := (needed := gap + lifted.take(lower)) > lifted.take(upper)).any():
        np.maximum.at(lifted, upper[short], needed[short])
    return lifted


def _news(state: MemoryState, question: Question, standing: Standing) -> Floats | None:
    """What lifts short messages above older ones of the same speaker that they may bring up to date."""
    best = topmost(standing.total, _COMPARED, allowed=standing.searched)
    at = state.alignment.at[best]
    stands = (at >= 0) & (standing.leaders[at] == best)
    best, at = best[stands], at[stands]
    oldest_first = np.argsort(state.words.column("sequence")[at])
    best, at = best[oldest_first], at[oldest_first]
    scores = standing.total[best]
    answers = scores >= np.sort(scores)[-_ANSWERS:].min(initial=np.inf)
    most = _most(state, question, best, at, near=standing.nearness[best], answers=answers)
    if most is None:
        return None
    lifted = np.zeros(len(standing.total))
    for place in np.flatnonzero(most.any(axis=1)).tolist():
        needed = scores[:place] - scores[place] + standing.margin
        # What it cannot outdo it is not lifted towards: that would only put it above others.
        lift = float(needed[needed <= most[place, :place]].max(initial=0.0))
        lifted[best[place]] = lift
        scores[place] += lift
    return lifted if lifted.any() else None


def _most(
    state: MemoryState, question: Question, best: Rows, at: Rows, *, near: Floats, answers: Flags
) -> Floats | None:
    """By how much each of some signals may be lifted above each at most, shape (k, k); `None`: none by anything.

    Args:
        state: the memory.
        question: what is asked.
        best: the signals, shape (k,).
        at: their messages, as rows of the word index, shape (k,).
        near: how near each is to the question, shape (k,).
        answers: which of them may be brought up to date, shape (k,).
    """
    words = state.words
    telling, speaking = _telling(words, question, at), _speaking_of(words, at, answers)
    if not telling.any() and not speaking.any():
        return None
    vectors = state.columns.vectors_of(best)
    cosine = beyond((vectors @ vectors.T).astype(np.float64), question.common)
    least = np.where(_among(at, words.rows_with(CHANGE)), _LIKE_CHANGED, _LIKE)[:, None]
    telling_of = telling[:, None] & (cosine >= least) & (near[:, None] >= _AS_NEAR * near)
    telling_of &= _of_same(words, at, things(question))
    speaking_of = speaking & (cosine >= _LIKE_NAMED) & (near[:, None] >= _NEAR_NAMED * near)
    # What names what is over need not name whom it is over for.
    speaking_of &= _of_same(words, at, numbers(question))
    most: Floats = np.maximum(speaking_of * SPOKEN_OF, telling_of * NEWS)
    most[~(_may_outdo(words, at) & answers)] = 0.0
    return most


def _telling(words: WordIndex, question: Question, at: Rows) -> Flags:
    """Which of some messages tell how something is, shape (k,)."""
    there = named(words, question.words)
    # Of whom a question names, it mostly asks for all that was told: without a word of change nothing gives way.
    telling = _among(at, words.rows_with(CHANGE if there else TOLD))
    if there:
        telling &= np.isin(words.column("author")[at], list(there.values()))
    return telling


def _speaking_of(words: WordIndex, at: Rows, answers: Flags) -> Flags:
    """Which of some messages say of what which of the answers among them told that it is over, shape (k, k)."""
    speaking = np.zeros((len(at), len(at)), dtype=np.bool_)
    sequences = words.column("sequence")[at]
    for answer in np.flatnonzero(answers).tolist():
        speaking[:, answer] = _among(at, words.rows_with(news_about(int(sequences[answer]))))
    return speaking


def _among(some: Rows, rows: Rows) -> Flags:
    """Which of some rows are among others, which ascend."""
    if not len(rows):
        return np.zeros(len(some), dtype=np.bool_)
    there: Flags = rows.take(rows.searchsorted(some), mode="clip") == some
    return there


def _may_outdo(words: WordIndex, at: Rows) -> Flags:
    """Which of some messages may stand above which for what they tell, shape (k, k).

    Both must be of one person. Nobody's word outdoes one that is trusted more, and what is said again in the same words
    is no news.
    """
    may: Flags = np.broadcast_to(words.column("characters")[at] <= _SHORT, (len(at), len(at))).copy()
    trust = words.trust[at]
    may &= trust[:, None] >= trust
    for column in ("author", "role"):
        said = words.column(column)[at]
        may &= said[:, None] == said
    texts = words.column("fingerprint")[at]
    may &= texts[:, None] != texts
    return may


def _of_same(words: WordIndex, at: Rows, things: Collection[int]) -> Flags:
    """Which of some messages lack none of the things that which of them have, shape (k, k).

    What is told of another boat is no news of this one.
    """
    same = np.ones((len(at), len(at)), dtype=np.bool_)
    for thing in things:
        has = _among(at, words.rows_with(thing))
        same &= has[:, None] | ~has
    return same
