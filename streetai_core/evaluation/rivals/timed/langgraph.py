"""LangGraph's SQLite store with its vector search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.rivals.langchain import embeddings
from streetai_core.evaluation.speed_systems import ADD, FOUND, OPEN, RETRIEVE, TimedMemory, Verb

_NAMESPACE = ("speed",)
_BATCH = 2_000


class TimedLangGraph(TimedMemory):
    """The store.

    Args:
        folder: for its file.
        encoder: as LangChain embeddings.
    """

    def __init__(self, folder: Path, encoder: Encoder) -> None:
        self._path = str(folder / "store.db")
        self._index = {"dims": encoder.dim, "embed": embeddings(encoder), "fields": ["text"]}
        self._context = self._opened()
        self._store: Any = self._context.__enter__()
        self._store.setup()
        self._keys = count()

    def fill(self, texts: Sequence[str]) -> None:
        """Put all texts in batches."""
        operation = import_module("langgraph.store.base").PutOp
        for start in range(0, len(texts), _BATCH):
            self._store.batch(
                [operation(_NAMESPACE, str(next(self._keys)), {"text": text}) for text in texts[start : start + _BATCH]]
            )

    def verbs(self) -> Mapping[str, Verb]:
        """Putting, searching, opening."""
        return {
            ADD: lambda text: lambda: self._store.put(_NAMESPACE, str(next(self._keys)), {"text": text}),
            RETRIEVE: lambda text: lambda: _ask(self._store, text),
            OPEN: lambda text: lambda: self._reopened(text),
        }

    def close(self) -> None:
        """Close its connection."""
        self._context.__exit__(None, None, None)

    def _opened(self) -> Any:
        return import_module("langgraph.store.sqlite").SqliteStore.from_conn_string(self._path, index=self._index)

    def _reopened(self, text: str) -> None:
        with self._opened() as store:
            store.setup()
            _ask(store, text)


def _ask(store: Any, text: str) -> object:
    return store.search(_NAMESPACE, query=text, limit=FOUND)
