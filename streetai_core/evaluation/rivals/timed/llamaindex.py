"""LlamaIndex `VectorMemory` with its own store, which has no file of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.rivals.llamaindex import embedding
from streetai_core.evaluation.speed_systems import ADD_IN_RAM, FOUND, RETRIEVE, TimedMemory, Verb


class TimedLlamaIndex(TimedMemory):
    """The memory in RAM.

    Args:
        _folder: nothing is written.
        encoder: as a LlamaIndex embedding.
    """

    def __init__(self, _folder: Path, encoder: Encoder) -> None:
        self._memory: Any = import_module("llama_index.core.memory").VectorMemory.from_defaults(
            embed_model=embedding(encoder), retriever_kwargs={"similarity_top_k": FOUND}
        )
        self._message = import_module("llama_index.core.llms").ChatMessage

    def fill(self, texts: Sequence[str]) -> None:
        """Put all texts one by one: it has no other way."""
        for text in texts:
            self._put(text)

    def verbs(self) -> Mapping[str, Verb]:
        """Putting and asking."""
        return {
            ADD_IN_RAM: lambda text: lambda: self._put(text),
            RETRIEVE: lambda text: lambda: self._memory.get(text),
        }

    def _put(self, text: str) -> None:
        self._memory.put(self._message(role="user", content=text))
