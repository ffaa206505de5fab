"""Which signals a question wakes, and in what order: rules over the arrays of a memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from streetai_core.config import Config
from streetai_core.dynamics.decay import Flags, Floats, alive
from streetai_core.index.columns import Rows
from streetai_core.recall.filtering import RecallFilter
from streetai_core.recall.question import Question
from streetai_core.recall.scoring import Scored, by_product, by_sum
from streetai_core.state import MemoryState
from streetai_core.types import ActivatedStack

DUPLICATE_SIMILARITY = 0.98
"""Two signals this close say the same words; only the better one is worth tokens. Texts that differ in a number or a
name lie below it with all-MiniLM-L6-v2."""

_SPARE = 2
"""Twice as many candidates as are wanted: what is too long for the budget is passed over for what follows it."""

_CHARACTERS_PER_TOKEN = 4
_SHARE = 3
"""A message takes at most a third of the room, and a long one half of itself."""

_ROOMS = 4
"""Candidates are selected for four times the room, because the best value for their tokens is not the best score."""

_DEPTH = 4
_DEPTH_LEAST = 256
"""Far more than ever were repetitions, and still few beside a large memory."""

_TOKENS_PER_HIT = 12
"""Least tokens that a hit takes on average; a prompt never has more hits than its budget has these."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """All candidates of one question as parallel arrays, shape (n,), best first."""

    rows: Rows
    """Rows of the state's columns."""
    scores: Floats
    similarity: Floats
    """Cosine with the question."""
    parts: dict[str, Floats]
    """What the scores are made of, by name; they sum to them."""
    effective: Floats
    passed: Flags
    """Whether the gate lets the signal through."""
    revived: Flags
    """Passed, and dead."""


def rank(
    state: MemoryState, question: Question, config: Config, *, depth: int, wanted: RecallFilter | None = None
) -> tuple[Ranking, list[ActivatedStack]]:
    """Score every candidate of a question.

    Args:
        state: the memory.
        question: what is asked.
        config: the settings.
        depth: how many of the best candidates are wanted.
        wanted: which signals may be found; `None`: all.

    Returns:
        The ranking, and the stacks that the question woke, nearest first.
    """
    woken = [] if question.vector is None else state.stacks.nearest(question.vector, config.top_stacks)
    every = np.arange(len(state.columns))
    rows = every if config.direct_search else state.members(key for key, _ in woken)
    scored = (
        by_product(state, rows, question, config)
        if config.ranking == "product"
        else by_sum(state, rows, question, config)
    )
    if wanted is not None:
        scored = _only(scored, wanted.allows(state)[scored.rows])
    stacks = [
        ActivatedStack(
            stack_id=f"{state.head.token}.stack.{key}", stack_score=cosine, signal_count=state.stacks.size(key)
        )
        for key, cosine in woken
    ]
    return _sorted(state, scored, question, depth), stacks


def select(state: MemoryState, ranking: Ranking, config: Config, most: int, room: int | None = None) -> list[int]:
    """Positions in the ranking that may be recalled, best first: passed, and not said twice.

    The published pipeline keeps repetitions.

    Args:
        state: the memory.
        ranking: the candidates.
        config: the settings.
        most: most positions.
        room: tokens that their passages can take; what is far beyond is not selected.
    """
    positions = np.flatnonzero(ranking.passed)
    if config.ranking == "product":
        return list(map(int, positions[:most]))
    if room is not None:
        positions = positions[: _enough(state, ranking, positions, config, room)]
    chosen: list[int] = []
    vectors = np.empty((min(most, len(positions)), state.columns.dim), dtype=np.float32)
    for position in positions:
        if len(chosen) == most:
            break
        vector = state.columns.vectors[ranking.rows[position]]
        if chosen and float((vectors[: len(chosen)] @ vector).max()) >= DUPLICATE_SIMILARITY:
            continue
        vectors[len(chosen)] = vector
        chosen.append(int(position))
    return chosen


def _enough(state: MemoryState, ranking: Ranking, positions: Rows, config: Config, room: int) -> int:
    """How many of the first positions have passages for several times the room."""
    words = state.words
    at = words.rows_of(state.columns.column("sequence")[ranking.rows[positions]])
    characters = np.where(at >= 0, words.column("characters")[at], 0) if words.size else np.zeros(len(at))
    _, first = np.unique(at, return_index=True)
    cost = np.zeros(len(at))
    tokens = characters[first] / _CHARACTERS_PER_TOKEN
    cost[first] = np.minimum(np.where(tokens > config.passage_tokens, tokens / 2, tokens), room / _SHARE)
    return int(np.searchsorted(np.cumsum(cost), _ROOMS * room)) + 1


def deep(wide: int) -> int:
    """How many of the best candidates to look at where `wide` are to be selected: some say the same, or do not pass."""
    return _DEPTH * wide + _DEPTH_LEAST


def _only(scored: Scored, kept: Flags) -> Scored:
    """Some of the candidates. Left out after scoring, so that a score does not depend on the filter."""
    return Scored(
        rows=scored.rows[kept],
        similarity=scored.similarity[kept],
        parts={name: part[kept] for name, part in scored.parts.items()},
        effective=scored.effective[kept],
        passed=scored.passed[kept],
        death=scored.death,
    )


def considered(config: Config, *, limit: int | None = None, token_budget: int | None = None) -> int:
    """How many candidates to select, so that enough fit."""
    most = config.max_thinking_space if limit is None else limit
    if config.budget_decides and token_budget is not None:
        most = max(most, token_budget // _TOKENS_PER_HIT)
    return _SPARE * most


def _sorted(state: MemoryState, scored: Scored, question: Question, depth: int) -> Ranking:
    """Candidates that are not shown anyway, best first; on a tie the newer signal. Only the `depth` best."""
    columns = state.columns
    kept = np.arange(len(scored.rows))
    if question.without_messages:
        kept = kept[~np.isin(columns.column("sequence")[scored.rows], list(question.without_messages))]
    scores: Floats = np.asarray(np.sum(list(scored.parts.values()), axis=0), dtype=np.float64)
    kept = _best(kept, scores, depth)
    order = kept[np.lexsort((-columns.keys[scored.rows[kept]], -scores[kept]))][:depth]
    effective = scored.effective[order]
    return Ranking(
        rows=scored.rows[order],
        scores=scores[order],
        similarity=scored.similarity[order],
        parts={name: part[order] for name, part in scored.parts.items()},
        effective=effective,
        passed=scored.passed[order],
        revived=scored.passed[order] & ~alive(effective, scored.death),
    )


def _best(kept: Rows, scores: Floats, depth: int) -> Rows:
    """Those of `kept` with one of the `depth` best scores, in any order; those that tie with the last one too."""
    if len(kept) <= depth:
        return kept
    last = np.partition(scores[kept], len(kept) - depth)[len(kept) - depth]
    best: Rows = kept[scores[kept] >= last]
    return best
