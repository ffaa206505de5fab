"""What a signal's score is made of: the published product, or the sum of meaning, words, context and activation.

The sum is first added up for all signals but for activation and learning, which are small and bounded. Only those that
can be among the best with them are then looked at closely, and judged by the gate; only what is shown gets its parts.
Of many signals the sum is made of estimates of their cosines (`index/codes.py`); the best get the cosine itself, as
what they mean. What a message is lent for others, its stretch above all, stays an estimate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from streetai_core.arrays import Flags, Floats, RowNumbers
from streetai_core.config import Config
from streetai_core.dynamics.activation import ACTIVATION_SPREAD
from streetai_core.dynamics.decay import TOLERANCE, alive, product_scores
from streetai_core.index.cone import beyond
from streetai_core.recall.lending import Lending
from streetai_core.recall.past import Activation, lessons_of
from streetai_core.recall.question import Question
from streetai_core.recall.scope import Scope
from streetai_core.recall.topmost import topmost
from streetai_core.state import MemoryState
from streetai_core.types import Vector

RELEVANT = ("meaning", "words", "neighbours", "change")
"""The parts that make a signal relevant to a question: the gate looks at them together."""

Parts: TypeAlias = Callable[[RowNumbers], dict[str, Floats]]
"""The parts of the scores of candidates, by their numbers; each of shape (k,). They sum to the scores. Only what is
shown is asked for."""

PLAIN = 3.0
"""The memory plainly knows of what is asked where the best is so many times as relevant as it must be. That is so of
nine in ten questions that it can answer, and of two in five about what other people's memories tell."""

BESIDE = 2 / 3
"""The share of the relevance which is enough for the others then: an answer in words of its own is far down, but within
the budget ("When do I take my iron?" - "bedtime then. I'm not giving up my 6am brew"). In three conversations that no
weight had seen it is 1.5 points more of the evidence at 1,500 tokens and 3.2 at 3,000, on all others half a point at
most, up or down. Without the condition, questions that nothing answers would get up to a quarter more to read."""

_ROUNDING = 1e-9
"""More than sums of ten parts differ by when they are added in another order."""


Those = TypeVar("Those")
"""Candidates, sorted or not."""


@dataclass(frozen=True, slots=True)
class Leading(Generic[Those]):
    """Which signals have the words of their messages: the nearest ones, unless others are chosen."""

    meaning: Floats
    """What every signal of the memory means beside the question, or about so much, shape (n,); minus infinity for one
    that is not searched."""
    leaders: RowNumbers
    """Which signal has the words of each message, -1 for a message without any, shape (m,)."""
    by: Callable[[RowNumbers], Those]
    """Gives the same candidates where these signals, one of a message, have the words. They take the place of those
    that there are, whose parts change."""


@dataclass(frozen=True, slots=True)
class Scored:
    """Candidates before they are sorted; all arrays of shape (n,)."""

    rows: RowNumbers
    similarity: Floats
    scores: Floats
    parts: Parts
    effective: Floats
    passed: Flags
    death: float
    """The effective weight below which a signal is dead."""
    common: float = 0.0
    """What all vectors have in common, and no score counts."""
    least: float = 0.0
    """The relevance from which the gate of meaning and words lets a signal through."""
    of_time: Flags | None = None
    """Which are of a time that the question names; `None`: nobody looks at it."""
    leading: Leading[Scored] | None = None
    """Which signals stand for their messages; `None`: none does, or all do alike."""


def by_product(state: MemoryState, rows: RowNumbers, question: Question, config: Config) -> Scored:
    """The published score: weight times similarity.

    Args:
        state: the memory.
        rows: the signals to score.
        question: what is asked.
        config: the settings.
    """
    similarity = np.zeros(len(rows))
    if question.vector is not None:
        similarity = state.columns.similarities_of(rows, question.vector).astype(np.float64)
    effective = state.effective(rows, question.turn, config)
    dead = ~alive(effective, config.death_threshold)
    scores = product_scores(effective, similarity, config.revival_floor)
    passed = (scores >= config.activation_threshold - TOLERANCE) & (
        ~dead | (similarity >= config.revival_similarity - TOLERANCE)
    )
    if not config.revival_similarity:
        passed &= ~dead

    def parts(numbers: RowNumbers) -> dict[str, Floats]:
        # An unlearned weight of 1 that has not faded would leave the similarity as it is.
        near, base = similarity[numbers], state.columns.base[rows[numbers]]
        learned = (base - 1.0) * np.maximum(near, 0.0)
        return {"meaning": near, "activation": scores[numbers] - near - learned, "learning": learned}

    return Scored(rows, similarity, scores, parts, effective, passed, config.death_threshold)


