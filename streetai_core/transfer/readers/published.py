"""The database of the package `streetai-memory` 0.2: signals with their weights, turns and stacks.

That package keeps no messages: a message is what its signals say, joined. Its vectors are not taken over, because the
file does not say which model made them; the texts are embedded anew, and stay in the stacks they were in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from streetai_core.errors import ImportFormatError, InputError
from streetai_core.stores.types import Head, SignalRow, WeightRow
from streetai_core.text.clean import check_id, clean, is_blank
from streetai_core.tokens import TokenCounter, count_message
from streetai_core.transfer.databases import ForeignDatabase
from streetai_core.transfer.records import fitting_id, origin, role_of, writer_of
from streetai_core.transfer.snapshot import KINDS, Snapshot
from streetai_core.transfer.times import read_time
from streetai_core.transfer.values import Rejected
from streetai_core.types import Message

PROGRAM = "streetai-memory"

_NEEDED = ("memory_id", "signal_id", "content", "role", "turn", "base_weight", "created_at", "stack_id")
_LATER = ("parent_turn_id", "chunk_index", "last_used_turn")
"""Columns that files of the first versions lack."""

_LARGEST = 2**31
"""Of turns and places; far more than anybody said."""

_HEAVIEST = 1e6
"""Of weights; that package's own limit is 8."""

_LIGHTEST = 1e-8
"""Of weights: what demotion in that package, which has no lower limit, was seen to reach. What it makes of it further
down, at last 0, ranks no lower there; a memory of this library has only weights above 0."""

_FENCE = "```"

_NO_VECTOR = np.zeros(0, dtype=np.float32)


def is_published(tables: dict[str, set[str]]) -> bool:
    """Whether these are the tables of that package."""
    return tables.get("signals", set()) >= set(_NEEDED) and "stacks" in tables


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """One signal of the file."""

    place: int
    """Of its row."""
    parent: str
    content: str
    role: Any
    turn: int
    weight: float
    said_at: Any
    stack: str
    index: int
    used: int


@dataclass(slots=True)
class _Building:
    """A memory while it is put together."""

    counter: TokenCounter
    messages: list[Message] = field(default_factory=list)
    signals: list[SignalRow] = field(default_factory=list)
    weights: list[WeightRow] = field(default_factory=list)
    stacks: dict[str, int] = field(default_factory=dict)
    tokens: int = 0

    def add(self, pieces: Sequence[_Piece]) -> list[Rejected]:
        """Add a message of these pieces; or say why they are none."""
        text, spans = _joined([clean(piece.content)[0] for piece in pieces])
        try:
            message = _message(pieces[0], text, len(self.messages))
        except InputError as error:
            return [Rejected(pieces[0].place, f"message {pieces[0].parent}: {error}")]
        self.messages.append(message)
        self.tokens += count_message(text, self.counter)
        for index, (piece, (start, end)) in enumerate(zip(pieces, spans, strict=True)):
            key = len(self.signals)
            self.signals.append(
                SignalRow(
                    key=key,
                    sequence=message.sequence,
                    chunk_index=index,
                    kind="code" if piece.content.startswith(_FENCE) else "chunk",
                    start=start,
                    end=end,
                    block_start=start,
                    block_end=end,
                    vector=_NO_VECTOR,
                )
            )
            stack = self.stacks.setdefault(piece.stack, len(self.stacks))
            self.weights.append(
                WeightRow(key=key, base_weight=piece.weight, last_used_turn=piece.used, uses=0, stack=stack)
            )
        return []

    def snapshot(self, memory_id: str) -> Snapshot:
        """The memory, without vectors and without words rows."""
        said = max((message.turn for message in self.messages), default=-1)
        used = max((weight.last_used_turn for weight in self.weights), default=0)
        head = Head(
            memory_id=memory_id,
            token="",
            next_turn=max(said + 1, used),
            next_sequence=len(self.messages),
            next_signal=len(self.signals),
            next_stack=len(self.stacks),
            message_count=len(self.messages),
            history_tokens=self.tokens,
        )
        rows: dict[str, Sequence[Any]] = dict.fromkeys(KINDS, ())
        rows |= {"messages": self.messages, "signals": self.signals, "weights": self.weights}
        return Snapshot(head=head, rows=rows, vectors=False)


