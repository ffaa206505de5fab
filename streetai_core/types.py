"""The vocabulary: frozen values that every part of the library shares.

Nothing here reads a clock, a file or a database.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias, TypedDict

import numpy as np
import numpy.typing as npt

from streetai_core.rendering import bars, escaped, excerpt, folded, number, sum_of, table

Vector: TypeAlias = npt.NDArray[np.float32]
"""One embedding, shape (dim,), float32, unit length or all zeros ("no vector")."""

Matrix: TypeAlias = npt.NDArray[np.float32]
"""Embeddings by row, shape (n, dim), float32, C-contiguous."""

KeptVector: TypeAlias = npt.NDArray[np.float32 | np.float16]
"""One embedding as a store keeps it, shape (dim,): its type says in how many bytes."""

KeptMatrix: TypeAlias = npt.NDArray[np.float32 | np.float16]
"""Embeddings by row as a store keeps them, shape (n, dim): all of one type."""

TermHashes: TypeAlias = npt.NDArray[np.uint32]
"""Terms of a text as hashes, ascending and distinct, shape (t,)."""

TermCounts: TypeAlias = npt.NDArray[np.uint16]
"""How often each term occurs, shape (t,)."""

DaySpans: TypeAlias = npt.NDArray[np.int32]
"""Spans of days by row: first and last day as proleptic Gregorian ordinals, both included, shape (m, 2)."""

Role: TypeAlias = Literal["user", "assistant", "system", "tool", "developer"]
ROLES: tuple[Role, ...] = ("user", "assistant", "system", "tool", "developer")

Source: TypeAlias = Literal["user", "assistant", "system", "tool", "document", "import"]
SOURCES: tuple[Source, ...] = ("user", "assistant", "system", "tool", "document", "import")

_NEWEST = 5
"""Signals of a stack that a notebook lists."""
_SHOWN = 3
"""Hits, and near misses, that a terminal lists of a `Why`; all are in its fields."""

ChunkKind: TypeAlias = Literal["chunk", "code"]
Action: TypeAlias = Literal["boost", "demote", "none", "edit"]
"""What happened to a signal: learning says the first three; "edit": its message was given another text."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span `[start, end)` of a message, in characters: the unit that is embedded.

    The chunks of a message follow each other without a gap, so joining them gives back the message.
    `block_start` and `block_end` span what is shown as a whole: a long code fence is embedded in several
    windows that all carry the span of the fence.
    """

    start: int
    end: int
    kind: ChunkKind = "chunk"
    block_start: int = -1
    block_end: int = -1

    def __post_init__(self) -> None:
        """A chunk that belongs to no larger block is its own block."""
        if self.block_start < 0:
            object.__setattr__(self, "block_start", self.start)
            object.__setattr__(self, "block_end", self.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message to store, as the caller gives it to `Memory.add_messages`."""

    content: str
    role: Role
    conversation_id: str | None = None
    name: str | None = None
    """Who said it, where that is known besides the role. A blank one is none."""
    created_at: datetime | None = None
    """When it was said, in the zone of the place, which decides its day. `None`: now. Without a zone it is in UTC."""
    message_id: str | None = None
    """A stable id of the caller's. Adding the same id and text again stores nothing."""
    metadata: Mapping[str, Any] | None = None
    """JSON values only."""
    ticks: bool | None = None
    """Whether the message advances the memory's clock. `None`: yes, except for the role `tool` and for messages with
    `tool_calls` in their metadata."""
    source: Source | None = None
    """Where the text comes from. `None`: from whom its role says; the text of a `developer` is the system's."""
    trust: float | None = None
    """How far it may be believed, 0 to 1. `None`: 1.0 for user, assistant and system, 0.5 for tool, document and
    import."""
    writer: str | None = None
    """Who or what wrote it: a service, a file, an account, free text of 1 to 512 bytes. Not shown to the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A stored message: exactly what was said."""

    message_id: str
    role: Role
    content: str
    turn: int
    """The memory's clock when it was stored."""
    sequence: int
    """Position in the memory; strictly increasing, never reused."""
    conversation_id: str | None = None
    name: str | None = None
    created_at: datetime
    metadata: Mapping[str, Any] = field(default_factory=dict)
    sanitised: bool = False
    """Whether lone surrogates or NUL characters were replaced by U+FFFD."""
    source: Source = "user"
    """Where the text comes from."""
    trust: float = 1.0
    """How far it may be believed, 0 to 1."""
    writer: str | None = None
    """Who or what wrote it, as far as the app told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One retrievable piece of a message, with what the memory has learned about it."""

    signal_id: str
    content: str
    role: Role
    turn: int
    parent_turn_id: str
    """The id of the message that it is a piece of."""
    chunk_index: int
    base_weight: float
    """Learned importance, changed by boost and demote; a new signal has 1.0."""
    last_used_turn: int
    stack_id: str
    kind: ChunkKind = "chunk"
    start: int
    end: int
    """Its span in the message, in characters."""
    block_start: int
    block_end: int
    """The span shown as a whole for it: of a window of a code fence, the fence."""
    conversation_id: str | None = None
    name: str | None = None
    created_at: datetime
    uses: int = 0
    """How often a reply was found to have used it."""
    source: Source = "user"
    """Where the text of its message comes from."""
    trust: float = 1.0
    """How far its message may be believed, 0 to 1."""
    writer: str | None = None
    """Who or what wrote its message, as far as the app told."""

    def effective_weight(self, turn: int, decay_rate: float) -> float:
        """`base_weight` after exponential decay at `turn`; `decay_rate` is per turn."""
        return self.base_weight * math.exp(-decay_rate * max(0, turn - self.last_used_turn))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """A self-organised group of signals round a centroid (not a last-in-first-out stack)."""

    stack_id: str
    size: int
    signal_ids: tuple[str, ...]
    """Newest first."""

    def __repr__(self) -> str:
        return f"Stack({self.stack_id!r}, {self.size} signals)"

    def _repr_html_(self) -> str:
        """For notebooks."""
        newest = ", ".join(map(escaped, self.signal_ids[:_NEWEST]))
        more = " ..." if self.size > _NEWEST else ""
        return table((), [("stack", escaped(self.stack_id)), ("signals", str(self.size)), ("newest", newest + more)])


