"""What newer statements get for standing above the older ones that they replace or may bring up to date.

What replaces what is known where it was said so (`knowledge/changes.py`): such a statement stands above the other
whatever it takes. Far more can be seen only by a question (`recall/news.py`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from streetai_core.arrays import Flags, Floats, RowNumbers
from streetai_core.index.among import among
from streetai_core.index.order import said_before
from streetai_core.recall.news import news
from streetai_core.recall.question import Question
from streetai_core.recall.siblings import of_another
from streetai_core.recall.standing import Standing
from streetai_core.state import MemoryState
from streetai_core.text.marks import CORRECTED

CORRECTION = 0.02
"""By how much a statement stands above the one that it replaces, beyond what activation can make up for."""


def lifts(state: MemoryState, question: Question, standing: Standing) -> Floats | None:
    """What signals get, shape (n,); `None`: none gets anything."""
    replacing = _replacing(state, question, standing)
    if question.vector is None:
        return replacing
    # What replaces another stands in its place; what brings news of either stands above both.
    lifted = standing if replacing is None else replace(standing, total=standing.total + replacing)
    new = news(state, question, lifted)
    if new is None:
        return replacing
    again = _replacing(state, question, replace(lifted, total=lifted.total + new))
    return _together(replacing, new, again)


def _together(*some: Floats | None) -> Floats | None:
    """The sum of those that there are, shape (n,)."""
    given = [one for one in some if one is not None]
    return np.sum(given, axis=0) if given else None


def _replacing(state: MemoryState, question: Question, standing: Standing) -> Floats | None:
    """What lifts every statement above the one that it replaces; in chains the last one above all before it.

    Where the past is asked for, what was so stands above what it became, but what was said of it wrongly does not.
    """
    links = state.words.replacements()
    if not len(links):
        return None
    later, earlier = np.ascontiguousarray(links.T)
    holds = _may_replace(state, question, standing, later, earlier)
    over = _over(question)
    if over is None and not question.time.past:
        return _lifted(state, standing, later[holds], earlier[holds], newer_above=True)
    corrected = among(later, state.words.rows_with(CORRECTED))
    if over is not None and not question.time.past:
        # What was said afterwards does not tell what was so then, unless it corrects it.
        holds &= corrected | (state.words.column("day")[later] <= over)
        return _lifted(state, standing, later[holds], earlier[holds], newer_above=True)
    # The newest first: what was so at first stands above all.
    became = np.flatnonzero(holds & ~corrected)[::-1]
    first = _lifted(state, standing, earlier[became], later[became], newer_above=False)
    right = standing if first is None else replace(standing, total=standing.total + first)
    more = _lifted(state, right, later[holds & corrected], earlier[holds & corrected], newer_above=True)
    return _together(first, more)


def _may_replace(
    state: MemoryState, question: Question, standing: Standing, later: RowNumbers, earlier: RowNumbers
) -> Flags:
    """Which messages may stand in place of which, shape (k,): both are searched, and tell of one thing."""
    newer, older = standing.leaders.take(later), standing.leaders.take(earlier)
    may: Flags = (newer >= 0) & (older >= 0)
    if standing.searched is not None:
        may &= standing.searched[newer] & standing.searched[older]
    return may & ~of_another(state.words, question, later, earlier)


def _over(question: Question) -> int | None:
    """The last day of the times that a question names, if it asks for what was so then; otherwise `None`."""
    if not (question.time.explicit and question.time.of_then):
        return None
    return max(span.end.toordinal() for span in question.time.spans)


def _lifted(
    state: MemoryState, standing: Standing, above: RowNumbers, below: RowNumbers, *, newer_above: bool
) -> Floats | None:
    """What lifts messages above others, and above all that those stand above; shape (n,) of the signals.

    Args:
        state: the memory.
        standing: how its signals stand. Of the messages that have several, the nearest one stands for all.
        above: rows of the messages that are lifted, in an order in which those come first that others stand above.
        below: the row that each is lifted above.
        newer_above: whether it is the newer ones that stand above.
    """
    upper, lower, total = standing.leaders.take(above), standing.leaders.take(below), standing.total
    # Where each stands above what is right below it, it stands above all others too.
    if not (total[lower] - total[upper] + standing.margin > 0.0).any():
        return None
    best = np.full(len(total), -np.inf)
    np.maximum.at(best, upper, total[lower])
    sequence, day = state.words.column("sequence"), state.words.column("day")
    # Of two that replace each other only one passes on what it has.
    newer = said_before(sequence.take(below), day.take(below), sequence.take(above), day.take(above))
    onwards = newer == newer_above
    chained = _marked(len(total), upper).take(lower) & onwards
    for over, under in zip(upper[chained].tolist(), lower[chained].tolist(), strict=True):
        best[over] = max(best[over], best[under])
    lacking = best[upper] - total[upper] + standing.margin
    # What something else stands above is not lifted itself: that one takes its place.
    short = (lacking > 0.0) & ~_marked(len(total), lower).take(upper)
    if not short.any():
        return None
    lifted = np.zeros(len(total))
    lifted[upper[short]] = lacking[short]
    return lifted


def _marked(size: int, rows: RowNumbers) -> Flags:
    """Which numbers below `size` are among `rows`, shape (size,): quicker than to sort them."""
    marked = np.zeros(size, dtype=np.bool_)
    marked[rows] = True
    return marked
