"""LlamaIndex `VectorMemory`: one vector for each user message with the replies to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.datasets import Recording
from streetai_core.evaluation.filling import Line, RankedLines
from streetai_core.evaluation.systems import Description, System

_MOST = 100
"""Results asked for; its default is 2."""


class LlamaIndexMemory(System):
    """The memory with its in-memory vector store.

    Args:
        encoder: shared by all systems of a run.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    @property
    def description(self) -> Description:
        """The class, and how many results are asked for."""
        return Description(
            name="llamaindex",
            settings={"class": "VectorMemory", "similarity_top_k": _MOST},
            packages=("streetai_core.evaluation", "llama_index.core.memory"),
        )

    @contextmanager
    def reading(self, recording: Recording) -> Iterator[RankedLines]:
        """The memory with all messages, put one by one."""
        chat_message = import_module("llama_index.core.llms").ChatMessage
        memory = import_module("llama_index.core.memory").VectorMemory.from_defaults(
            embed_model=embedding(self._encoder), retriever_kwargs={"similarity_top_k": _MOST}
        )
        lines = {message.message_id: Line(message.line, (message.message_id,)) for message in recording.messages}
        for message in recording.messages:
            role = "user" if message.role == "user" else "assistant"
            memory.put(chat_message(role=role, content=message.line, additional_kwargs={"id": message.message_id}))
        yield RankedLines(lambda question: [lines[found.additional_kwargs["id"]] for found in memory.get(question)])


def embedding(encoder: Encoder) -> Any:
    """The encoder as a LlamaIndex embedding."""
    base: Any = import_module("llama_index.core.embeddings").BaseEmbedding

    class SharedEmbedding(base):  # type: ignore[misc]  # a class that is only known where it is installed
        def _get_text_embedding(self, text: str) -> list[float]:
            return list(map(float, encoder.encode([text])[0]))

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return [list(map(float, vector)) for vector in encoder.encode(texts)]

        def _get_query_embedding(self, query: str) -> list[float]:
            return list(map(float, encoder.encode([query], "query")[0]))

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

    return SharedEmbedding(model_name=encoder.fingerprint)