@dataclass(frozen=True, slots=True)
class Hit:
    """A signal found for a question. Unpacks as `(signal, score)`."""

    signal: Signal
    score: float
    """Higher is better."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """What the score is made of; the values sum to `score`."""
    similarity: float = 0.0
    """Cosine of question and signal, in [-1, 1]."""
    effective_weight: float = 0.0
    """The weight after decay, at the turn of the question."""
    revived: bool = False
    """Whether a strong match brought a dead signal back."""
    replaced: bool = False
    """Whether a later statement has replaced this one."""
    question: str | None = field(default=None, repr=False)
    """What it was found for; learning compares the reply with it."""
    asked_in: str | None = field(default=None, repr=False)
    """The conversation that it was found for."""

    def __iter__(self) -> Iterator[Any]:
        """Unpack as `(signal, score)`."""
        yield self.signal
        yield self.score

    def __repr__(self) -> str:
        marks = "".join(f", {mark}" for mark in self.marks)
        said = f"{self.signal.role} at turn {self.signal.turn}"
        return f"Hit({number(self.score)}, {excerpt(self.signal.content)}, {said}{marks}: {sum_of(self.parts)})"

    def _repr_html_(self) -> str:
        """For notebooks."""
        return table(("score", "said", "by", "turn", "parts"), [hit_cells(self)])

    @property
    def marks(self) -> tuple[str, ...]:
        """What is to be known of it besides its score: "revived", "replaced"."""
        return tuple(name for name, given in (("revived", self.revived), ("replaced", self.replaced)) if given)


class ActivatedStack(TypedDict):
    """A stack that the question woke, as the inspector lists it."""

    stack_id: str
    stack_score: float
    signal_count: int


class RetrievedSignal(TypedDict):
    """A recalled signal, as the inspector lists it."""

    signal_id: str
    message_id: str
    role: str
    turn: int
    content: str
    effective_weight: float
    base_weight: float
    score: float
    parts: dict[str, float]
    revived: bool


class Inspector(TypedDict):
    """What went into a prompt and why. JSON-safe."""

    stacks_activated: list[ActivatedStack]
    retrieved_signals: list[RetrievedSignal]
    recency_window_size: int
    """Messages sent verbatim, the new one not counted."""
    long_term_count: int
    """Recalled signals in the prompt."""
    tokens_sent: int
    tokens_full_history: int
    """What resending everything said so far, and the question, would have cost."""
    tokens_window: int
    tokens_recalled: int
    token_budget: int | None
    whole_history_sent: bool
    """True while the history costs no more than a selection of it, so that it was sent as it is."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The messages to send, and what they were made of."""

    messages: list[dict[str, Any]]
    """`{"role", "content"}` dicts that any chat API takes, ending with the new user message."""
    retrieved: list[Hit]
    """The hits that are in the prompt; give them to `post_process` with the reply."""
    inspector: Inspector
    recalled_text: str = ""
    """The fenced block of recalled text as it stands in the last message; empty when nothing was recalled."""
    window: tuple[Message, ...] = ()
    """The stored messages that are sent verbatim, oldest first."""

    def __repr__(self) -> str:
        return (
            f"Prompt({len(self.messages)} messages, {len(self.retrieved)} recalled, {self.inspector['tokens_sent']} "
            f"tokens of {self.inspector['tokens_full_history']})"
        )

    def _repr_html_(self) -> str:
        """For notebooks."""
        sent, full = self.inspector["tokens_sent"], self.inspector["tokens_full_history"]
        caption = f"{sent} tokens sent; the full history would have cost {full}"
        sent_rows = [(escaped(one["role"]), escaped(one["content"])) for one in self.messages]
        messages = table(("role", "content"), sent_rows, caption)
        recalled = table(("score", "said", "by", "turn", "parts"), [hit_cells(hit) for hit in self.retrieved])
        return messages + (folded(f"{len(self.retrieved)} recalled", recalled) if self.retrieved else "")


