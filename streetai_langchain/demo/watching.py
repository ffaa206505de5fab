"""What there is to see of a run, and who shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from streetai_core import Hit, Memory, Message, NewMessage, Prompt
from streetai_langchain.demo.figures import PlayedTurn, Totals
from streetai_langchain.demo.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What a run starts from."""

    settings: Settings
    messages: Sequence[NewMessage]
    """The whole conversation."""
    stored: int
    """How many of them the memory has already."""
    forgotten: int
    """How many messages `--fresh` removed."""


@dataclass(frozen=True, slots=True)
class Recollection:
    """A question that was asked again, in a new conversation; nothing of it is stored."""

    question: Message
    """As it is stored."""
    prompt: Prompt

    @property
    def others(self) -> list[Hit]:
        """What is recalled beside the question itself, which is stored too and of course is the best match."""
        return [hit for hit in self.prompt.retrieved if hit.signal.parent_turn_id != self.question.message_id]


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """What the file holds of the conversation at the end."""

    database: Path
    stats: dict[str, Any]
    """As `Memory.stats` gives it."""
    strengthened: int
    """Signals that learning has lifted above the weight they began with."""
    weakened: int
    """Signals that it has put below."""

    @classmethod
    def of(cls, memory: Memory, database: Path) -> Holdings:
        """Look into a memory."""
        weights = [signal.base_weight for signal in memory.signals]
        return cls(
            database=database,
            stats=memory.stats(),
            strengthened=sum(weight > 1.0 for weight in weights),
            weakened=sum(weight < 1.0 for weight in weights),
        )


class View(Protocol):
    """Shows a run while it goes."""

    def opened(self, opening: Opening) -> None:
        """The conversation and the database are there; nothing is played yet."""

    def turn(self, turn: PlayedTurn) -> None:
        """The chain has answered, and the memory has learned from the reply."""

    def aside(self, message: NewMessage) -> None:
        """A message was stored without a call of the chain."""

    def recollected(self, recollection: Recollection) -> None:
        """A question was asked again."""

    def played(self, totals: Totals, holdings: Holdings) -> None:
        """All is played."""

    def remembered(self, holdings: Holdings) -> None:
        """There was nothing left to play, and the last questions were asked again."""
