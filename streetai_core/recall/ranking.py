"""Which signals a question wakes, and in what order: rules over the arrays of a memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from streetai_core.arrays import Flags, Floats, Integers, RowNumbers
from streetai_core.config import Config
from streetai_core.dynamics.decay import alive
from streetai_core.dynamics.trust import Share
from streetai_core.index.cone import cosine_of
from streetai_core.recall.filtering import RecallFilter
from streetai_core.recall.own_strategy import by_strategy
from streetai_core.recall.question import Question
from streetai_core.recall.repetition import without_repetitions
from streetai_core.recall.scope import Scope, by_stacks, scope_of, woken_stacks
from streetai_core.recall.scoring import Leading, Parts, Scored, by_product, by_sum
from streetai_core.recall.topmost import topmost
from streetai_core.state import MemoryState
from streetai_core.strategy import Judged
from streetai_core.types import ActivatedStack

DUPLICATE_SIMILARITY = 0.98
"""Two signals this close say the same words; only the better one is worth tokens. Texts that differ in a number or a
name lie below it with all-MiniLM-L6-v2. Beyond what all vectors have in common."""

_SPARE = 2
"""Twice as many candidates as are wanted: what is too long for the budget is passed over for what follows it."""

_CHARACTERS_PER_TOKEN = 4
_SHARE = 2 / 3
"""A message takes at most two thirds of the room, and a long one half of itself."""

_ROOMS = 3
"""Candidates are selected for three times the room, because the best value for their tokens is not the best score. Four
times find .2 points more of long replies at 3,000 tokens and nothing else, and a prompt takes a quarter more; twice
finds 1.4 less of them at 1,500."""

_DEPTH = 4
_DEPTH_LEAST = 256
"""Far more than ever were repetitions, and still few beside a large memory."""

_APART = np.int64(1_000_003)
"""Keeps the pieces of messages apart where one number stands for text and piece: an odd number without pattern."""

_TOKENS_PER_HIT = 12
"""Least tokens that a hit takes on average; a prompt never has more hits than its budget has these."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """All candidates of one question as parallel arrays, shape (n,), best first."""

    rows: RowNumbers
    """Rows of the state's columns."""
    scores: Floats
    similarity: Floats
    """Cosine with the question."""
    effective: Floats
    passed: Flags
    """Whether the gate lets the signal through."""
    revived: Flags
    """Passed, and dead."""
    doubtful: Flags
    """Not trusted."""
    duplicate: float
    """The cosine from which two signals say the same."""
    least: float
    """The relevance from which the gate of meaning and words lets a signal through."""
    of_time: Flags
    """Of a time that the question names, for which the gate lets the signal through whatever it says."""
    parts_of: Parts
    """What the scores of some candidates are made of, by their places: parts by name, which sum to the scores."""
    leading: Leading[Ranking] | None = None
    """Which signals stand for their messages; `None`: none does, or all do alike."""


def rank(
    state: MemoryState,
    question: Question,
    config: Config,
    *,
    depth: int,
    sure: int | None = None,
    wanted: RecallFilter | None = None,
    hidden: bool = False,
    stacks: bool = True,
    judged: Judged | None = None,
) -> tuple[Ranking, list[ActivatedStack]]:
    """Score every candidate of a question.

    Args:
        state: the memory.
        question: what is asked.
        config: the settings.
        depth: how many of the best candidates are wanted.
        sure: how many of them are to be recalled, at most, and get their cosines where others have estimates; `None`:
            all.
        wanted: which signals may be found; `None`: all.
        hidden: whether signals in quarantine are candidates too, to tell what would be made of them.
        stacks: whether the stacks that the question woke are asked for.
        judged: the scores that a strategy of one's own gave; `None`: the strategy is a built-in one.

    Returns:
        The ranking, and the stacks that the question woke, nearest first.
    """
    narrowed = by_stacks(question, config)
    woken = woken_stacks(state, question, config) if stacks or narrowed else []
    scope = scope_of(state, question, config, wanted, woken if narrowed else None, hidden=hidden)
    if judged is not None:
        scored = by_strategy(state, scope, question, config, judged, depth=depth, sure=sure)
    elif config.ranking == "product":
        rows = np.arange(len(state.columns)) if scope.allowed is None else np.flatnonzero(scope.allowed)
        scored = by_product(state, rows, question, config)
    else:
        scored = by_sum(state, scope, question, config, depth=depth, sure=sure)
    activated = [
        ActivatedStack(
            stack_id=f"{state.head.token}.stack.{key}", stack_score=cosine, signal_count=state.stacks.size(key)
        )
        for key, cosine in woken
    ]
    return _sorted(state, scored, scope, config, depth), activated