class WeightUpdate(TypedDict):
    """What learning did to one signal."""

    signal_id: str
    content: str
    contribution: float
    old_weight: float
    new_weight: float
    action: Action


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A near miss: a signal that was considered and is not among the hits."""

    hit: Hit
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Considered:
    """What a question made of one signal that was asked about."""

    hit: Hit
    rank: int | None
    """Its place among all candidates, from 1, gate or no gate; `None` if it was no candidate."""
    recalled: bool
    reason: str
    """The gate it passed, or what kept it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """The answer to "why these?": every hit with its parts, and the best of what was left out."""

    question: str
    turn: int
    hits: tuple[Hit, ...]
    near_misses: tuple[Miss, ...]
    stacks: tuple[ActivatedStack, ...]
    gates: tuple[str, ...] = ()
    """For each hit the rule that let it pass."""
    considered: tuple[Considered, ...] = ()
    """The signals of the message that was asked about, in its order."""

    def __repr__(self) -> str:
        asked = f", {len(self.considered)} considered" if self.considered else ""
        found = f"{len(self.hits)} hits, {len(self.near_misses)} near misses{asked}"
        lines = [f"Why({excerpt(self.question)}, turn {self.turn}: {found})"]
        lines += [f"  {one!r}" for one in self.hits[:_SHOWN]]
        lines += [f"  missed {one.hit!r}: {one.reason}" for one in self.near_misses[:_SHOWN]]
        lines += [f"  rank {one.rank} {one.hit!r}: {one.reason}" for one in self.considered[:_SHOWN]]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """For notebooks."""
        columns = ("score", "said", "by", "turn", "parts")
        gates = self.gates or ("",) * len(self.hits)
        hits = [(*hit_cells(hit), escaped(gate)) for hit, gate in zip(self.hits, gates, strict=True)]
        shown = table((*columns, "passed because"), hits, f"{self.question} (turn {self.turn})")
        if self.considered:
            rows = [(*hit_cells(one.hit), escaped(one.rank or "-"), escaped(one.reason)) for one in self.considered]
            shown += table((*columns, "rank", "reason"), rows, "the message that was asked about")
        if self.near_misses:
            rows = [(*hit_cells(miss.hit), escaped(miss.reason)) for miss in self.near_misses]
            shown += folded(f"{len(rows)} near misses", table((*columns, "left out because"), rows))
        return shown


def hit_cells(hit: Hit) -> tuple[str, ...]:
    """A hit as cells of HTML: score, text, speaker, turn, parts."""
    marks = "".join(f" ({mark})" for mark in hit.marks)
    speaker = hit.signal.name or hit.signal.role
    text = escaped(hit.signal.content) + marks
    return (number(hit.score), text, escaped(speaker), str(hit.signal.turn), bars(hit.parts))
