"""Ranked rows and message texts, made into the values that callers see."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from streetai_core.config import Config
from streetai_core.dynamics.trust import Share, is_trusted
from streetai_core.recall.ranking import Ranking
from streetai_core.state import MemoryState
from streetai_core.tokens import TokenCounter
from streetai_core.types import Hit, Message, Signal

_OWN = (
    "key", "chunk_index", "last_used_turn", "stack", "code", "start", "end", "block_start", "block_end", "uses",
)  # fmt: skip
"""The columns that a signal shows."""


def signal_id(state: MemoryState, key: int) -> str:
    """The public id of a signal; carries the memory's token, so no other memory's id is mistaken for it."""
    return f"{state.head.token}.{key}"


def signal_key(state: MemoryState, public_id: str) -> int | None:
    """The key behind a public id, if the signal is there and is this memory's."""
    token, _, number = public_id.rpartition(".")
    if token != state.head.token or not (number.isascii() and number.isdecimal()):
        return None
    key = int(number)
    return key if key in state.columns else None


def signal_at(state: MemoryState, row: int, message: Message) -> Signal:
    """The signal in a row, with its text cut from its message."""
    return signals_at(state, [(row, message)])[0]


def signals_at(state: MemoryState, places: Sequence[tuple[int, Message]]) -> list[Signal]:
    """The signals in some rows, each with its message; each column is read once for all of them."""
    columns = state.columns
    rows = np.array([row for row, _ in places], dtype=np.intp)
    own = zip(columns.base[rows].tolist(), *(columns.column(name)[rows].tolist() for name in _OWN), strict=True)
    token = state.head.token
    return [
        Signal(
            signal_id=f"{token}.{key}",
            content=message.content[start:end].strip(),
            role=message.role,
            turn=message.turn,
            parent_turn_id=message.message_id,
            chunk_index=chunk_index,
            base_weight=base_weight,
            last_used_turn=last_used_turn,
            stack_id=f"{token}.stack.{stack}",
            kind="code" if code else "chunk",
            start=start,
            end=end,
            block_start=block_start,
            block_end=block_end,
            conversation_id=message.conversation_id,
            name=message.name,
            created_at=message.created_at,
            uses=uses,
            source=message.source,
            trust=message.trust,
            writer=message.writer,
        )
        for (_, message), (
            base_weight, key, chunk_index, last_used_turn, stack, code, start, end, block_start, block_end, uses,
        ) in zip(places, own, strict=True)
    ]  # fmt: skip


def sequences_of(state: MemoryState, ranking: Ranking, positions: Iterable[int]) -> list[int]:
    """The messages that these candidates are pieces of, each once."""
    rows = ranking.rows[np.array(list(positions), dtype=np.intp)]
    return list(dict.fromkeys(state.columns.column("sequence")[rows].tolist()))


def hits_of(
    state: MemoryState,
    ranking: Ranking,
    positions: Iterable[int],
    messages: Mapping[int, Message],
    *,
    question: str | None = None,
    asked_in: str | None = None,
) -> list[Hit]:
    """The candidates at `positions` as hits.

    Args:
        state: the memory.
        ranking: the candidates.
        positions: which of them.
        messages: their texts, by sequence; one without is left out.
        question: what they were found for.
        asked_in: the conversation that it was asked in.
    """
    wanted = np.array(list(positions), dtype=np.intp)
    rows = ranking.rows[wanted]
    sequences = state.columns.column("sequence")[rows].tolist()
    there = [number for number, sequence in enumerate(sequences) if sequence in messages]
    wanted, rows = wanted[there], rows[there]
    own = [messages[sequences[number]] for number in there]
    replaced = state.words.replaced()
    parts = ranking.parts_of(wanted)
    values = zip(
        signals_at(state, list(zip(rows.tolist(), own, strict=True))),
        *(column[wanted].tolist() for column in (ranking.scores, ranking.similarity, ranking.effective)),
        ranking.revived[wanted].tolist(),
        zip(*(part.tolist() for part in parts.values()), strict=True),
        strict=True,
    )
    return [
        Hit(
            signal=signal,
            score=score,
            parts=dict(zip(parts, own_parts, strict=True)),
            similarity=similarity,
            effective_weight=effective,
            revived=revived,
            replaced=message.sequence in replaced,
            question=question,
            asked_in=asked_in,
        )
        for message, (signal, score, similarity, effective, revived, own_parts) in zip(own, values, strict=True)
    ]


def within(
    hits: Sequence[Hit], limit: int, token_budget: int | None, counter: TokenCounter, config: Config
) -> list[Hit]:
    """The first hits that fit: at most `limit`, and at most so many tokens of text together; in the order given.

    Those that are not trusted take at most their share of both, unless there is room for all that are trusted.
    """
    if token_budget is None and len(hits) <= limit:
        # There is room for all, whoever is trusted.
        return list(hits)
    places = Share(limit, config.max_untrusted_share)
    tokens = Share(math.inf if token_budget is None else token_budget, config.max_untrusted_share)
    chosen: list[int] = []
    put_off: list[int] = []
    spent = 0
    contested = False
    for turn in (range(len(hits)), put_off):
        for number in turn:
            if len(chosen) == limit or (contested and turn is put_off):
                break
            cost = 0 if token_budget is None else counter.count(hits[number].signal.content)
            if token_budget is not None and spent + cost > token_budget:
                contested |= is_trusted(hits[number].signal.trust, config) and cost <= token_budget
                continue
            if turn is not put_off and not is_trusted(hits[number].signal.trust, config):
                if not (places.allows(1) and tokens.allows(cost)):
                    put_off.append(number)
                    continue
                places.take(1)
                tokens.take(cost)
            chosen.append(number)
            spent += cost
    return [hits[number] for number in sorted(chosen)]