def by_sum(
    state: MemoryState, scope: Scope, question: Question, config: Config, *, depth: int, sure: int | None
) -> Scored:
    """The sum of meaning, words, context and a little activation, of all signals that can be among the best.

    Args:
        state: the memory.
        scope: which signals may be found. What is left out still lends its context.
        question: what is asked.
        config: the settings.
        depth: how many of the best are wanted.
        sure: how many of them get their cosine in place of an estimate, and all that are as near to being among those;
            `None`: all. Each may have to be read from the file.
    """
    similarity, error = _estimates(state, question)
    nearness = beyond(similarity, question.common)
    unknown = _unknown(state, question, config)
    if len(unknown):
        nearness = _neutral(state, nearness, unknown)
    meaning = nearness if config.strategy != "keyword" else np.zeros(len(similarity))
    lessons = lessons_of(state, question, config, doubtful=scope.doubtful)
    lending = None
    if config.strategy != "vector":
        lending = Lending(state, scope, question, config, similarity=nearness, meaning=meaning, lessons=lessons)
        total = lending.total
    else:
        total = meaning if lessons is None else meaning + lessons
    return _Sum(
        state, scope, question, config, depth, sure, error, unknown, similarity, meaning, lessons, lending, total
    ).scored()


@dataclass(frozen=True, slots=True)
class _Sum:
    """The sum of all signals of a memory but for activation; its arrays of shape (n,) are made exact as it is used."""

    state: MemoryState
    scope: Scope
    question: Question
    config: Config
    depth: int
    sure: int | None
    error: float
    """How far an estimated cosine may be off; 0: none is an estimate."""
    unknown: RowNumbers
    """The signals that have no vector, where others have one."""
    similarity: Floats
    meaning: Floats
    lessons: Floats | None
    lending: Lending | None
    """What messages lend to their signals; `None`: meaning alone counts."""
    total: Floats

    def scored(self) -> Scored:
        """The best, looked at closely."""
        state, question, config = self.state, self.question, self.config
        within = config.activation_share * ACTIVATION_SPREAD + _ROUNDING + 2.0 * self.error / (1.0 - question.common)
        rows = self.scope.topmost(self.total, self.depth, within)
        if question.vector is not None and self.error:
            self._make_exact(rows, question.vector, within)
        effective = state.effective(rows, question.turn, config)
        best = self.scope.best(self.total, rows, self.depth)
        good = float(self.total[best].min()) if len(best) else math.inf
        activation = Activation(state, question, config, total=self.total, good=good, doubtful=self.scope.doubtful)
        learned, freshness = activation.of(rows, effective)
        given = np.zeros(len(rows)) if self.lessons is None else self.lessons[rows]
        passed, least, of_time = _gated(self.lending, rows, best, self.meaning, config)
        if not config.revival_similarity:
            passed &= alive(effective, config.death_threshold)

        def parts(numbers: RowNumbers) -> dict[str, Floats]:
            some = rows[numbers]
            lent = {} if self.lending is None else self.lending.parts(some)
            return {
                "meaning": self.meaning[some],
                **lent,
                "activation": freshness[numbers],
                "learning": (learned + given)[numbers],
            }

        return Scored(
            rows=rows,
            similarity=self.similarity[rows],
            scores=self.total[rows] + (learned + freshness),
            parts=parts,
            effective=effective,
            passed=passed,
            death=config.death_threshold,
            common=question.common,
            least=least,
            of_time=of_time,
            leading=None if self.lending is None else self._leading(self.lending),
        )

    def _leading(self, lending: Lending) -> Leading[Scored]:
        """Which signals have the words of their messages, and how others get them."""
        allowed = self.scope.allowed

        def led_by(leaders: RowNumbers) -> Scored:
            lending.lead(leaders)
            return self.scored()

        meaning = self.meaning if allowed is None else np.where(allowed, self.meaning, -np.inf)
        return Leading(meaning, lending.leaders, led_by)

    def _make_exact(self, rows: RowNumbers, vector: Vector, within: float) -> None:
        """Put cosines in the place of the estimates of the best of these rows."""
        some = rows if self.sure is None else rows[topmost(self.total[rows], self.sure, within=within)]
        if len(self.unknown):
            some = np.setdiff1d(some, self.unknown)
        cosines = self.state.columns.similarities_of(some, vector).astype(np.float64)
        # The three may be one array, so the similarity goes last.
        if self.config.strategy != "keyword":
            _correct(self.total, self.meaning, some, beyond(cosines, self.question.common))
        self.similarity[some] = cosines


