"""Memories whose every cosine the test chooses, as the store gives them, and questions to them."""

from dataclasses import dataclass
from datetime import datetime, timezone

import numpy as np

from streetai_core import Config
from streetai_core.planning.words import words_row
from streetai_core.recall.question import read_question
from streetai_core.recall.ranking import rank, select
from streetai_core.state import MemoryState
from streetai_core.stores.types import Rows, SignalRow, StackRow, WeightRow
from streetai_core.testing.factories import make_head, make_message
from streetai_core.testing.planted import at_cosine

NOON = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)
DIM = 64

PADDING = "and that was all there was to be said of the matter by anybody at the long table in the harbour office then"
"""Makes a message as long as most: of a length that tells nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message and what a test wants of it."""

    text: str
    cosine: float = 0.0
    """Of its signal with every question."""
    name: str | None = None
    role: str = "user"
    conversation: str | None = None
    when: datetime = NOON
    replaces: tuple[int, ...] = ()
    """Places, in the order of saying, of the messages whose statement this one replaces."""
    pieces: tuple[float, ...] = ()
    """Cosines of its signals, where it has several."""
    weight: float = 1.0
    uses: int = 0
    last_used: int | None = None
    trust: float = 1.0
    source: str = "user"


def state_of(*said):
    """The state that a store's rows describe: message n has sequence n and turn n, its signals follow in order."""
    signals, weights, words, key = [], [], [], 0
    for sequence, one in enumerate(said):
        message = make_message(
            sequence,
            content=one.text,
            name=one.name,
            role=one.role,
            conversation_id=one.conversation,
            created_at=one.when,
            trust=one.trust,
            source=one.source,
        )
        words.append(words_row(message, one.replaces))
        for chunk, cosine in enumerate(one.pieces or (one.cosine,)):
            # Each signal has an axis of its own, so that none is a repetition of another.
            vector = np.asarray(at_cosine(cosine, axis=1 + key, dim=DIM), dtype=np.float32)
            signals.append(
                SignalRow(
                    key=key, sequence=sequence, chunk_index=chunk, kind="chunk", start=0, end=1, block_start=0,
                    block_end=1, vector=vector,
                )
            )  # fmt: skip
            used = sequence if one.last_used is None else one.last_used
            weights.append(WeightRow(key=key, base_weight=one.weight, last_used_turn=used, uses=one.uses, stack=0))
            key += 1
    size = len(said)
    head = make_head(
        dim=DIM, encoder=f"planted/{DIM}", next_turn=size, next_sequence=size, next_signal=key, next_stack=1
    )
    total = np.sum([signal.vector for signal in signals], axis=0, dtype=np.float32) if signals else np.zeros(DIM)
    stacks = [StackRow(key=0, total=np.asarray(total, dtype=np.float32), size=key)] if key else []
    return MemoryState.of(Rows(head=head, complete=True, signals=signals, weights=weights, stacks=stacks, words=words))


def ask(state, text, *, config=None, asked_at=NOON, by_meaning=True, without=(), depth=1000, stacks=True):
    """The ranking of a question; `by_meaning=False`: as if the encoder had failed; only the `depth` best."""
    vector = np.asarray(at_cosine(1.0, dim=DIM), dtype=np.float32) if by_meaning else None
    question = read_question(text, vector, turn=state.head.next_turn, asked_at=asked_at, without=without)
    ranking, _ = rank(state, question, config or Config(), depth=depth, stacks=stacks)
    return ranking


def order(state, ranking):
    """Sequences of the ranked signals, best first."""
    return state.columns.column("sequence")[ranking.rows].tolist()


def parts_of(ranking):
    """What all scores of a ranking are made of, by name."""
    return ranking.parts_of(np.arange(len(ranking.rows)))


def part(state, ranking, name):
    """A part of the score of each message's first signal in the ranking, by sequence."""
    found = {}
    for sequence, value in zip(order(state, ranking), parts_of(ranking)[name].tolist(), strict=True):
        found.setdefault(sequence, value)
    return found


def recalled(state, ranking, most=25):
    """Sequences of what may be recalled, best first."""
    sequences = state.columns.column("sequence")
    return [int(sequences[ranking.rows[position]]) for position in select(state, ranking, Config(), most)]
