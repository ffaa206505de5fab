"""Several processes write one memory at once: every message is stored, and no two share a turn."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from streetai_core.errors import StreetAIError
from streetai_core.memory import Memory
from streetai_core.testing.torture.checking import damage, open_registry, torn_parts

_MEMORY = "shared"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run found."""

    wanted: int
    stored: int
    errors: Sequence[str]
    faults: Sequence[str]

    @property
    def passed(self) -> bool:
        """All there, turns 0 to n-1, no error."""
        return self.stored == self.wanted and not self.errors and not self.faults

    def __str__(self) -> str:
        return f"wanted={self.wanted} stored={self.stored} errors={len(self.errors)} faults={len(self.faults)}"


def run(folder: Path, *, processes: int, messages: int) -> Outcome:
    """`processes` writers add `messages` messages each to one memory."""
    path = folder / "shared.db"
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes) as pool:
        errors = pool.starmap(_write, [(path, writer, messages) for writer in range(processes)])
    with open_registry(path) as registry:
        memory = registry.get(_MEMORY)
        turns = [message.turn for message in memory.messages()]
        faults = torn_parts(memory)
    if turns != list(range(processes * messages)):
        faults.append("the turns are not 0 to n-1")
    return Outcome(processes * messages, len(turns), [error for one in errors for error in one], faults + damage(path))


def _write(path: Path, writer: int, messages: int) -> list[str]:
    """Add messages; returns the errors."""
    errors: list[str] = []
    with open_registry(path) as registry:
        memory = registry.get(_MEMORY)
        for number in range(messages):
            errors += _added(memory, f"Writer {writer} says number {number} out loud.")
    return errors


def _added(memory: Memory, text: str) -> list[str]:
    """Add one message; returns the error, if there was one."""
    try:
        memory.add_message(text, "user")
    except StreetAIError as error:
        return [f"{text} {error}"]
    return []
