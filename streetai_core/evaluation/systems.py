"""The contract of what is measured: it reads a recorded conversation, then it is asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from streetai_core.evaluation.datasets import Recording


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a system would send to a model for one question."""

    sent: Mapping[int, str]
    """Token budget -> the text that was really sent, without the question."""
    tokens: Mapping[int, int]
    """Token budget -> what the system sent costs, as the benchmark counts it: characters / 4, labels included."""
    ranked: Sequence[str] | None = None
    """Ids of the messages it found, best first, each once; `None` if it does not tell."""


class Session(Protocol):
    """A system that has read a conversation."""

    def ask(self, question: str, budgets: Sequence[int]) -> Answer:
        """What it would send at each of the token budgets. Asking changes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What a system is, for the results and for knowing whether saved results still hold."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    """JSON values."""
    packages: Sequence[str] = ("streetai_core",)
    """Importable packages whose code decides what it answers."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {"name": self.name, "settings": dict(self.settings), "packages": list(self.packages)}


class System(ABC):
    """A memory, or what it is compared with."""

    @property
    @abstractmethod
    def description(self) -> Description:
        """What it is; no two of one run have the same name."""

    @abstractmethod
    def reading(self, recording: Recording) -> AbstractContextManager[Session]:
        """The system with all of a conversation in it, and nothing else; leaving the context forgets it."""
