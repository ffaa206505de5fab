"""What exports and imports give back, and what readers hand to the import."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, get_args

from streetai_core.types import NewMessage

FormatName: TypeAlias = Literal[
    "streetai",
    "chatgpt",
    "claude",
    "telegram",
    "langchain",
    "langchain-sql",
    "llamaindex",
    "mem0",
    "jsonl",
    "streetai-memory",
]
"""Which program wrote a file; `streetai` is what `export_memory` writes, `streetai-memory` that package's database."""

FORMATS: tuple[FormatName, ...] = get_args(FormatName)

Watch: TypeAlias = Callable[[int, int], None]
"""Called with (messages done so far, messages in all)."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A record that was left out."""

    number: int
    """Its place in the file, from 1 on: the line, or the how-manieth message."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A message of a file, with an id that is the same whenever the file is read."""

    number: int
    """Its place in the file, from 1 on."""
    message: NewMessage


@dataclass(frozen=True, slots=True)
class Blank:
    """A message of a file that says nothing, and is not stored."""

    number: int
    """Its place in the file, from 1 on."""


Entry: TypeAlias = Record | Rejected | Blank
"""What a reader makes of one record of a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What an export wrote."""

    memory_id: str
    messages: int
    signals: int
    learning_steps: int
    vectors: bool
    """Whether the vectors are in the file; without them it is smaller, and its import embeds anew."""
    digest: str
    """SHA-256 of the memory's rows, as `memory_digest` computes it; the import checks it."""

    def to_dict(self) -> dict[str, Any]:
        """All fields by name, as JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import did."""

    source_format: FormatName
    memory_ids: tuple[str, ...]
    """The memories that were written to."""
    added: int = 0
    """Messages stored now."""
    known: int = 0
    """Messages that were there already."""
    rejected: tuple[Rejected, ...] = ()
    """Records that could not be used; all others were."""
    blank: int = 0
    """Messages without a text, which are not stored."""
    digest: str | None = None
    """Of a whole memory that was restored with its vectors, its words and its journal: that of its export."""

    def to_dict(self) -> dict[str, Any]:
        """All fields by name, as JSON values."""
        return {**asdict(self), "memory_ids": list(self.memory_ids), "rejected": [asdict(one) for one in self.rejected]}
