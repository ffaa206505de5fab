"""streetai-memory 0.2.0, the published product, with its own code and its own defaults."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.datasets import Recording
from streetai_core.evaluation.filling import Line, RankedLines
from streetai_core.evaluation.systems import Description, System
from streetai_core.types import Vector


class PublishedMemory(System):
    """The published memory; its prompt has no budget, so its lines are taken best first, then its window.

    Args:
        encoder: 384 dimensions, which are fixed in its code; takes the place of its own copy of the same model.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    @property
    def description(self) -> Description:
        """The name of the package; all settings are its defaults."""
        return Description(name="streetai-memory", packages=("streetai_core.evaluation", "streetai"))

    @contextmanager
    def reading(self, recording: Recording) -> Iterator[RankedLines]:
        """Its memory with all messages, in a database of its own."""
        encoding: Any = import_module("streetai.encoder")
        encoding._encoder = TextEmbedding(self._encoder)  # noqa: SLF001 - it has no parameter for it
        with TemporaryDirectory(prefix="streetai-bench-", ignore_cleanup_errors=True) as folder:
            registry = import_module("streetai").MemoryRegistry(str(Path(folder) / "memory.db"))
            memory = registry.get("recording")
            ours: dict[str, str] = {}
            for message in recording.messages:
                role = "user" if message.role == "user" else "assistant"
                for signal in memory.add_message(message.line, role=role):
                    ours[signal.parent_turn_id] = message.message_id
            try:
                yield RankedLines(lambda question: _lines(memory, ours, question))
            finally:
                registry.store.conn.close()


class TextEmbedding:
    """Looks like fastembed's class to it."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def embed(self, texts: Sequence[str]) -> Iterator[Vector]:
        """One vector a text."""
        return iter(self._encoder.encode(list(texts)))


def _lines(memory: Any, ours: dict[str, str], question: str) -> list[Line]:
    """What its prompt has, best first, then the window, newest first."""
    used = [signal.last_used_turn for signal in memory.signals]
    prompt = memory.build_prompt(question)
    # It refreshes what it retrieves; questions of a benchmark must not see each other.
    for signal, turn in zip(memory.signals, used, strict=True):
        signal.last_used_turn = turn
    recalled = [
        Line(f"[{signal.role}] {signal.content}", (ours[signal.parent_turn_id],)) for signal, _ in prompt.retrieved
    ]
    window = memory.recency_window()
    names = list(dict.fromkeys(signal.parent_turn_id for signal in window))
    turns = [message["content"] for message in memory.reassemble_recency()]
    said = [Line(text, (ours[name],)) for name, text in zip(names, turns, strict=True)]
    return recalled + said[::-1]
