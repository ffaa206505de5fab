"""The contract of what is timed: a memory in a folder of its own, filled, then asked verb by verb."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from streetai_core.encoders.base import Encoder

Verb: TypeAlias = Callable[[str], Callable[[], object]]
"""A text -> what is timed. What has to be ready before, such as hits to learn from, is made before it is returned."""

ADD = "add"
"""One text, on disk when the call returns."""
ADD_IN_RAM = "add in RAM"
"""One text, lost with the process: where that is what a call of the system does."""
RETRIEVE = "retrieve"
PROMPT = "build_prompt"
LEARN = "post_process"
"""What a reply teaches that says the best hit again: one that uses nothing would change nothing, and cost a memory that
keeps no log nothing."""
OPEN = "open"
"""What is on disk opened anew in the same process, with the first question."""

TIMED_VERBS = (ADD, ADD_IN_RAM, RETRIEVE, PROMPT, LEARN, OPEN)
"""All verbs in the order in which they are timed; a system has those that it has."""

FOUND = 25
"""Results asked for, of every system that lets itself be told."""


class TimedMemory(ABC):
    """A memory, or what it is compared with."""

    @abstractmethod
    def fill(self, texts: Sequence[str]) -> None:
        """Store these texts in the quickest way there is, on disk at the end. Called once, before all else."""

    @abstractmethod
    def verbs(self) -> Mapping[str, Verb]:
        """What can be timed, by names of `TIMED_VERBS`."""

    def close(self) -> None:  # noqa: B027 - most have nothing to let go of
        """Let go of files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedSystem:
    """How a memory is made, and what has to be said beside its figures."""

    name: str
    make: Callable[[Path, Encoder], TimedMemory]
    """Folder, which is there and empty, and encoder -> an empty memory."""
    durability: str
    """What `add` waits for."""
    most: int | None = None
    """The largest size that it is timed at, because filling it takes too long; `None` if any."""
    missing: str | None = None
    """Why it cannot be timed here, and what would help; `None` if it can."""
