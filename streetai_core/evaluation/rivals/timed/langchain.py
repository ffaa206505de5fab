"""LangChain `VectorStoreRetrieverMemory` over its FAISS store."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.rivals.langchain import embeddings
from streetai_core.evaluation.speed_systems import ADD, ADD_IN_RAM, FOUND, OPEN, RETRIEVE, TimedMemory, Verb


class TimedLangChain(TimedMemory):
    """The memory with an index that is exact, which is the default.

    Args:
        folder: for what it saves.
        encoder: as LangChain embeddings.
    """

    def __init__(self, folder: Path, encoder: Encoder) -> None:
        self._folder = str(folder)
        self._embeddings = embeddings(encoder)
        self._store: Any = None
        self._memory: Any = None

    def fill(self, texts: Sequence[str]) -> None:
        """Make the store of all texts, and save it."""
        self._store = _faiss().from_texts([f"input: {text}" for text in texts], self._embeddings)
        self._memory = _memory(self._store)
        self._store.save_local(self._folder)

    def verbs(self) -> Mapping[str, Verb]:
        """Adding, with and without saving; asking; loading."""
        return {
            ADD: lambda text: lambda: self._add_and_save(text),
            ADD_IN_RAM: lambda text: lambda: self._add(text),
            RETRIEVE: lambda text: lambda: _ask(self._memory, text),
            OPEN: lambda text: lambda: self._reopened(text),
        }

    def _add(self, text: str) -> None:
        self._memory.save_context({"input": text}, {})

    def _add_and_save(self, text: str) -> None:
        self._add(text)
        self._store.save_local(self._folder)

    def _reopened(self, text: str) -> None:
        store = _faiss().load_local(self._folder, self._embeddings, allow_dangerous_deserialization=True)
        _ask(_memory(store), text)


def _faiss() -> Any:
    with warnings.catch_warnings():
        # The package says on import that it is no longer developed; it is what people compare with.
        warnings.simplefilter("ignore", DeprecationWarning)
        return import_module("langchain_community.vectorstores").FAISS


def _memory(store: Any) -> Any:
    # Imported first: importing it sets filters of its own.
    made = import_module("langchain_classic.memory").VectorStoreRetrieverMemory
    with warnings.catch_warnings():
        # It is deprecated, and what people compare with.
        warnings.simplefilter("ignore", DeprecationWarning)
        return made(retriever=store.as_retriever(search_kwargs={"k": FOUND}), return_docs=True, input_key="input")


def _ask(memory: Any, text: str) -> object:
    return memory.load_memory_variables({"input": text})["history"]