def read_published(
    database: ForeignDatabase, counter: TokenCounter
) -> tuple[list[tuple[Snapshot, list[Rejected]]], list[Rejected]]:
    """Each memory of the file with what of it could not be used, and what is of no memory."""
    pieces, rejected, nobodys = _pieces(database)
    found: list[tuple[Snapshot, list[Rejected]]] = []
    for memory_id, messages in pieces.items():
        building, bad = _Building(counter), list(rejected.get(memory_id, ()))
        ordered = sorted(messages.values(), key=lambda group: (min(one.turn for one in group), group[0].place))
        for group in ordered:
            bad += building.add(sorted(group, key=lambda one: (one.index, one.place)))
        found.append((building.snapshot(memory_id), bad))
    return found, nobodys


def _pieces(
    database: ForeignDatabase,
) -> tuple[dict[str, dict[str, list[_Piece]]], dict[str, list[Rejected]], list[Rejected]]:
    """Memory id -> message id -> pieces; memory id -> what is none; and what is of an id that cannot be used."""
    there = database.tables()["signals"]
    columns = [name for name in (*_NEEDED, *_LATER) if name in there]
    found: dict[str, dict[str, list[_Piece]]] = {}
    rejected: dict[str, list[Rejected]] = {}
    nobodys: list[Rejected] = []
    for place, *cells in database.rows("signals", columns):
        values = dict(zip(columns, cells, strict=True))
        try:
            memory_id = check_id(values["memory_id"], "memory_id")
        except InputError as error:
            nobodys.append(Rejected(place, f"signal in row {place}: {error}"))
            continue
        memory = found.setdefault(memory_id, {})
        try:
            piece = _piece(place, values)
            memory.setdefault(piece.parent, []).append(piece)
        except InputError as error:
            rejected.setdefault(memory_id, []).append(Rejected(place, f"signal in row {place}: {error}"))
    return found, rejected, nobodys


def _piece(place: int, values: dict[str, Any]) -> _Piece:
    content, turn = values["content"], _whole(values["turn"], "turn")
    if not isinstance(content, str) or is_blank(content):
        raise ImportFormatError("its content must be text that is not blank")
    weight = values["base_weight"]
    if not isinstance(weight, int | float) or not math.isfinite(weight) or not 0 <= weight <= _HEAVIEST:
        raise ImportFormatError(f"base_weight must be a number from 0, got {ascii(weight)[:40]}")
    used, index = values.get("last_used_turn"), values.get("chunk_index")
    return _Piece(
        place=place,
        parent=str(values.get("parent_turn_id") or values["signal_id"]),
        content=content,
        role=values["role"],
        turn=turn,
        weight=max(float(weight), _LIGHTEST),
        said_at=values["created_at"],
        # Two that are in no stack are not in one together.
        stack=str(values["stack_id"] or f"alone {place}"),
        index=0 if index is None else _whole(index, "chunk_index"),
        used=turn if used is None else _whole(used, "last_used_turn"),
    )


def _whole(value: Any, what: str) -> int:
    if not isinstance(value, int) or not 0 <= value < _LARGEST:
        raise ImportFormatError(f"{what} must be a whole number from 0, got {ascii(value)[:40]}")
    return value


def _time(value: Any) -> Any:
    moment = read_time(value, "created_at")
    if moment is None:
        raise ImportFormatError("it has no created_at")
    return moment


def _message(first: _Piece, text: str, sequence: int) -> Message:
    """The message that begins with a piece."""
    return Message(
        message_id=fitting_id(first.parent),
        role=role_of(first.role),
        content=text,
        turn=first.turn,
        sequence=sequence,
        created_at=_time(first.said_at),
        metadata=origin(PROGRAM),
        writer=writer_of(PROGRAM),
    )


def _joined(texts: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """The text of a message and the spans of its pieces, which follow each other without a gap."""
    text, spans = "", []
    for number, piece in enumerate(texts):
        start = len(text)
        last = number == len(texts) - 1
        fenced = piece.startswith(_FENCE) or (not last and texts[number + 1].startswith(_FENCE))
        text += piece if last else piece + ("\n" if fenced else " ")
        spans.append((start, len(text)))
    return text, spans
