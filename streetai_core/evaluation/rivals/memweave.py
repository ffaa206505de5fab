"""memweave: Markdown files with a hybrid search over them, one file for each session."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.datasets import RecordedMessage, Recording
from streetai_core.evaluation.filling import Line, RankedLines
from streetai_core.evaluation.systems import Description, System

_SETTINGS = {"chunk_tokens": 50, "chunk_overlap": 0, "min_score": 0.0, "max_results": 100, "snippet_max_chars": 4_000}
"""Opened up: its defaults, 400 tokens a chunk, at least .35 and six results, leave hardly any result of a chat."""


class Memweave(System):
    """The memory with files of lines `Author: text`.

    Args:
        encoder: shared by all systems of a run.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    @property
    def description(self) -> Description:
        """Its name and the settings that are not its defaults."""
        return Description(name="memweave", settings=_SETTINGS, packages=("streetai_core.evaluation", "memweave"))

    @contextmanager
    def reading(self, recording: Recording) -> Iterator[RankedLines]:
        """The memory with one indexed file a session."""
        memweave = import_module("memweave")
        loop = asyncio.new_event_loop()
        with TemporaryDirectory(prefix="streetai-bench-", ignore_cleanup_errors=True) as folder:
            lines = _write(recording, Path(folder))
            memory = memweave.MemWeave(
                memweave.MemoryConfig(
                    workspace_dir=folder,
                    progress=False,
                    embedding=memweave.EmbeddingConfig(model=self._encoder.fingerprint),
                    chunking=memweave.ChunkingConfig(
                        tokens=_SETTINGS["chunk_tokens"], overlap=_SETTINGS["chunk_overlap"]
                    ),
                    query=memweave.QueryConfig(snippet_max_chars=_SETTINGS["snippet_max_chars"]),
                ),
                embedding_provider=_Provider(self._encoder),
            )

            def search(question: str) -> list[Line]:
                found = loop.run_until_complete(
                    memory.search(question, max_results=_SETTINGS["max_results"], min_score=_SETTINGS["min_score"])
                )
                return [
                    Line(one.snippet, tuple(dict.fromkeys(lines[one.path][one.start_line - 1 : one.end_line])))
                    for one in found
                ]

            try:
                loop.run_until_complete(memory.index())
                yield RankedLines(search)
            finally:
                loop.run_until_complete(memory.close())
                loop.close()


class _Provider:
    """The encoder as memweave takes one."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    async def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return list(map(float, self._encoder.encode([text], "query")[0]))

    async def embed_batch(self, texts: list[str]) -> list[list[float]]:
        """One vector a text."""
        return [list(map(float, vector)) for vector in self._encoder.encode(texts)]


def _write(recording: Recording, workspace: Path) -> dict[str, list[str]]:
    """Write the sessions as files; path in the workspace -> the message that each line is of."""
    sessions: dict[str | None, list[RecordedMessage]] = {}
    for message in recording.messages:
        sessions.setdefault(message.session, []).append(message)
    lines: dict[str, list[str]] = {}
    for number, messages in enumerate(sessions.values()):
        path = workspace / "memory" / f"session-{number:04}.md"
        path.parent.mkdir(exist_ok=True)
        texts = [(message.message_id, message.line) for message in messages]
        path.write_text("\n".join(text for _, text in texts), encoding="utf-8", newline="\n")
        lines[path.relative_to(workspace).as_posix()] = [name for name, text in texts for _ in text.split("\n")]
    return lines
