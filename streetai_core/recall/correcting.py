"""What newer statements get for standing above the older ones that they replace or may bring up to date.

What replaces what is known where it was said so (`knowledge/changes.py`): such a statement stands above the other
whatever it takes. Far more is only told in passing ("Too obvious, the spare key hangs in the shed from here on"), or
without a word of change ("The garden is 385 square metres"). A question about what is so brings such messages
together: a short one is lifted above older short ones of the same speaker that say something like it, if it takes no
more than `NEWS`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from streetai_core.dynamics.decay import Flags, Floats
from streetai_core.index.cone import beyond
from streetai_core.recall.naming import named, things
from streetai_core.recall.question import Question
from streetai_core.recall.topmost import topmost
from streetai_core.state import MemoryState
from streetai_core.text.marks import CHANGE, TOLD

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
    """What lifts short messages above older ones of the same speaker that are like them."""
    words = state.words
    there = named(words, question.words)
    # Of whom a question names, it mostly asks for all that was told: without a word of change nothing gives way.
    telling = words.rows_with(CHANGE if there else TOLD)
    if not len(telling):
        return None
    best = topmost(standing.total, _COMPARED, allowed=standing.searched)
    at = state.alignment.at[best]
    stands = (at >= 0) & (standing.leaders[at] == best)
    best, at = best[stands], at[stands]
    oldest_first = np.argsort(state.words.column("sequence")[at])
    best, at = best[oldest_first], at[oldest_first]
    tells = _among(at, telling)
    if there:
        tells &= np.isin(words.column("author")[at], list(there.values()))
    if not tells.any():
        return None
    like = _like(state, best, at, question.common)
    for thing in things(question):
        # What is told of another boat is no news of this one.
        has = _among(at, words.rows_with(thing))
        like &= has[:, None] | ~has[None, :]
    near = standing.nearness[best]
    like &= near[:, None] >= _AS_NEAR * near[None, :]
    scores = standing.total[best]
    like &= scores >= np.sort(scores)[-_ANSWERS:].min(initial=np.inf)
    lifted = np.zeros(len(standing.total))
    for place in np.flatnonzero(tells).tolist():
        needed = scores[:place][like[place, :place]] - scores[place] + standing.margin
        # What it cannot outdo it is not lifted towards: that would only put it above others.
        lift = float(needed[needed <= NEWS].max(initial=0.0))
        lifted[best[place]] = lift
        scores[place] += lift
    return lifted if lifted.any() else None


def _among(some: Rows, rows: Rows) -> Flags:
    """Which of some rows are among others, which ascend."""
    if not len(rows):
        return np.zeros(len(some), dtype=np.bool_)
    there: Flags = rows.take(rows.searchsorted(some), mode="clip") == some
    return there


def _like(state: MemoryState, best: Rows, at: Rows, common: float) -> Flags:
    """Which of some signals may bring which up to date, shape (k, k): they are near, and one person said both.

    Nobody's word outdoes one that is trusted more, and what is said again in the same words is no news.

    Args:
        state: the memory.
        best: the signals, shape (k,).
        at: their messages, as rows of the word index, shape (k,).
        common: what all vectors have in common.
    """
    words = state.words
    vectors = state.columns.vectors_of(best)
    least = np.where(_among(at, words.rows_with(CHANGE)), _LIKE_CHANGED, _LIKE)
    near: Flags = beyond((vectors @ vectors.T).astype(np.float64), common) >= least[:, None]
    near &= words.column("characters")[at] <= _SHORT
    trust = words.trust[at]
    near &= trust[:, None] >= trust[None, :]
    for column in ("author", "role"):
        said = words.column(column)[at]
        near &= said[:, None] == said[None, :]
    texts = words.column("fingerprint")[at]
    near &= texts[:, None] != texts[None, :]
    return near
