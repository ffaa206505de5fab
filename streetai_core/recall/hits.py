"""Ranked rows and message texts, made into the values that callers see."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, overload

import numpy as np

from streetai_core.arrays import RowNumbers
from streetai_core.config import Config
from streetai_core.dynamics.trust import Share, is_trusted
from streetai_core.quick_values import quickly
from streetai_core.recall.ranking import Ranking
from streetai_core.state import MemoryState
from streetai_core.tokens import TokenCounter
from streetai_core.types import Hit, Message, Signal

_OWN = (
    "key", "chunk_index", "last_used_turn", "stack", "code", "start", "end", "block_start", "block_end", "uses",
)  # fmt: skip
"""The columns that a signal shows."""

_NUMBER = re.compile(r"0|[1-9][0-9]{0,18}")
"""A key as `signal_id` writes it, so that no signal has two ids. None has more digits: they are numbers of 64 bits, and
Python refuses to read those of thousands of digits."""

_made_signal, _made_hit = quickly(Signal), quickly(Hit)


def signal_id(state: MemoryState, key: int) -> str:
    """The public id of a signal; carries the memory's token, so no other memory's id is mistaken for it."""
    return f"{state.head.token}.{key}"


def signal_key(state: MemoryState, public_id: str) -> int | None:
    """The key behind a public id, if the signal is there and is this memory's."""
    token, _, number = public_id.rpartition(".")
    if token != state.head.token or not _NUMBER.fullmatch(number):
        return None
    key = int(number)
    return key if key in state.columns else None


def signals_at(state: MemoryState, places: Sequence[tuple[int, Message]]) -> list[Signal]:
    """The signals in some rows, each with its message; each column is read once for all of them."""
    own = _columns(state, np.array([row for row, _ in places], dtype=np.intp))
    return [_signal(state.head.token, message, values) for (_, message), values in zip(places, own, strict=True)]


def _columns(state: MemoryState, rows: RowNumbers) -> list[tuple[Any, ...]]:
    """What signals show besides what they have of their message."""
    columns = state.columns
    return list(zip(columns.base[rows].tolist(), *(columns.column(name)[rows].tolist() for name in _OWN), strict=True))


def _signal(token: str, message: Message, values: tuple[Any, ...]) -> Signal:
    """A signal of a message, by what `_columns` gave of it."""
    base_weight, key, chunk_index, last_used_turn, stack, code, start, end, block_start, block_end, uses = values
    return _made_signal(
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


def spans_of(state: MemoryState, rows: RowNumbers) -> list[tuple[int, int]]:
    """Where the signals in some rows begin in their messages, and where they end."""
    starts, ends = (state.columns.column(name)[rows].tolist() for name in ("start", "end"))
    return list(zip(starts, ends, strict=True))


def sequences_of(state: MemoryState, ranking: Ranking, positions: Iterable[int]) -> list[int]:
    """The messages that these candidates are pieces of, each once."""
    rows = ranking.rows[np.array(list(positions), dtype=np.intp)]
    return list(dict.fromkeys(state.columns.column("sequence")[rows].tolist()))


class RankedHits(Sequence[Hit]):
    """The candidates at some places of a ranking as hits, each made when it is asked for.

    A prompt has several times as many candidates as room, and looks at the texts of all but at the hits of some only.

    Args:
        state: the memory.
        ranking: the candidates.
        positions: which of them.
        messages: their texts, by sequence; one without is left out.
        question: what they were found for.
        asked_in: the conversation that it was asked in.
    """

    def __init__(
        self,
        state: MemoryState,
        ranking: Ranking,
        positions: Iterable[int],
        messages: Mapping[int, Message],
        *,
        question: str | None = None,
        asked_in: str | None = None,
    ) -> None:
        wanted = np.array(list(positions), dtype=np.intp)
        sequences = state.columns.column("sequence")[ranking.rows[wanted]].tolist()
        there = [number for number, sequence in enumerate(sequences) if sequence in messages]
        wanted = wanted[there]
        self.said = [messages[sequences[number]] for number in there]
        """The messages that they are pieces of."""
        self.scores: list[float] = ranking.scores[wanted].tolist()
        parts = ranking.parts_of(wanted)
        self._names = tuple(parts)
        self._parts = list(zip(*(part.tolist() for part in parts.values()), strict=True))
        columns = (ranking.similarity, ranking.effective, ranking.revived)
        self._values = list(zip(*(column[wanted].tolist() for column in columns), strict=True))
        self._own = _columns(state, ranking.rows[wanted])
        self._token = state.head.token
        self._replaced = state.words.replaced()
        self._question = question
        self._asked_in = asked_in

    def __len__(self) -> int:
        return len(self.said)

    @overload
    def __getitem__(self, place: int) -> Hit: ...
    @overload
    def __getitem__(self, place: slice) -> list[Hit]: ...
    def __getitem__(self, place: int | slice) -> Hit | list[Hit]:
        numbers = range(len(self))[place]
        return self._made(numbers) if isinstance(numbers, int) else [self._made(number) for number in numbers]

    def _made(self, number: int) -> Hit:
        message = self.said[number]
        similarity, effective, revived = self._values[number]
        return _made_hit(
            signal=_signal(self._token, message, self._own[number]),
            score=self.scores[number],
            parts=dict(zip(self._names, self._parts[number], strict=True)),
            similarity=similarity,
            effective_weight=effective,
            revived=revived,
            replaced=message.sequence in self._replaced,
            question=self._question,
            asked_in=self._asked_in,
        )


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
