"""A whole memory as values: everything that one read transaction sees of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from typing import Any, get_args, get_type_hints

from streetai_core.stores.base import CreditRow, Head, MessageQuery, ReadTransaction, Rows
from streetai_core.types import Message

KINDS: dict[str, type] = {
    "messages": Message,
    **{
        field.name: get_args(get_type_hints(Rows)[field.name])[0]
        for field in fields(Rows)
        if field.name not in {"head", "complete"}
    },
    "credits": CreditRow,
}
"""Name of a kind of rows -> its dataclass: the messages, all that a store tells of a memory, and the learning log."""

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

MADE_OF_VECTORS = frozenset({"stacks"})
"""Kinds of rows that are left out together with the vectors: they are made of them."""

VECTOR_FIELDS = frozenset({"vector"})
"""Fields of rows that are left out when vectors are not wanted."""

VERSION_FIELDS = frozenset({"version"})
"""Fields that count the writes of the place where a memory is kept, and start anew in another."""

_CHANGES = {"quarantine": "quarantined"}
"""What `Changes` calls the kinds that it does not call as `Rows` does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All rows of one memory."""

    head: Head
    rows: dict[str, Sequence[Any]]
    """By the names of `KINDS`, each in the order of its keys, the log oldest first."""
    vectors: bool = True
    """False: signals have empty vectors, and there are no stacks."""

    @property
    def messages(self) -> Sequence[Message]:
        """The messages, oldest first."""
        return self.rows["messages"]

    def as_changes(self) -> dict[str, Sequence[Any]]:
        """All rows as arguments of `Changes`."""
        return {_CHANGES.get(kind, kind): self.rows.get(kind, ()) for kind in KINDS}

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
    return Snapshot(
        head=rows.head,
        rows={"messages": transaction.messages(MessageQuery()), **kept, "credits": transaction.credits()},
    )


def _ordered(rows: Collection[Any]) -> list[Any]:
    """Rows in an order that is always the same; a store gives those with keys in the order of these."""
    return sorted(rows, key=repr) if isinstance(rows, AbstractSet) else list(rows)