def _correct(total: Floats, meaning: Floats, rows: RowNumbers, exact: Floats) -> None:
    """Put what some signals mean in the place of what was estimated of it, in both arrays, which may be one.

    Args:
        total: the sum of the parts of all signals, shape (n,).
        meaning: one of these parts, shape (n,).
        rows: which signals.
        exact: what they mean, shape of `rows`.
    """
    if total is not meaning:
        total[rows] += exact - meaning[rows]
    meaning[rows] = exact


def _gated(
    lending: Lending | None, rows: RowNumbers, best: RowNumbers, meaning: Floats, config: Config
) -> tuple[Flags, float, Flags | None]:
    """Which candidates the gate lets through.

    Args:
        lending: what messages lend to their signals; `None`: meaning alone decides.
        rows: the candidates.
        best: the best signals, by which the gate is set.
        meaning: what all signals mean, shape (n,).
        config: the settings.

    Returns:
        Which of `rows` pass, how relevant they must be, and which of them are of a time that the question names, if
        anybody looked at it.
    """
    if lending is None:
        return meaning[rows] >= config.min_similarity - TOLERANCE, config.min_similarity, None
    least = least_relevance(lending.relevance(best, meaning[best]), config.min_relevance)
    relevant = lending.relevance(rows, meaning[rows]) >= least - TOLERANCE
    # What was said on the day that is asked about is wanted whatever it says, and what was asked for once for all;
    # but a question that no message answers finds no wish.
    of_time = lending.of_time(rows)
    return relevant | of_time | lending.wished_for(rows), least, of_time


def least_relevance(best: Floats, least: float) -> float:
    """How relevant a signal must be to pass the gate.

    Args:
        best: how relevant the best are, shape (k,).
        least: `min_relevance`.
    """
    return BESIDE * least if len(best) and best.max() >= PLAIN * least - TOLERANCE > 0.0 else least


def _estimates(state: MemoryState, question: Question) -> tuple[Floats, float]:
    """About the cosine of every signal with the question, and how far one may be off.

    Zeros if it could not be embedded.
    """
    columns = state.columns
    if question.vector is None or not len(columns):
        return np.zeros(len(columns)), 0.0
    estimates, error = columns.estimates(question.vector)
    return estimates.astype(np.float64), error


def _unknown(state: MemoryState, question: Question, config: Config) -> RowNumbers:
    """The rows of the signals that have no vector, where others have a meaning, and words find these too."""
    lacking = state.columns.without_vector
    if not lacking or question.vector is None or config.strategy == "vector":
        return np.zeros(0, dtype=np.intp)
    return state.columns.rows(lacking)


def _neutral(state: MemoryState, nearness: Floats, unknown: RowNumbers) -> Floats:
    """How near all signals are, where those in `unknown` count as near as the others on average.

    Zeros would make them the farthest of all.

    What is in quarantine does not count.
    """
    known: Flags = state.shown if state.hidden else np.ones(len(nearness), dtype=np.bool_)
    known[unknown] = False
    if not known.any():
        return nearness
    filled: Floats = nearness.copy()
    # Sorted, so that it is the same to the bit whatever order the rows are in; an exact sum takes six times as long.
    filled[unknown] = np.sort(nearness[known]).mean()
    return filled
