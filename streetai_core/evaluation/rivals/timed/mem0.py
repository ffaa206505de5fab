"""mem0 with `infer=False` and its FAISS store: the messages as they are, no model call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.rivals.mem0 import SharedEmbedding, keep_silent
from streetai_core.evaluation.speed_systems import ADD, FOUND, OPEN, RETRIEVE, TimedMemory, Verb

_USER = "speed"


class TimedMem0(TimedMemory):
    """The memory.

    Args:
        folder: for its files.
        encoder: takes the place of the paid model of its defaults.
    """

    def __init__(self, folder: Path, encoder: Encoder) -> None:
        keep_silent()
        self._folder = folder
        self._encoder = encoder
        self._memory = self._opened()

    def fill(self, texts: Sequence[str]) -> None:
        """Put all vectors into its store at once, with what `add` would put beside them."""
        self._memory.vector_store.insert(
            vectors=self._encoder.encode(texts).tolist(),
            payloads=[{"data": text, "user_id": _USER, "role": "user"} for text in texts],
            ids=[str(uuid4()) for _ in texts],
        )

    def verbs(self) -> Mapping[str, Verb]:
        """Adding, searching, opening."""
        return {
            ADD: lambda text: lambda: self._add(text),
            RETRIEVE: lambda text: lambda: _ask(self._memory, text),
            OPEN: lambda text: lambda: self._reopened(text),
        }

    def close(self) -> None:
        """Close its history."""
        self._memory.close()

    def _opened(self) -> Any:
        # Both models are only made, never called: a key that is none does.
        model = {"provider": "openai", "config": {"api_key": "none"}}
        store = {
            "path": str(self._folder / "vectors"),
            "embedding_model_dims": self._encoder.dim,
            "collection_name": "speed",
        }
        memory = import_module("mem0").Memory.from_config(
            {
                "llm": model,
                "embedder": model,
                "vector_store": {"provider": "faiss", "config": store},
                "history_db_path": str(self._folder / "history.db"),
            }
        )
        memory.embedding_model = SharedEmbedding(self._encoder)
        return memory

    def _add(self, text: str) -> None:
        self._memory.add([{"role": "user", "content": text}], user_id=_USER, infer=False)

    def _reopened(self, text: str) -> None:
        memory = self._opened()
        _ask(memory, text)
        memory.close()


def _ask(memory: Any, text: str) -> object:
    return memory.search(text, filters={"user_id": _USER}, top_k=FOUND, threshold=0.0)["results"]
