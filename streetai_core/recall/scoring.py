"""What a signal's score is made of: the published product, or the sum of meaning, words, context and activation.

The sum is first added up for all signals but for activation, which is small and bounded. Only those that can be among
the best with it are then looked at closely: they get their parts, and are judged by the gate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from streetai_core.config import Config
from streetai_core.dynamics.decay import (
    ACTIVATION_SPREAD,
    TOLERANCE,
    Flags,
    Floats,
    Ints,
    activation,
    alive,
    product_scores,
)
from streetai_core.index.columns import Rows
from streetai_core.recall.evidence import DATE, Evidence, gather
from streetai_core.recall.question import Question
from streetai_core.recall.topmost import topmost
from streetai_core.state import MemoryState

LENT = ("words", "author", "time", "length", "asking", "whole", "conversation", "change")
"""The parts of a score that a signal has from its message."""

CORRECTION = 0.02
"""By how much a statement stands above the one that it replaces, beyond what activation can make up for."""

_ROUNDING = 1e-9
"""More than sums of ten parts differ by when they are added in another order."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which signals a question may find; arrays of shape (n,), `None`: all."""

    searched: Flags | None = None
    """Those that are looked at: with `direct_search` off, those of the woken stacks."""
    allowed: Flags | None = None
    """Those among them that the caller wants."""
    doubtful: Flags | None = None
    """Those that are not trusted; `None`: none."""

    def topmost(self, total: Floats, depth: int, within: float) -> Rows:
        """The allowed signals, ascending, that are trusted and among the best, and all that are not trusted."""
        if self.doubtful is None:
            return topmost(total, depth, within=within, allowed=self.allowed)
        allowed = np.ones(len(total), dtype=np.bool_) if self.allowed is None else self.allowed
        trusted = topmost(total, depth, within=within, allowed=allowed & ~self.doubtful)
        return np.sort(np.concatenate([trusted, np.flatnonzero(allowed & self.doubtful)]))


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


def by_product(state: MemoryState, rows: Rows, question: Question, config: Config) -> Scored:
    """The published score: weight times similarity.

    Args:
        state: the memory.
        rows: the signals to score.
        question: what is asked.
        config: the settings.
    """
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


def by_sum(state: MemoryState, scope: Scope, question: Question, config: Config, depth: int) -> Scored:
    """The sum of meaning, words, context and a little activation, of all signals that can be among the best.

    Args:
        state: the memory.
        scope: which signals may be found. What is left out still lends its context.
        question: what is asked.
        config: the settings.
        depth: how many of the best are wanted.
    """
    similarity = _similarity(state, question)
    lending = None if config.strategy == "vector" else _Lending(state, scope, question, config, similarity)
    total = similarity if lending is None else lending.total
    rows = scope.topmost(total, depth, config.activation_share * ACTIVATION_SPREAD + _ROUNDING)
    near = similarity[rows]
    effective = state.effective(rows, question.turn, config)
    age: Ints = question.turn - state.columns.column("last_used_turn")[rows]
    parts = {"meaning": near if config.strategy != "keyword" else np.zeros(len(rows))}
    if lending is None:
        passed = near >= config.min_similarity - TOLERANCE
    else:
        parts |= lending.parts(rows)
        # A correction is as relevant as what it corrects, even if it does not name the matter again.
        passed = parts["meaning"] + parts["words"] + parts["change"] >= config.min_relevance - TOLERANCE
        # What was said on the day that is asked about is wanted whatever it says.
        passed |= parts["time"] >= DATE - TOLERANCE
    bounds = (config.min_base_weight, config.max_base_weight)
    parts["activation"] = config.activation_share * activation(state.columns.base[rows], effective, age, bounds)
    if not config.revival_similarity:
        passed &= alive(effective, config.death_threshold)
    return Scored(rows, near, parts, effective, passed, config.death_threshold)


def _similarity(state: MemoryState, question: Question) -> Floats:
    """Cosine of every signal with the question; zeros if it could not be embedded."""
    columns = state.columns
    if question.vector is None or not len(columns):
        return np.zeros(len(columns))
    return columns.similarities(question.vector).astype(np.float64)


class _Lending:
    """What messages lend to their signals: all of it to the nearest signal, all but the words to the others.

    So a long message is found by its words once, and its other signals by what they mean.
    """

    def __init__(
        self, state: MemoryState, scope: Scope, question: Question, config: Config, similarity: Floats
    ) -> None:
        alignment = state.alignment
        self._at = alignment.at
        self._evidence: Evidence = (
            gather(state.words, question, alignment.nearness(similarity)) if state.words.size else {}
        )
        searched = scope.searched
        self._followers = alignment.followers(
            similarity if searched is None else np.where(searched, similarity, -np.inf)
        )
        self._leads = np.ones(len(similarity), dtype=np.bool_)
        self._leads[self._followers] = False
        self.total = self._total(similarity if config.strategy != "keyword" else np.zeros(len(similarity)))
        """What each signal scores without activation, shape (n,)."""
        self._lifted: dict[int, float] = {}
        if not question.time.past:
            self._correct(state, alignment.order, searched, CORRECTION + config.activation_share * ACTIVATION_SPREAD)

    def parts(self, rows: Rows) -> dict[str, Floats]:
        """What these signals, in ascending order, have from their messages, by name."""
        at = self._at[rows]
        known = at >= 0
        lent: dict[str, Floats] = {}
        for name in LENT:
            part = lent[name] = np.zeros(len(rows))
            if name in self._evidence:
                part[known] = self._evidence[name][at[known]]
        lent["words"][~self._leads[rows]] = 0.0
        if self._lifted:
            at_lifted = np.searchsorted(rows, list(self._lifted))
            for number, (row, lift) in zip(at_lifted.tolist(), self._lifted.items(), strict=True):
                if number < len(rows) and rows[number] == row:
                    lent["change"][number] = lift
        return lent

    def _total(self, meaning: Floats) -> Floats:
        if not self._evidence:
            return meaning
        of_message = np.sum(list(self._evidence.values()), axis=0)
        # -1, which stands for no message, is the last.
        total: Floats = meaning + np.append(of_message, 0.0)[self._at]
        followers = self._followers
        total[followers] -= self._evidence["words"][self._at[followers]]
        return total

    def _correct(self, state: MemoryState, order: Rows, searched: Flags | None, margin: float) -> None:
        """Lift every statement above the one that it replaces, by the part "change"; the oldest first, for chains."""
        links = state.words.replacements()
        if not links:
            return
        place = np.full(state.words.size + 1, -1)
        place[self._at] = np.arange(len(self._at))
        # Of the messages that have several signals, the nearest one stands for all.
        nearest = order[self._leads[order]]
        place[self._at[nearest]] = nearest
        newer, older = (place[np.array(side)] for side in zip(*links, strict=True))
        both = (newer >= 0) & (older >= 0)
        if searched is not None:
            both &= searched[newer] & searched[older]
        pairs = (newer[both], older[both])
        rows = zip(*(side.tolist() for side in pairs), *(self.total[side].tolist() for side in pairs), strict=True)
        for new, old, new_total, old_total in rows:
            lift = old_total + self._lifted.get(old, 0.0) - new_total - self._lifted.get(new, 0.0) + margin
            if lift > 0:
                self._lifted[new] = self._lifted.get(new, 0.0) + lift
        for row, lift in self._lifted.items():
            self.total[row] += lift
