"""What a question finds among the signals of a memory, with the messages that they are pieces of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from streetai_core.arrays import RowNumbers
from streetai_core.config import Config
from streetai_core.recall.filtering import RecallFilter
from streetai_core.recall.hits import sequences_of
from streetai_core.recall.leading import long_messages, new_leaders, weighed
from streetai_core.recall.question import Question
from streetai_core.recall.ranking import Ranking, is_shallow, rank, select
from streetai_core.state import MemoryState
from streetai_core.stores.base import ReadTransaction
from streetai_core.strategy import Judged
from streetai_core.types import ActivatedStack, Message
from streetai_core.verbs.judging import Judging
from streetai_core.verbs.stored import messages_of

_DEEPER = 4
"""Times as many candidates are ranked where copies have taken the places of others: hardly ever, and after a few times
all there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How much is looked for, and among what."""

    depth: int
    """How many of the best candidates are ranked."""
    most: int
    """How many of them may be recalled, at most."""
    sure: int | None = None
    """How many of them get their cosines where others have estimates; `None`: all."""
    room: int | None = None
    """Tokens that their passages can take; `None`: any number."""
    filter: RecallFilter | None = None
    """Which signals may be found; `None`: all."""
    min_score: float | None = None
    """The least score of what may be recalled; `None`: any."""
    stacks: bool = True
    """Whether the stacks that the question woke are asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """The candidates, and what may be recalled of them."""

    ranking: Ranking
    positions: Sequence[int]
    """Of what may be recalled, best first."""
    messages: dict[int, Message]
    """What these are pieces of, by sequence."""
    pieces: Mapping[int, RowNumbers]
    """The signals of the first long messages among the candidates, by sequence: those that say most of what is asked
    come first."""
    stacks: Sequence[ActivatedStack]
    judged: Judged | None
    """What a strategy of one's own gave; `None`: the strategy is a built-in one."""


def find(
    transaction: ReadTransaction, state: MemoryState, question: Question, wanted: Wanted, judging: Judging
) -> Selected:
    """What may be recalled for a question; of long messages the pieces that say most of it.

    Raises:
        Elsewhere: a strategy of one's own has not been asked yet.
        DamagedFileError: a message is not there.
    """
    config = judging.config
    judged = judging.of(state, question, lambda: _told(transaction, state, question, wanted, config))
    while True:
        found = _found(transaction, state, question, wanted, config, judged=judged)
        shallow = is_shallow(
            state, found.ranking, config, depth=wanted.depth, most=wanted.most, min_score=wanted.min_score
        )
        if not shallow:
            return found
        wanted = replace(wanted, depth=_DEEPER * wanted.depth)


def _found(
    transaction: ReadTransaction,
    state: MemoryState,
    question: Question,
    wanted: Wanted,
    config: Config,
    *,
    judged: Judged | None,
) -> Selected:
    """What may be recalled of as many candidates as are wanted."""
    ranking, stacks = _ranked(state, question, wanted, config, judged=judged)
    pieces, messages = _pieces(transaction, state, question, ranking)
    leaders = new_leaders(state, ranking, pieces)
    if len(leaders) and ranking.leading is not None:
        ranking = ranking.leading.by(leaders)
    positions = select(state, ranking, config, wanted.most, room=wanted.room, min_score=wanted.min_score)
    others = [one for one in sequences_of(state, ranking, positions) if one not in messages]
    messages |= messages_of(transaction, others)
    return Selected(
        ranking=ranking, positions=positions, messages=messages, pieces=pieces, stacks=stacks, judged=judged
    )


def _told(
    transaction: ReadTransaction, state: MemoryState, question: Question, wanted: Wanted, config: Config
) -> RowNumbers:
    """Which signals have the words of their messages when a strategy of one's own is told of them."""
    hybrid = replace(config, strategy="hybrid")
    ranking, _ = _ranked(state, question, replace(wanted, stacks=False), hybrid, judged=None)
    pieces, _ = _pieces(transaction, state, question, ranking)
    return new_leaders(state, ranking, pieces)


def _pieces(
    transaction: ReadTransaction, state: MemoryState, question: Question, ranking: Ranking
) -> tuple[dict[int, RowNumbers], dict[int, Message]]:
    """The signals of long messages by what they say of a question, and these messages, by sequence."""
    best = long_messages(state, ranking)
    messages = messages_of(transaction, list(best))
    return weighed(state, ranking, best, messages, question.text), messages


def _ranked(
    state: MemoryState, question: Question, wanted: Wanted, config: Config, *, judged: Judged | None
) -> tuple[Ranking, list[ActivatedStack]]:
    """The candidates, of long messages led by the pieces nearest in meaning, and the stacks."""
    return rank(
        state,
        question,
        config,
        depth=wanted.depth,
        sure=wanted.sure,
        wanted=wanted.filter,
        stacks=wanted.stacks,
        judged=judged,
    )