def select(
    state: MemoryState,
    ranking: Ranking,
    config: Config,
    most: int,
    *,
    room: int | None = None,
    min_score: float | None = None,
) -> list[int]:
    """Positions in the ranking that may be recalled, best first: passed, and not said twice.

    What is not trusted takes at most its share from what is, and says nothing twice, whoever is named as its author;
    room that nothing trusted fills is free to it. The published pipeline keeps repetitions.

    Args:
        state: the memory.
        ranking: the candidates.
        config: the settings.
        most: most positions.
        room: tokens that their passages can take; what is far beyond is not selected.
        min_score: the least score of what is selected; `None`: any.
    """
    positions = _unlike(state, ranking, config, min_score)
    if not ranking.doubtful[positions].any():
        return _select_trusted(state, ranking, positions, config, most=most, room=room)
    if room is not None and config.ranking != "product":
        doubtful = ranking.doubtful[positions]
        enough = [
            one[: _enough(state, ranking, one, config, room)] for one in (positions[~doubtful], positions[doubtful])
        ]
        positions = np.sort(np.concatenate(enough))
    choice = _Choice(state, ranking, config, min(most, len(positions)))
    share = Share(most, config.max_untrusted_share)
    put_off = []
    for position in map(int, positions):
        if choice.is_full:
            break
        if not ranking.doubtful[position]:
            choice.add(position)
        elif not share.allows(1):
            put_off.append(position)
        elif choice.add(position):
            share.take(1)
    for position in put_off:
        choice.add(position)
    return sorted(choice.positions)


def is_shallow(
    state: MemoryState, ranking: Ranking, config: Config, *, depth: int, most: int, min_score: float | None
) -> bool:
    """Whether copies, or what is dead for good, have taken the places of what may be recalled too.

    Args:
        state: the memory.
        ranking: the candidates.
        config: the settings.
        depth: how many of them were wanted.
        most: how many may be recalled.
        min_score: the least score of what is selected; `None`: any.
    """
    if not depth <= len(ranking.rows) < len(state.columns):
        return False
    # What stands below one that does not pass seldom passes.
    goes_on = ranking.passed[-1] or not config.revival_similarity
    return bool(goes_on and config.ranking != "product") and len(_unlike(state, ranking, config, min_score)) < most


def _unlike(state: MemoryState, ranking: Ranking, config: Config, min_score: float | None) -> RowNumbers:
    """The positions that may be recalled, of those that are the same to the letter the best one."""
    positions = np.flatnonzero(ranking.passed if min_score is None else ranking.passed & (ranking.scores >= min_score))
    return positions if config.ranking == "product" else _without_copies(state, ranking, positions)


def _select_trusted(
    state: MemoryState, ranking: Ranking, positions: RowNumbers, config: Config, *, most: int, room: int | None
) -> list[int]:
    """What `select` gives where everything is trusted: a few products do in place of one for each position."""
    if config.ranking == "product":
        return [int(position) for position in positions[:most]]
    if room is not None:
        positions = positions[: _enough(state, ranking, positions, config, room)]
    chosen = without_repetitions(state.columns, ranking.rows[positions], ranking.duplicate, most)
    return [int(position) for position in positions[chosen]]


class _Choice:
    """Positions chosen so far, none of which says what another one says."""

    def __init__(self, state: MemoryState, ranking: Ranking, config: Config, most: int) -> None:
        self.positions: list[int] = []
        self._state = state
        self._ranking = ranking
        self._repeats = config.ranking == "product"
        self._most = most
        self._vectors = np.empty((most, state.columns.dim), dtype=np.float32)
        self._said: set[tuple[int, ...]] = set()

    @property
    def is_full(self) -> bool:
        """Whether nothing more can be chosen."""
        return len(self.positions) == self._most

    def add(self, position: int) -> bool:
        """Choose a position, unless there is no room or it says what is said already; whether it was chosen."""
        if self.is_full or (not self._repeats and self._is_said(position)):
            return False
        self._vectors[len(self.positions)] = self._state.columns.vectors_of(self._ranking.rows[position])
        self.positions.append(position)
        if self._ranking.doubtful[position]:
            self._said.add(identity(self._state, self._ranking.rows[position : position + 1])[0])
        return True

    def _is_said(self, position: int) -> bool:
        row = self._ranking.rows[position : position + 1]
        if self._ranking.doubtful[position] and identity(self._state, row)[0] in self._said:
            return True
        near = self._vectors[: len(self.positions)] @ self._state.columns.vectors_of(row[0])
        return bool(len(near)) and float(near.max()) >= self._ranking.duplicate


def _enough(state: MemoryState, ranking: Ranking, positions: RowNumbers, config: Config, room: int) -> int:
    """How many of the first positions have passages for several times the room."""
    words = state.words
    at = words.rows_of(state.columns.column("sequence")[ranking.rows[positions]])
    characters = np.where(at >= 0, words.column("characters")[at], 0) if words.size else np.zeros(len(at))
    _, first = np.unique(at, return_index=True)
    cost = np.zeros(len(at))
    tokens = characters[first] / _CHARACTERS_PER_TOKEN
    cost[first] = np.minimum(np.where(tokens > config.passage_tokens, tokens / 2, tokens), room * _SHARE)
    return int(np.searchsorted(np.cumsum(cost), _ROOMS * room)) + 1


