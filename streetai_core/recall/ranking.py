"""Which signals a question wakes, and in what order: rules over the arrays of a memory."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from streetai_core.config import Config
from streetai_core.dynamics.decay import TOLERANCE, Flags, Floats, Ints, activation, alive, product_scores
from streetai_core.index.columns import Rows
from streetai_core.state import MemoryState
from streetai_core.types import ActivatedStack, Vector

DUPLICATE_SIMILARITY = 0.98
"""Two signals this close say the same words; only the better one is worth tokens. Texts that differ in a number or a
name lie below it with all-MiniLM-L6-v2."""


_ENOUGH = 2
"""Twice the thinking space: what is too long for the budget is passed over for what follows it."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """All candidates of one question as parallel arrays, shape (n,), best first."""

    rows: Rows
    """Rows of the state's columns."""
    scores: Floats
    similarity: Floats
    """Cosine with the question; the rest of the score is what weight and age add (or, as a product, take away)."""
    effective: Floats
    passed: Flags
    """Whether the gate lets the signal through."""
    revived: Flags
    """Passed, and dead."""


@dataclass(frozen=True, slots=True)
class Question:
    """What ranking needs to know of a question."""

    vector: Vector
    turn: int
    without_messages: Collection[int] = ()
    """Sequences of messages that are shown anyway."""


def rank(state: MemoryState, question: Question, config: Config) -> tuple[Ranking, list[ActivatedStack]]:
    """Score every candidate of a question.

    Returns:
        The ranking, and the stacks that the question woke, nearest first.
    """
    woken = state.stacks.nearest(question.vector, config.top_stacks)
    rows = np.arange(len(state.columns)) if config.direct_search else state.members(key for key, _ in woken)
    if question.without_messages:
        rows = rows[~np.isin(state.columns.column("sequence")[rows], list(question.without_messages))]
    ranking = _score(state, rows, question, config)
    stacks = [
        ActivatedStack(
            stack_id=f"{state.head.token}.stack.{key}", stack_score=cosine, signal_count=state.stacks.size(key)
        )
        for key, cosine in woken
    ]
    return ranking, stacks


def select(state: MemoryState, ranking: Ranking, config: Config) -> list[int]:
    """Positions in the ranking that may be recalled, best first: passed, and not said twice.

    The published pipeline keeps repetitions.
    """
    positions = np.flatnonzero(ranking.passed)
    if config.ranking == "product":
        return list(map(int, positions))
    chosen: list[int] = []
    vectors = np.empty((len(positions), state.columns.dim), dtype=np.float32)
    for position in positions:
        vector = state.columns.vectors[ranking.rows[position]]
        if chosen and float((vectors[: len(chosen)] @ vector).max()) >= DUPLICATE_SIMILARITY:
            continue
        vectors[len(chosen)] = vector
        chosen.append(int(position))
        if len(chosen) == _ENOUGH * config.max_thinking_space:
            break
    return chosen


def _score(state: MemoryState, rows: Rows, question: Question, config: Config) -> Ranking:
    """Scores of `rows`, sorted best first; on a tie the newer signal."""
    columns = state.columns
    every = columns.similarities(question.vector) if len(columns) else np.zeros(0, dtype=np.float32)
    similarity = every[rows].astype(np.float64)
    effective = state.effective(rows, question.turn, config)
    dead = ~alive(effective, config.death_threshold)
    if config.ranking == "product":
        scores = product_scores(effective, similarity, config.revival_floor)
        passed = (scores >= config.activation_threshold - TOLERANCE) & (
            ~dead | (similarity >= config.revival_similarity - TOLERANCE)
        )
        if not config.revival_similarity:
            passed &= ~dead
    else:
        age: Ints = question.turn - columns.column("last_used_turn")[rows]
        scores = similarity + config.activation_share * activation(effective, age, config.max_base_weight)
        passed = similarity >= config.min_similarity - TOLERANCE
        if not config.revival_similarity:
            passed &= ~dead
    order = np.lexsort((-columns.keys[rows], -scores))
    return Ranking(
        rows=rows[order],
        scores=scores[order],
        similarity=similarity[order],
        effective=effective[order],
        passed=passed[order],
        revived=(passed & dead)[order],
    )
