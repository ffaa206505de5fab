"""What a signal's score is made of: the published product, or the sum of meaning, words, context and activation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from streetai_core.config import Config
from streetai_core.dynamics.decay import TOLERANCE, Flags, Floats, Ints, activation, alive, product_scores
from streetai_core.index.columns import Rows
from streetai_core.recall.evidence import DATE, gather, nearness
from streetai_core.recall.question import Question
from streetai_core.state import MemoryState

LENT = ("words", "author", "time", "length", "whole", "conversation", "change")
"""The parts of a score that a signal has from its message."""

CORRECTION = 0.02
"""By how much a statement stands above the one that it replaces, beyond what activation can make up for."""


@dataclass(frozen=True, slots=True)
class Scored:
    """Candidates before they are sorted; all arrays of shape (n,)."""

    rows: Rows
    similarity: Floats
    parts: dict[str, Floats]
    effective: Floats
    passed: Flags
    death: float
    """The effective weight below which a signal is dead."""


def _similarity(state: MemoryState, question: Question) -> Floats:
    """Cosine of every signal with the question; zeros if it could not be embedded."""
    columns = state.columns
    if question.vector is None or not len(columns):
        return np.zeros(len(columns))
    return columns.similarities(question.vector).astype(np.float64)


def by_product(state: MemoryState, rows: Rows, question: Question, config: Config) -> Scored:
    """The published score: weight times similarity."""
    similarity = _similarity(state, question)[rows]
    effective = state.effective(rows, question.turn, config)
    dead = ~alive(effective, config.death_threshold)
    scores = product_scores(effective, similarity, config.revival_floor)
    passed = (scores >= config.activation_threshold - TOLERANCE) & (
        ~dead | (similarity >= config.revival_similarity - TOLERANCE)
    )
    if not config.revival_similarity:
        passed &= ~dead
    return Scored(
        rows,
        similarity,
        {"meaning": similarity, "activation": scores - similarity},
        effective,
        passed,
        config.death_threshold,
    )


def by_sum(state: MemoryState, rows: Rows, question: Question, config: Config) -> Scored:
    """The sum of meaning, words, context and a little activation."""
    every = _similarity(state, question)
    similarity = every[rows]
    effective = state.effective(rows, question.turn, config)
    age: Ints = question.turn - state.columns.column("last_used_turn")[rows]
    parts = {"meaning": similarity if config.strategy != "keyword" else np.zeros(len(rows))}
    if config.strategy != "vector":
        parts |= _lent(state, rows, question, every)
        if not question.time.past:
            _correct(state, parts, rows, every, CORRECTION + config.activation_share)
    parts["activation"] = config.activation_share * activation(effective, age, config.max_base_weight)
    if config.strategy == "vector":
        passed = similarity >= config.min_similarity - TOLERANCE
    else:
        # A correction is as relevant as what it corrects, even if it does not name the matter again.
        passed = parts["meaning"] + parts["words"] + parts["change"] >= config.min_relevance - TOLERANCE
        # What was said on the day that is asked about is wanted whatever it says.
        passed |= parts["time"] >= DATE - TOLERANCE
    if not config.revival_similarity:
        passed &= alive(effective, config.death_threshold)
    return Scored(rows, similarity, parts, effective, passed, config.death_threshold)


def _lent(state: MemoryState, rows: Rows, question: Question, every: Floats) -> dict[str, Floats]:
    """What its message lends to each signal: all of it to the nearest signal, all but the words to the others.

    So a long message is found by its words once, and its other signals by what they mean.
    """
    words = state.words
    lent = {name: np.zeros(len(rows)) for name in LENT}
    if not words.size:
        return lent
    message_rows = words.rows_of(state.columns.column("sequence"))
    at = message_rows[rows]
    known = at >= 0
    near = nearness(message_rows, every, words.size)
    for name, part in gather(words, question, near).parts.items():
        lent[name][known] = part[at[known]]
    lent["words"][~_leading(state, rows, every)] = 0.0
    return lent


def _leading(state: MemoryState, rows: Rows, every: Floats) -> Flags:
    """Which signals are the nearest of their message; of those that tie, the one with the first place in it."""
    columns = state.columns
    at = state.words.rows_of(columns.column("sequence")[rows])
    order = np.lexsort((columns.column("chunk_index")[rows], -every[rows], at))
    _, first = np.unique(at[order], return_index=True)
    leading = np.zeros(len(rows), dtype=np.bool_)
    leading[order[first]] = True
    leading &= at >= 0
    return leading


def _correct(state: MemoryState, parts: dict[str, Floats], rows: Rows, every: Floats, margin: float) -> None:
    """Lift every statement above the one that it replaces, by the part "change"; the oldest first, for chains."""
    words = state.words
    replacements = words.replacements()
    if not replacements:
        return
    leading = np.flatnonzero(_leading(state, rows, every))
    place = np.full(words.size, -1)
    place[words.rows_of(state.columns.column("sequence")[rows[leading]])] = leading
    sequence = words.column("sequence")
    for newer, older in sorted(replacements, key=lambda pair: int(sequence[pair[0]])):
        new, old = int(place[newer]), int(place[older])
        if min(new, old) < 0:
            continue
        gap = sum(float(part[old] - part[new]) for part in parts.values())
        parts["change"][new] += max(0.0, gap + margin)