def deep(wide: int) -> int:
    """How many of the best candidates to look at where `wide` are to be selected: some say the same, or do not pass."""
    return _DEPTH * wide + _DEPTH_LEAST


def _without_copies(state: MemoryState, ranking: Ranking, positions: RowNumbers) -> RowNumbers:
    """The positions that repeat none before them to the letter.

    Of what has no vector, vectors do not tell it; and a thousand copies would take all the room.
    """
    rows = ranking.rows[positions]
    texts = np.sort(_texts(state, rows) * _APART + state.columns.column("chunk_index")[rows])
    if not (texts[1:] == texts[:-1]).any():
        return positions
    said: set[tuple[int, ...]] = set()
    first = []
    # What is not trusted makes nothing else a copy.
    for doubtful, text in zip(ranking.doubtful[positions], identity(state, ranking.rows[positions]), strict=True):
        first.append((doubtful, *text) not in said)
        said.add((doubtful, *text))
    return positions[np.array(first, dtype=np.bool_)]


def identity(state: MemoryState, rows: RowNumbers) -> list[tuple[int, ...]]:
    """What is the same for signals that repeat a text of the same source, whoever is named as its author."""
    columns, words = state.columns, state.words
    at = words.rows_of(columns.column("sequence")[rows])
    sources = np.where(at >= 0, words.column("source")[at], -1) if words.size else np.full(len(at), -1)
    parts = (sources, _texts(state, rows), columns.column("chunk_index")[rows])
    return list(zip(*(part.tolist() for part in parts), strict=True))


def _texts(state: MemoryState, rows: RowNumbers) -> Integers:
    """Numbers that are the same for signals of the same text; of a message without words none other has its own."""
    sequences, words = state.columns.column("sequence")[rows], state.words
    alone: Integers = -1 - sequences.astype(np.int64)
    if not words.size:
        return alone
    at = words.rows_of(sequences)
    return np.where(at >= 0, words.column("fingerprint")[at], alone)


def considered(config: Config, *, limit: int | None = None, token_budget: int | None = None) -> int:
    """How many candidates to select, so that enough fit."""
    most = config.max_thinking_space if limit is None else limit
    if config.lets_decide(token_budget):
        most = max(most, token_budget // _TOKENS_PER_HIT)
    return _SPARE * most


def _sorted(state: MemoryState, scored: Scored, scope: Scope, config: Config, depth: int) -> Ranking:
    """The best candidates, best first; on a tie the newer signal.

    Only the `depth` best that are trusted and the `depth` best of the others, so that neither can hide the other.
    """
    scores = scored.scores
    doubtful = np.zeros(len(scored.rows), dtype=np.bool_) if scope.doubtful is None else scope.doubtful[scored.rows]
    # All that tie with the last one are kept.
    kept = topmost(scores, depth, allowed=None if scope.doubtful is None else ~doubtful)
    if doubtful.any():
        others = np.flatnonzero(doubtful)
        if len(others) > depth and config.ranking != "product":
            others = _once(state, scored.rows, scores, others)
        kept = np.concatenate([kept, others[topmost(scores[others], depth)]])
    order = kept[np.lexsort((-state.columns.keys[scored.rows[kept]], -scores[kept]))]
    effective = scored.effective[order]
    leading = scored.leading

    def again(leaders: RowNumbers) -> Ranking:
        return _sorted(state, scored if leading is None else leading.by(leaders), scope, config, depth)

    return Ranking(
        rows=scored.rows[order],
        scores=scores[order],
        similarity=scored.similarity[order],
        effective=effective,
        passed=scored.passed[order],
        revived=scored.passed[order] & ~alive(effective, scored.death),
        doubtful=doubtful[order],
        duplicate=cosine_of(DUPLICATE_SIMILARITY, scored.common),
        least=scored.least,
        of_time=np.zeros(len(order), dtype=np.bool_) if scored.of_time is None else scored.of_time[order],
        parts_of=lambda places: scored.parts(order[places]),
        leading=None if leading is None else Leading(leading.meaning, leading.leaders, again),
    )


def _once(state: MemoryState, rows: RowNumbers, scores: Floats, numbers: RowNumbers) -> RowNumbers:
    """Of candidates that repeat each other the best one each: a text that is planted a thousand times hides nothing."""
    best: dict[tuple[int, ...], int] = {}
    order = numbers[np.argsort(-scores[numbers], kind="stable")]
    for number, text in zip(order.tolist(), identity(state, rows[order]), strict=True):
        best.setdefault(text, number)
    return np.array(list(best.values()), dtype=np.intp)
