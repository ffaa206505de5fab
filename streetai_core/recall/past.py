"""What signals score for their past: for what replies have taught, and for being fresh."""

from __future__ import annotations

import math

import numpy as np

from streetai_core.arrays import Flags, Floats, Integers, RowNumbers
from streetai_core.config import Config
from streetai_core.dynamics.activation import present, taught, within_reach
from streetai_core.dynamics.learning import most_uses
from streetai_core.index.cone import beyond
from streetai_core.recall.question import Question
from streetai_core.state import MemoryState


def lessons_of(state: MemoryState, question: Question, config: Config, *, doubtful: Flags | None) -> Floats | None:
    """What signals score for having helped to answer questions like this one, shape (n,); `None`: none did.

    Args:
        state: the memory.
        question: what is asked; without a vector nobody knows what it is like.
        config: the settings.
        doubtful: the signals that are not trusted, shape (n,); `None`: none. What was trusted when it helped may be so
            no more.
    """
    if question.vector is None or not len(state.cues):
        return None
    signals, cosines = state.cues.near(question.vector)
    gained = config.activation_share * taught(beyond(cosines.astype(np.float64), question.common))
    some = np.flatnonzero(gained > 0.0)
    if state.hidden and len(some):
        some = some[_shown(state, some)]
    if not len(some):
        return None
    lessons = np.zeros(len(state.columns))
    np.maximum.at(lessons, state.columns.rows(signals[some].tolist()), gained[some])
    if doubtful is not None:
        lessons[doubtful] = 0.0
    return lessons


def _shown(state: MemoryState, cues: RowNumbers) -> Flags:
    """Which of some cues count where messages are in quarantine, shape (n,): their questions would go with those."""
    questions = state.cues.questions_at(cues)
    hidden = set(questions).intersection(state.hidden.values())
    gone = {question for question in hidden if not state.words.said([question])}
    return np.array([question not in gone for question in questions], dtype=np.bool_)


class Activation:
    """What signals score for having been of use at all, and for being fresh.

    Args:
        state: the memory.
        question: at whose turn.
        config: the settings.
        total: what all signals score without it, shape (n,).
        good: the score from which on they are among the best.
        doubtful: those that are not trusted, shape (n,); `None`: none.
    """

    def __init__(
        self,
        state: MemoryState,
        question: Question,
        config: Config,
        *,
        total: Floats,
        good: float,
        doubtful: Flags | None,
    ) -> None:
        self._columns = state.columns
        self._turn = question.turn
        self._share = config.activation_share
        self._total = total
        self._good = good
        self._doubtful = doubtful
        self._most = most_uses(config.trusted_from, config)
        self._most_doubtful = most_uses(-math.inf, config)

    def of(self, rows: RowNumbers, effective: Floats) -> tuple[Floats, Floats]:
        """Both parts of the scores of signals, by their rows and effective weights; shape (k,) each."""
        age: Integers = self._turn - self._columns.column("last_used_turn")[rows]
        most = self._most if self._doubtful is None else np.where(self._doubtful[rows], self._most_doubtful, self._most)
        uses = np.minimum(self._columns.column("uses")[rows], most)
        learned, freshness = present(uses, self._columns.base[rows], effective, age)
        return self._share * learned * within_reach(self._total[rows], self._good), self._share * freshness
