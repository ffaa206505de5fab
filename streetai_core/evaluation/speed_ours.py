"""This library, timed through its public API, with an acknowledged write that survives power loss."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from streetai_core.config import Config
from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.speed_systems import ADD, LEARN, OPEN, PROMPT, RETRIEVE, TimedMemory, Verb
from streetai_core.registry import MemoryRegistry
from streetai_core.types import NewMessage

_MEMORY = "speed"

_BATCH = 2_000
"""Messages stored at a time; one transaction of all of them would hold every vector twice."""


class OurMemory(TimedMemory):
    """One memory of a registry.

    Args:
        folder: for its file.
        encoder: of the registry.
        config: of the registry.
    """

    def __init__(self, folder: Path, encoder: Encoder, config: Config) -> None:
        self._path = folder / "memory.db"
        self._encoder = encoder
        self._config = config
        self._registry = self._opened()
        self._memory = self._registry.get(_MEMORY)

    def fill(self, texts: Sequence[str]) -> None:
        """Add all texts in transactions of 2,000."""
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            self._memory.add_messages([NewMessage(content=text, role="user") for text in batch])

    def verbs(self) -> Mapping[str, Verb]:
        """Every verb."""
        memory = self._memory
        return {
            ADD: lambda text: lambda: memory.add_message(text, role="user"),
            RETRIEVE: lambda text: lambda: memory.retrieve(text),
            PROMPT: lambda text: lambda: memory.build_prompt(text),
            LEARN: self._learning,
            OPEN: lambda text: lambda: self._reopened(text),
        }

    def close(self) -> None:
        """Close the registry."""
        self._registry.close()

    def _opened(self) -> MemoryRegistry:
        return MemoryRegistry(self._path, config=self._config, encoder=self._encoder, durability="full")

    def _learning(self, text: str) -> Callable[[], object]:
        hits = self._memory.retrieve(text)
        reply = hits[0].signal.content if hits else text
        return lambda: self._memory.post_process(hits, reply)

    def _reopened(self, text: str) -> None:
        with self._opened() as again:
            again.get(_MEMORY).retrieve(text)
