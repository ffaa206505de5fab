"""mem0 with `infer=False`: the messages as they are, no model call on write."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.datasets import RecordedMessage, Recording
from streetai_core.evaluation.filling import Line, RankedLines
from streetai_core.evaluation.systems import Description, System

_MOST = 100
"""Results asked for; its default is 20."""

_USER = "recording"


class Mem0(System):
    """The memory with its default vector store, Qdrant, on this machine.

    Args:
        encoder: shared by all systems of a run; takes the place of the paid model of its defaults.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    @property
    def description(self) -> Description:
        """Its name and the settings that are not its defaults; without its extra `nlp` its keyword side is weaker."""
        return Description(
            name="mem0",
            settings={"infer": False, "top_k": _MOST, "threshold": 0.0, "nlp": find_spec("spacy") is not None},
            packages=("streetai_core.evaluation", "mem0"),
        )

    @contextmanager
    def reading(self, recording: Recording) -> Iterator[RankedLines]:
        """The memory with all messages, added one by one."""
        keep_silent()
        with TemporaryDirectory(prefix="streetai-bench-", ignore_cleanup_errors=True) as folder:
            memory = _open(Path(folder), self._encoder)
            try:
                for message in recording.messages:
                    _add(memory, message)
                yield RankedLines(lambda question: _lines(memory, question))
            finally:
                memory.vector_store.client.close()
                memory.close()


class SharedEmbedding:
    """The encoder as mem0 calls one."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """One vector; the action says whether it is a question."""
        return list(map(float, self._encoder.encode([text], "query" if memory_action == "search" else "document")[0]))

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        """One vector a text."""
        return [self.embed(text, memory_action) for text in texts]


def keep_silent() -> None:
    """See to it that it reports nothing to anybody, and writes nothing into the home folder; before it is imported."""
    os.environ["MEM0_TELEMETRY"] = "False"
    os.environ.setdefault("MEM0_DIR", str(Path(gettempdir()) / "streetai-bench-mem0"))


def _open(folder: Path, encoder: Encoder) -> Any:
    # Both models are only made, never called: a key that is none does.
    model = {"provider": "openai", "config": {"api_key": "none"}}
    store = {"path": str(folder / "vectors"), "embedding_model_dims": encoder.dim}
    memory = import_module("mem0").Memory.from_config(
        {
            "llm": model,
            "embedder": model,
            "vector_store": {"provider": "qdrant", "config": store},
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.embedding_model = SharedEmbedding(encoder)
    return memory


def _add(memory: Any, message: RecordedMessage) -> None:
    said = {"role": "user" if message.role == "user" else "assistant", "content": message.line}
    memory.add([said], user_id=_USER, infer=False, metadata={"message_id": message.message_id})


def _lines(memory: Any, question: str) -> list[Line]:
    found = memory.search(question, filters={"user_id": _USER}, top_k=_MOST, threshold=0.0)["results"]
    return [Line(one["memory"], (one["metadata"]["message_id"],)) for one in found]
