"""What a strategy of one's own is told of a memory, and what becomes of the scores that it gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from streetai_core.arrays import Floats, RowNumbers
from streetai_core.config import Config
from streetai_core.dynamics.decay import alive
from streetai_core.index.row_table import NONE
from streetai_core.recall.question import Question
from streetai_core.recall.scope import Scope, by_stacks, scope_of, woken_stacks
from streetai_core.recall.scoring import Scored, by_sum
from streetai_core.recall.topmost import topmost
from streetai_core.state import MemoryState
from streetai_core.strategy import Judged, Texts, Unranked
from streetai_core.types import ROLES, SOURCES

Number = TypeVar("Number", bound=np.generic)

_CHARACTERS_PER_TOKEN = 4
_EPOCH = date(1970, 1, 1).toordinal()
"""NumPy counts days from here."""


def unranked(
    state: MemoryState, question: Question, config: Config, *, asked_at: datetime, sure: int, leaders: RowNumbers
) -> Unranked:
    """All signals that a question may find, with what the hybrid strategy makes of them; copies.

    Args:
        state: the memory.
        question: what is asked.
        config: the settings.
        asked_at: the time of the question.
        sure: how many of the best get their cosine in place of an estimate.
        leaders: the rows of the signals that have the words of their messages in place of the nearest ones.
    """
    stacks = woken_stacks(state, question, config) if by_stacks(question, config) else None
    scope = scope_of(state, question, config, None, stacks, hidden=False)
    # Whatever is left out beside that: a score does not depend on it.
    scope = replace(scope, allowed=scope.searched)
    hybrid = replace(config, strategy="hybrid")
    scored = by_sum(state, scope, question, hybrid, depth=len(state.columns), sure=sure)
    if len(leaders) and scored.leading is not None:
        scored = scored.leading.by(leaders)
    told = np.flatnonzero(state.alignment.at[scored.rows] != NONE)
    rows = scored.rows[told]
    columns, words, at = state.columns, state.words, state.alignment.at[rows]
    return Unranked(
        question=question.text,
        asked_at=asked_at,
        vector=None if question.vector is None else _kept(question.vector.copy()),
        turn=question.turn,
        parts={name: _kept(part) for name, part in scored.parts(told).items()},
        relevant=_kept(scored.passed[told]),
        similarity=_kept(scored.similarity[told]),
        key=_kept(columns.keys[rows]),
        weight=_kept(scored.effective[told]),
        last_used_turn=_kept(columns.column("last_used_turn")[rows]),
        uses=_kept(columns.column("uses")[rows]),
        is_code=_kept(columns.column("code")[rows] == 1),
        sequence=_kept(columns.column("sequence")[rows]),
        day=_kept((words.column("day")[at] - _EPOCH).astype("datetime64[D]")),
        role=_named(ROLES, words.column("role")[at]),
        author=_named(words.authors, words.column("author")[at]),
        conversation=_named(words.conversations, words.column("conversation")[at]),
        source=_named(SOURCES, words.column("source")[at]),
        trust=_kept(words.trust[at]),
        tokens=_kept(words.column("characters")[at] / _CHARACTERS_PER_TOKEN),
        asks=_kept(words.column("question")[at] == 1),
        replaced=_kept(np.isin(columns.column("sequence")[rows], list(words.replaced()))),
        token=state.head.token,
    )


def by_strategy(
    state: MemoryState,
    scope: Scope,
    question: Question,
    config: Config,
    judged: Judged,
    *,
    depth: int,
    sure: int | None,
) -> Scored:
    """The scores that a strategy gave, of what may be found and can be among the best.

    Args:
        state: the memory, perhaps a later version than the one that the strategy was told of.
        scope: which signals may be found.
        question: what is asked.
        config: the settings.
        judged: what the strategy made of it.
        depth: how many of the best are wanted.
        sure: how many of them get their cosine in place of an estimate; `None`: all.
    """
    places = _places(state, judged)
    allowed = places != NONE
    if scope.allowed is not None:
        allowed &= scope.allowed
    total = np.where(allowed, judged.scores[places], 0.0) if len(judged.scores) else np.zeros(len(places))
    rows = replace(scope, allowed=allowed).topmost(total, depth, 0.0)
    numbers = places[rows]
    scores = judged.scores[numbers]
    similarity = judged.similarity[numbers]
    if question.vector is not None:
        some = np.arange(len(rows)) if sure is None else topmost(scores, sure)
        similarity[some] = state.columns.similarities_of(rows[some], question.vector)
    effective = state.effective(rows, question.turn, config)
    passed = np.ones(len(rows), dtype=np.bool_)
    if not config.revival_similarity:
        passed &= alive(effective, config.death_threshold)

    def parts(some: RowNumbers) -> dict[str, Floats]:
        return {name: part[numbers[some]] for name, part in judged.parts.items()}

    return Scored(rows, similarity, scores, parts, effective, passed, config.death_threshold, question.common)


def _places(state: MemoryState, judged: Judged) -> RowNumbers:
    """Where each signal stands in what was judged; -1 for one that was not, or is not to be found. Shape (n,)."""
    places = np.full(len(state.columns), NONE, dtype=np.intp)
    found = np.flatnonzero(judged.scores > -np.inf)
    rows = state.columns.rows_of(judged.keys[found])
    there = rows != NONE
    places[rows[there]] = found[there]
    return places


def _named(names: tuple[str, ...] | Mapping[str, int] | Mapping[str | None, int], numbers: RowNumbers) -> Texts:
    """The name behind each number; `None` for none."""
    # One more than there are names: -1, which stands for none, is the last.
    known = np.array([*names, None], dtype=np.object_)
    return _kept(known[numbers])


def _kept(array: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """The array, which nobody writes to any more."""
    array.setflags(write=False)
    return array
