"""The values that are exchanged with a store: what a memory has in it, what changes in it, and what is asked for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from streetai_core.stores.provenance import Quarantine
from streetai_core.types import (
    Action,
    ChunkKind,
    DaySpans,
    KeptVector,
    Message,
    Role,
    Source,
    TermCounts,
    TermHashes,
    Vector,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The one row of a memory: its clock, its counters and its identity."""

    memory_id: str
    token: str
    """Random, new at each reset; part of every public id, so that ids of other memories are never mistaken."""
    generation: int = 0
    """+1 at each reset. A handle that knows an older one is stale."""
    version: int = 0
    """+1 in every writing transaction."""
    deletion_version: int = 0
    """The version at which rows were last deleted; a reader that is older has to load everything anew."""
    next_turn: int = 0
    next_sequence: int = 0
    next_signal: int = 0
    next_stack: int = 0
    message_count: int = 0
    history_tokens: int = 0
    """What resending every message would cost, as counted when each was written."""
    encoder: str | None = None
    """Fingerprint of the encoder that made the vectors; `None` while there are none."""
    dim: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalRow:
    """The unchanging part of a signal."""

    key: int
    """Number of the signal in its memory; never reused, not even after a reset."""
    sequence: int
    """The message that it is a piece of."""
    chunk_index: int
    kind: ChunkKind
    start: int
    end: int
    block_start: int
    block_end: int
    vector: KeptVector
    """float32, or float16 where half precision is kept: it comes back in the type in which it was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightRow:
    """The changing part of a signal."""

    key: int
    base_weight: float
    last_used_turn: int
    uses: int
    stack: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CueRow:
    """A question that a signal helped to answer. A signal has one for each such question; it goes with the signal.

    One that is there already stays as it is.
    """

    key: int
    """The signal."""
    question: int
    """The same for the same text of a question, as `WordsRow.fingerprint`; a signed number of 64 bits."""
    vector: KeptVector
    """What the question means, as a signal's vector is kept."""
    version: int = 0
    """The memory's version after the reply that it first helped with; 0, to be written: that of the transaction. Only
    the newest of a memory are kept (`values.CUES_KEPT`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackRow:
    """A stack: the sum of what its centroid is the direction of, and how many signals it has."""

    key: int
    total: Vector
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsRow:
    """What a message can be found by besides its meaning, so that recall need not read its text.

    A message has one or none. Stores refuse, with an `InputError` and before anything is written, what is outside the
    ranges below, and arrays of another type or shape.
    """

    sequence: int
    """The message that it is about."""
    conversation_id: str | None
    name: str | None
    role: Role
    day: int
    """The day it was said, as `date.toordinal()`, 1 to 3,652,059."""
    characters: int
    """Length of the text, of which code counts a quarter (`text/fences.py`), from 0 on."""
    question: bool
    """Whether the text ends by asking."""
    terms: TermHashes
    """Hashes of the stems, ascending and distinct, shape (t,)."""
    counts: TermCounts
    """How often each occurs, shape (t,); 0 for a mark, which says what the text is (`text/marks.py`)."""
    days: DaySpans
    """First and last day of each time that the text speaks of, both as `date.toordinal()`, shape (m, 2)."""
    replaces: tuple[int, ...] = ()
    """Sequences of the messages whose statement this one replaces."""
    source: Source = "user"
    trust: float = 1.0
    """0 to 1."""
    writer: str | None = None
    fingerprint: int = 0
    """The same for the same text; a signed number of 64 bits."""
    rules: int = 0
    """The version of the rules that made all this of the message; 0: older than any that has a number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """What changed in a memory since a version, or all of it; all but messages, which are read when needed."""

    head: Head
    complete: bool
    """True: these are all rows; forget what you had. False: replace the rows given, keep the others."""
    signals: Sequence[SignalRow] = ()
    weights: Sequence[WeightRow] = ()
    stacks: Sequence[StackRow] = ()
    words: Sequence[WordsRow] = ()
    cues: Sequence[CueRow] = ()
    quarantine: frozenset[Quarantine] = frozenset()
    """All rules, also where the rest is only what changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """One learning step on one signal: `base = min(max(base * factor, low), high)`, and its log entry.

    Applied as a change to the row that is there; a signal that is gone stays gone.
    """

    key: int
    factor: float
    low: float
    high: float
    last_used_turn: int
    used: bool
    action: Action
    contribution: float
    conversation: int = 0
    """Which conversation the reply was given in; the memory's own number for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Everything that one public operation does to one memory."""

    head: Head
    """The head as it shall be; the store sets `version` (and `deletion_version`, if rows go)."""
    messages: Sequence[Message] = ()
    """New messages, or new texts of stored ones (same `sequence`)."""
    words: Sequence[WordsRow] = ()
    """Of new messages, and of stored ones with a new text, other rules or other links."""
    signals: Sequence[SignalRow] = ()
    weights: Sequence[WeightRow] = ()
    """The weights of new signals, and new stacks of old ones (when all are re-encoded)."""
    cues: Sequence[CueRow] = ()
    """Written after what is deleted."""
    learned: Sequence[Learned] = ()
    credits: Sequence[CreditRow] = ()
    """Entries of a learning log that was kept elsewhere; logged as they are, before what is learned here."""
    stacks: Sequence[StackRow] = ()
    """New stacks, and new sums of old ones."""
    deleted_messages: Sequence[int] = ()
    """Sequences; their signals, with weights and cues, and their words go too."""
    deleted_signals: Sequence[int] = ()
    deleted_stacks: Sequence[int] = ()
    deleted_cues: Sequence[tuple[int, int]] = ()
    """Signal and question of each. Those of deleted signals go without being named."""
    wipe: bool = False
    """Delete every row of the memory first (reset)."""
    event: Literal["", "reencode", "rollback"] = ""
    """For the journal."""
    target: int | None = None
    """Of a rollback: the version that it goes back to. Entries of the learning log after it are deleted."""
    quarantined: Sequence[Quarantine] = ()
    """Rules to add."""
    released: Sequence[Quarantine] = ()
    """Rules to take away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditRow:
    """One entry of the learning log."""

    turn: int
    key: int
    action: Action
    contribution: float
    old_weight: float
    new_weight: float
    created_at: datetime
    old_last_used_turn: int = 0
    """Before the step, as the two following ones."""
    old_uses: int = 0
    conversation: int = 0
    """Which conversation the reply was given in; the memory's own number for it."""
    version: int = 0
    """The memory's version after the step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageQuery:
    """Which messages to read. Conditions are joined by AND; the result is in order of `sequence`."""

    sequences: Sequence[int] | None = None
    message_id: str | None = None
    conversation_id: str | None = None
    """Only looked at if `any_conversation` is False; `None` is the conversation without a name."""
    any_conversation: bool = True
    roles: Collection[str] | None = None
    before: int | None = None
    """Only sequences below this one."""
    after: int | None = None
    """Only sequences above this one."""
    first: int | None = None
    """Only the first so many; not together with `last`."""
    last: int | None = None
    """Only the last so many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What is left of deleted values in the files of a store."""

    files: tuple[str, ...] = ()
    """What was searched."""
    residual: int = 0
    """In how many places of the files there is a piece of the values that no stored row has."""
    pending: tuple[str, ...] = ()
    """What could not be done now, as sentences."""
