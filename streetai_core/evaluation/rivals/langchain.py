"""LangChain `VectorStoreRetrieverMemory`: one document for each exchange."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.datasets import RecordedMessage, Recording
from streetai_core.evaluation.filling import Line, RankedLines
from streetai_core.evaluation.systems import Description, System

_MOST = 100
"""Results asked for; the default of a retriever is 4."""


class LangChainMemory(System):
    """The memory with LangChain's in-memory vector store.

    Args:
        encoder: shared by all systems of a run.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    @property
    def description(self) -> Description:
        """The class, and how many results are asked for."""
        return Description(
            name="langchain",
            settings={"class": "VectorStoreRetrieverMemory", "k": _MOST},
            packages=("streetai_core.evaluation", "langchain_classic.memory", "langchain_core.vectorstores"),
        )

    @contextmanager
    def reading(self, recording: Recording) -> Iterator[RankedLines]:
        """The memory with all exchanges, saved one by one under the names of the speakers."""
        store = import_module("langchain_core.vectorstores").InMemoryVectorStore(embeddings(self._encoder))
        with warnings.catch_warnings():
            # It is deprecated, and what people compare with.
            warnings.simplefilter("ignore", DeprecationWarning)
            memory = import_module("langchain_classic.memory").VectorStoreRetrieverMemory(
                retriever=store.as_retriever(search_kwargs={"k": _MOST}), return_docs=True, input_key="input"
            )
        ids: dict[str, list[str]] = {}
        for exchange in _exchanges(recording):
            first, *others = exchange
            memory.save_context({first.speaker: first.text}, {other.speaker: other.text for other in others})
            content = "\n".join(f"{message.speaker}: {message.text}" for message in exchange)
            ids.setdefault(content, []).extend(message.message_id for message in exchange)

        def search(question: str) -> list[Line]:
            found = memory.load_memory_variables({"input": question})["history"]
            return [Line(document.page_content, tuple(ids[document.page_content])) for document in found]

        yield RankedLines(search)


def _exchanges(recording: Recording) -> list[list[RecordedMessage]]:
    """Each message with the next one if that is another's reply in the same session; else alone."""
    exchanges: list[list[RecordedMessage]] = []
    for message in recording.messages:
        last = exchanges[-1] if exchanges else []
        answers = len(last) == 1 and last[0].speaker != message.speaker and last[0].session == message.session
        if answers:
            last.append(message)
        else:
            exchanges.append([message])
    return exchanges


def embeddings(encoder: Encoder) -> Any:
    """The encoder as LangChain embeddings."""
    base: Any = import_module("langchain_core.embeddings").Embeddings

    class SharedEmbeddings(base):  # type: ignore[misc]  # a class that is only known where it is installed
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [list(map(float, vector)) for vector in encoder.encode(texts)]

        def embed_query(self, text: str) -> list[float]:
            return list(map(float, encoder.encode([text], "query")[0]))

    return SharedEmbeddings()
