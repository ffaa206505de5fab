"""The contract of a store: the durable truth of all memories, and the values it exchanges.

A store knows nothing of embedding, ranking or learning. It opens read and write transactions on one memory; the
conductor (`Memory`) reads rows, decides, and hands back `Changes`, which one transaction applies whole or not at all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

import numpy as np

from streetai_core.errors import StoreError
from streetai_core.stores.columns import Integers, Loaded, StackArrays, loaded_from
from streetai_core.stores.provenance import Edit, JournalRow, Origins, Quarantine
from streetai_core.stores.traces import Traces
from streetai_core.types import (
    Action,
    ChunkKind,
    DaySpans,
    KeptMatrix,
    KeptVector,
    Message,
    Role,
    Source,
    TermCounts,
    TermHashes,
    Vector,
)

if TYPE_CHECKING:
    from streetai_core.stores.images import Content, Image


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
    """Length of the text, from 0 on."""
    question: bool
    """Whether the text ends by asking."""
    terms: TermHashes
    """Hashes of the stems, ascending and distinct, shape (t,)."""
    counts: TermCounts
    """How often each occurs, from 1 on, shape (t,)."""
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


class ReadTransaction(ABC):
    """One consistent view of one memory."""

    @property
    @abstractmethod
    def head(self) -> Head | None:
        """The memory's row; `None` if nothing was ever written."""

    @abstractmethod
    def rows(self, since: int | None) -> Rows | None:
        """Rows written after version `since` (`None`: all of them); all of them too if rows were deleted since."""

    def loaded(self) -> Loaded | None:
        """The same as `rows(None)`, as columns."""
        rows = self.rows(None)
        return None if rows is None else loaded_from(rows)

    def image(self) -> Image | None:
        """An image of the memory at this version or an earlier one of which nothing was deleted since.

        `None`: there is none. Close it.
        """
        return None

    def keep_image(self, content: Content) -> None:  # noqa: B027 - may do nothing
        """Keep an image of the memory at this version, where the store has images and it can be written."""

    def vectors(self, keys: Integers) -> KeptMatrix:
        """The stored vectors of signals that are there, by key, shape (len(keys), dim). For memories from an image."""
        signals = self._whole().signals
        return signals.vectors[np.searchsorted(signals.key, keys)]

    def stacks(self) -> StackArrays:
        """All stacks. For memories from an image."""
        return self._whole().stacks

    def _whole(self) -> Loaded:
        loaded = self.loaded()
        if loaded is None:
            raise StoreError("the memory is not there any more")
        return loaded

    @abstractmethod
    def messages(self, query: MessageQuery) -> list[Message]:
        """Messages with their texts."""

    def words(self, sequences: Sequence[int]) -> list[WordsRow]:
        """The words rows of messages, of those that have one, in order of `sequence`.

        Stores that can read some of them read no others.
        """
        rows, wanted = self.rows(None), set(sequences)
        return [] if rows is None else [row for row in rows.words if row.sequence in wanted]

    @abstractmethod
    def credits(self, key: int | None = None) -> list[CreditRow]:
        """The learning log, of one signal or of all, oldest first."""

    def boosts(self, keys: Collection[int], conversation: int) -> Mapping[int, int]:
        """How often each of some signals was boosted in a conversation, by its number; only of those that were.

        Stores that can read these entries of the learning log read no others.
        """
        wanted = set(keys)
        told = (entry for entry in self.credits() if entry.action == "boost" and entry.conversation == conversation)
        return Counter(entry.key for entry in told if entry.key in wanted)

    @abstractmethod
    def journal(self) -> list[JournalRow]:
        """What was done to messages since the last reset, oldest first."""

    def edits(self) -> list[Edit]:
        """What was done to messages behind the library, as far as it shows; nothing in stores without files."""
        return []

    @abstractmethod
    def origins(self) -> list[Origins]:
        """Who wrote how many messages, by source and writer, sorted."""


class WriteTransaction(ReadTransaction):
    """The same, with the write lock held."""

    @abstractmethod
    def apply(self, changes: Changes, *, now: datetime) -> Head:
        """Write `changes` and return the head with its new version. `now` is the time of the log entries."""

    @abstractmethod
    def remove(self) -> None:
        """Delete the memory with all its rows, its own included: as if it had never been written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What is left of deleted values in the files of a store."""

    files: tuple[str, ...] = ()
    """What was searched."""
    residual: int = 0
    """In how many places of the files there is a piece of the values that no stored row has."""
    pending: tuple[str, ...] = ()
    """What could not be done now, as sentences."""


class Store(ABC):
    """Where memories live. Safe to use from several threads and processes at once.

    Every method may raise a `StoreError`; then nothing was changed.
    """

    @abstractmethod
    def reading(self, memory_id: str) -> AbstractContextManager[ReadTransaction]:
        """A consistent view of one memory."""

    @abstractmethod
    def writing(self, memory_id: str) -> AbstractContextManager[WriteTransaction]:
        """The write lock: taken before the first read, committed when the block ends, rolled back if it raises."""

    @abstractmethod
    def memory_ids(self) -> list[str]:
        """The ids of all memories that were written and not forgotten since, also of those that were reset, sorted."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections. Closing twice is fine."""

    def settle(self) -> tuple[str, ...]:
        """Finish what deletions have left to do, and say what cannot be done now; a store without files has nothing."""
        return ()

    def erase(self, traces: Traces) -> Erased:  # noqa: ARG002 - for stores with files
        """Make sure that nothing of what was deleted is left in files; a store without files has nothing."""
        return Erased()

    def __enter__(self) -> Store:  # noqa: PYI034 - Self needs Python 3.11, and nobody subclasses further
        """Use the store as a context manager that closes it."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close."""
        self.close()
