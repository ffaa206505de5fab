"""What a store keeps besides the rows: who wrote what, which operations there were, and what is in quarantine."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from streetai_core.types import Source

Spans: TypeAlias = tuple[tuple[int, int], ...]
"""Whole numbers as runs: the first and the last of each, both included, ascending."""

_SALT = 32
"""Hex digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantine:
    """A rule that hides messages: all that have this value in this field, whenever they were written."""

    field: Literal["source", "writer", "conversation", "message"]
    value: str | int | None
    """Of a message its sequence; of a conversation its id, or `None` for the one without an id."""
    salted_hash: str | None = None
    """In place of a value that was forgotten: a salt and a hash of both. The rule goes on, and names nobody: only who
    has the value can tell that it is meant."""

    def hides(self, row: Provenance) -> bool:
        """Whether a message, or the words row of one, is hidden."""
        if self.field == "message":
            return row.sequence == self.value
        if self.field == "conversation":
            return self.is_of(row.conversation_id)
        return self.is_of(row.source if self.field == "source" else row.writer)

    def is_of(self, value: str | None) -> bool:
        """Whether this, in the rule's field, is what it hides."""
        if self.salted_hash is None:
            return value == self.value
        return value is not None and self.salted_hash == _salted_hash(self.salted_hash[:_SALT], value)

    def veiled(self) -> Quarantine:
        """The rule with a salted hash in place of its value, which must be a text."""
        return replace(self, value=None, salted_hash=_salted_hash(secrets.token_hex(_SALT // 2), str(self.value)))


def _salted_hash(salt: str, value: str) -> str:
    return salt + hashlib.sha256((salt + value).encode("utf-8", "surrogatepass")).hexdigest()


class Provenance(Protocol):
    """What a rule of quarantine looks at; a `Message` has it, and a `WordsRow`."""

    @property
    def sequence(self) -> int:
        """Place of the message in its memory."""

    @property
    def conversation_id(self) -> str | None:
        """The thread."""

    @property
    def source(self) -> str:
        """Where the text comes from."""

    @property
    def writer(self) -> str | None:
        """Who or what wrote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalRow:
    """What one writing operation did to the messages of a memory."""

    version: int
    """The memory's version after it."""
    added: Spans = ()
    """Sequences of new messages."""
    changed: Spans = ()
    """Sequences of messages that got another text."""
    removed: Spans = ()
    """Sequences of messages that were deleted; a reset lists none."""
    event: Literal["", "reset", "reencode", "rollback"] = ""
    """What it was, if it did more than that."""
    target: int | None = None
    """Of a rollback, the version that it went back to."""
    next_sequence: int
    next_signal: int
    created_at: datetime
    digest: str = ""
    """The hash of this entry and all before it, in stores whose files can be edited from outside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """Messages of one source and writer."""

    source: Source
    writer: str | None
    messages: int
    """How many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Something that was done to a memory behind the library."""

    kind: Literal["changed", "deleted", "inserted", "moved", "journal"]
    sequence: int | None = None
    """Of the message; `None` if that cannot be told."""
    message_id: str | None = None
    what: str
    """What was done, in a sentence."""
