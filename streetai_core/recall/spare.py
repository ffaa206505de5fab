"""What a prompt may take that is not relevant enough, where a token budget leaves room for it.

What answers in words of its own, or is badly typed, is no more relevant than much that is beside the point. It is
offered last, so that it takes room from nothing that passes the gate; and only where the memory knows of what is asked,
or who asks expects it to, so that it does not fill what is sent for a question that nothing answers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from streetai_core.arrays import Floats
from streetai_core.config import Config
from streetai_core.dynamics.decay import TOLERANCE, alive
from streetai_core.recall.ranking import Ranking
from streetai_core.recall.repetition import without_repetitions
from streetai_core.recall.scoring import RELEVANT
from streetai_core.state import MemoryState
from streetai_core.strategy import Strategy
from streetai_core.text.asking import told_wanted

KNOWN = 2.0
"""The memory knows of what is asked where the best is so many times as relevant as it must be. That is so of 98 in a
hundred questions that it can answer, and of 74 about what other people's memories tell, in 24 conversations of six
kinds. Where somebody mixes two languages it is so of 86, for the best is less relevant there. So for a question about
what was told (`text/asking.py`), which a memory can mostly answer, it is enough that the best passes the gate: 2.0
points more of the evidence are found with 1,500 tokens in the three conversations of which that is one, 1.5 in dictated
and mistyped ones, and as much as before in others; questions about other lives get a thirteenth more to read."""

SPARE = 1 / 3
"""The share of the relevance that is enough for what fills room. Where messages are short and badly typed, 89.5 percent
of the evidence are found with 1,500 tokens in place of 85.5, and 93.8 with 3,000 in place of 88.3; with a half 85.5 and
89.8, with a quarter as many as with a third. In nine other files of conversations it is .4 and 1.0 points more in the
mean, and in none fewer."""


def spare(
    state: MemoryState, ranking: Ranking, config: Config, chosen: Sequence[int], *, question: str, most: int
) -> list[int]:
    """Positions in the ranking that did not pass the gate and may fill room that is left, best first.

    None of what is not trusted, cannot be revived, or says what is sent already. None at all where something else than
    relevance decides what is recalled.

    Args:
        state: the memory.
        ranking: the candidates.
        config: the settings.
        chosen: the positions that were selected.
        question: what is asked.
        most: most positions.
    """
    otherwise = config.ranking == "product" or config.strategy == "vector" or isinstance(config.strategy, Strategy)
    if otherwise or not chosen:
        return []
    relevance, least = _relevance(ranking), config.min_relevance
    known = least if told_wanted(question) else KNOWN * least
    if not relevance[np.array(chosen)].max() >= known - TOLERANCE > 0.0:
        return []
    fills = (relevance >= SPARE * least - TOLERANCE) & ~ranking.passed & ~ranking.doubtful
    if not config.revival_similarity:
        fills &= alive(ranking.effective, config.death_threshold)
    positions = np.concatenate([np.array(chosen, dtype=np.intp), np.flatnonzero(fills)[:most]])
    unlike = without_repetitions(state.columns, ranking.rows[positions], ranking.duplicate, len(positions))
    return [int(position) for position in positions[unlike[unlike >= len(chosen)]]]


def _relevance(ranking: Ranking) -> Floats:
    """How relevant the candidates are, shape (n,)."""
    parts = ranking.parts_of(np.arange(len(ranking.rows)))
    total: Floats = np.sum([parts[name] for name in RELEVANT if name in parts], axis=0)
    return total
