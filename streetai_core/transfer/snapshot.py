"""A whole memory as values: everything that one read transaction sees of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from typing import Any, get_args, get_type_hints

from streetai_core.stores.base import ReadTransaction
from streetai_core.stores.provenance import JournalRow
from streetai_core.stores.types import CreditRow, Head, MessageQuery, Rows
from streetai_core.transfer.history import told, without_past
from streetai_core.types import Message

KINDS: dict[str, type] = {
    "messages": Message,
    **{
        field.name: get_args(get_type_hints(Rows)[field.name])[0]
        for field in fields(Rows)
        if field.name not in {"head", "complete"}
    },
    "credits": CreditRow,
    "journal": JournalRow,
}
"""Name of a kind of rows -> its dataclass: the messages, all that a store tells of a memory, what was learned, and what
was done."""

COUNTERS = (
    "next_turn",
    "next_sequence",
    "next_signal",
    "next_stack",
    "message_count",
    "history_tokens",
    "encoder",
    "dim",
)
"""What a memory's head says of its content. The rest is its identity, and belongs to the place where it is kept."""

MADE_OF_VECTORS = frozenset({"stacks", "cues"})
"""Kinds of rows that are left out together with the vectors: they are made of them, or of such as have no text here."""

VECTOR_FIELDS = frozenset({"vector"})
"""Fields of rows that are left out when vectors are not wanted."""

PLACE_FIELDS = frozenset({"removed", "digest"})
"""Fields of journal entries that stay behind: what was deleted, and the hash that ties an entry to its place."""

_CHANGES = {"quarantine": "quarantined"}
"""What `Changes` calls the kinds that it does not call as `Rows` does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All rows of one memory."""

    head: Head
    rows: dict[str, Sequence[Any]]
    """By the names of `KINDS`, each in the order of its keys, log and journal oldest first and numbered from 1 on."""
    vectors: bool = True
    """False: signals have empty vectors, and there are neither stacks nor cues."""

    @property
    def messages(self) -> Sequence[Message]:
        """The messages, oldest first."""
        return self.rows["messages"]

    @property
    def has_past(self) -> bool:
        """Whether its journal has all messages; that of an older file, or of messages that others put in, has not."""
        return not any(without_past(self.rows))

    @property
    def without_words(self) -> list[Message]:
        """Messages that can be recalled, but have no words row: a salvage, or another program, has lost it."""
        told = {row.sequence for row in self.rows.get("words", ())}
        said = {signal.sequence for signal in self.rows.get("signals", ())}
        return [message for message in self.messages if message.sequence in said - told]

    def as_changes(self) -> dict[str, Sequence[Any]]:
        """All rows but those that `history.steps` writes, as arguments of `Changes`."""
        messages, learned = without_past(self.rows)
        rows = {**self.rows, "messages": messages, "credits": learned}
        return {_CHANGES.get(kind, kind): rows.get(kind, ()) for kind in KINDS if kind != "journal"}

    def counted(self) -> Iterator[tuple[str, Any]]:
        """All rows, each with the name of its kind."""
        for kind in KINDS:
            for row in self.rows.get(kind, ()):
                yield kind, row


def snapshot_of(transaction: ReadTransaction) -> Snapshot | None:
    """The memory as a transaction sees it; `None` if nothing was ever written."""
    rows = transaction.rows(None)
    if rows is None:
        return None
    kept = {kind: _ordered(getattr(rows, kind)) for kind in KINDS if hasattr(rows, kind)}
    messages = transaction.messages(MessageQuery())
    there = (message.sequence for message in messages)
    journal, learned, cues = told(transaction.journal(), transaction.credits(), rows.cues, there)
    past: dict[str, Sequence[Any]] = {"cues": cues, "credits": learned, "journal": journal}
    return Snapshot(head=rows.head, rows={"messages": messages, **kept, **past})


def _ordered(rows: Collection[Any]) -> list[Any]:
    """Rows in an order that is always the same; a store gives those with keys in the order of these."""
    return sorted(rows, key=repr) if isinstance(rows, AbstractSet) else list(rows)
