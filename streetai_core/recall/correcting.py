"""What newer statements get for standing above the older ones that they replace or may bring up to date.

What replaces what is known where it was said so (`knowledge/changes.py`): such a statement stands above the other
whatever it takes. Far more can be seen only by a question (`recall/news.py`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from streetai_core.dynamics.decay import Floats
from streetai_core.index.among import among
from streetai_core.recall.news import news
from streetai_core.recall.question import Question
from streetai_core.recall.standing import Standing
from streetai_core.state import MemoryState
from streetai_core.text.marks import CORRECTED

CORRECTION = 0.02
"""By how much a statement stands above the one that it replaces, beyond what activation can make up for."""


def lifts(state: MemoryState, question: Question, standing: Standing) -> Floats | None:
    """What signals get, shape (n,); `None`: none gets anything."""
    of_past = question.time.past
    replacing = _replacing(state, standing, corrections_alone=of_past)
    if question.vector is None:
        return replacing
    # What replaces another stands in its place; what brings news of either stands above both.
    lifted = standing if replacing is None else replace(standing, total=standing.total + replacing)
    new = news(state, question, lifted)
    if new is None:
        return replacing
    again = _replacing(state, replace(lifted, total=lifted.total + new), corrections_alone=of_past)
    return sum((more for more in (replacing, again) if more is not None), start=new)


def _replacing(state: MemoryState, standing: Standing, *, corrections_alone: bool) -> Floats | None:
    """What lifts every statement above the one that it replaces; in chains above all before it.

    Where the past is asked for, what was so stands first, but what was said of it wrongly does not.
    """
    links = state.words.replacements()
    if not len(links):
        return None
    total, leaders, searched = standing.total, standing.leaders, standing.searched
    later, earlier = np.ascontiguousarray(links.T)
    # Of the messages that have several signals, the nearest one stands for all.
    newer, older = leaders.take(later), leaders.take(earlier)
    both = (newer >= 0) & (older >= 0)
    if corrections_alone:
        both &= among(later, state.words.rows_with(CORRECTED))
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
