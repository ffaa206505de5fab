"""A memory as plain JSON, and back: our own, because LlamaIndex's serializer of messages fails with pydantic 2.14.

The engine goes by its address, the user's chat store by a token: in the same process a memory comes back with the same
objects. In another process the engine is opened by its path. What lives in RAM only goes along as messages.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4
from weakref import WeakValueDictionary

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.storage.chat_store import BaseChatStore, SimpleChatStore

from streetai_core import MemoryRegistry
from streetai_core.errors import InputError
from streetai_core.forking import fork_safe_lock
from streetai_llamaindex.chat_store import StreetAIChatStore
from streetai_llamaindex.messages import message_from_json, message_to_json
from streetai_llamaindex.opening import Opening, opening_of, reopened

_PARTS = frozenset({"class_name", "engine", "chat_store", "chat_history"})
"""Keys that are not plain settings."""

logger = logging.getLogger(__name__)

_lock = fork_safe_lock()
_stores: WeakValueDictionary[str, BaseChatStore] = WeakValueDictionary()
"""Chat stores by token."""


def chat_store_to_json(chat_store: BaseChatStore, key: str) -> dict[str, Any]:
    """A chat store as plain JSON.

    Args:
        chat_store: the user's, or ours.
        key: the session whose messages go along if they are in RAM only.
    """
    data: dict[str, Any] = {"class_name": chat_store.class_name()}
    if isinstance(chat_store, StreetAIChatStore):
        if not chat_store.opening.is_persistent:
            data["messages"] = [message_to_json(message) for message in chat_store.get_messages(key)]
        return data
    data["token"] = _token_of(chat_store)
    if isinstance(chat_store, SimpleChatStore):
        data["store"] = {
            name: [message_to_json(message) for message in chat_store.get_messages(name)]
            for name in chat_store.get_keys()
        }
    return data


def chat_store_from_json(data: Mapping[str, Any]) -> BaseChatStore | None:
    """The chat store that JSON stands for; `None`: the engine's own transcript.

    A store that is neither of this process nor a `SimpleChatStore` cannot be opened again; the transcript takes its
    place, and a warning is logged.
    """
    name = data.get("class_name")
    with _lock:
        found = _stores.get(str(data.get("token")))
    if found is not None or name == StreetAIChatStore.class_name():
        return found
    store = data.get("store")
    if name == SimpleChatStore.class_name() and isinstance(store, Mapping):
        return SimpleChatStore(
            store={str(key): [message_from_json(message) for message in messages] for key, messages in store.items()}
        )
    logger.warning(
        "a chat store of type %s cannot be opened again in another process: the window is what the memory itself has "
        "stored. Give it as from_dict(data, chat_store=...)",
        name,
    )
    return None


def is_written(value: object) -> bool:
    """Whether a value is what a memory has written of itself; arguments name no class."""
    return isinstance(value, Mapping) and "class_name" in value


@dataclass(frozen=True, slots=True)
class Written:
    """What a memory has written of itself, taken apart. Reads what a stock `ChatMemoryBuffer` has written too."""

    settings: Mapping[str, Any]
    """The fields that are plain values."""
    address: Mapping[str, Any] | None
    """Where the engine is; `None`: it had none."""
    store: Mapping[str, Any]
    """The chat store, as `chat_store_to_json` wrote it."""
    messages: Sequence[ChatMessage]
    """What came along because it was in RAM only."""

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Written:
        """Take it apart.

        Raises:
            InputError: it is not what a memory has written.
        """
        if not isinstance(data, Mapping):
            raise InputError(f"a memory is restored from a mapping, got {type(data).__name__}")
        store = data.get("chat_store")
        store = store if isinstance(store, Mapping) else {}
        # A stock memory whose transcript is an engine's has the address in its chat store.
        address = data.get("engine") or store.get("engine")
        # Very old versions of LlamaIndex wrote the messages directly.
        messages = store.get("messages") or data.get("chat_history") or []
        return cls(
            settings={name: value for name, value in data.items() if name not in _PARTS},
            address=address if isinstance(address, Mapping) else None,
            store=store,
            messages=[message_from_json(message) for message in messages],
        )

    def opening(self, registry: MemoryRegistry | None = None, **given: Any) -> Opening:
        """The engine: the one that was given, else the one that it was written on.

        Args:
            registry: an open engine.
            given: `path`, `embed_model` and `config`, as for `opening_of`.
        """
        if registry is not None or given.get("path") is not None or self.address is None:
            return opening_of(registry, **given)
        return reopened(self.address, embed_model=given.get("embed_model"))

    def chat_store(self) -> BaseChatStore | None:
        """The user's chat store; `None`: the window is the engine's own transcript."""
        return chat_store_from_json(self.store) if self.store else None


def _token_of(chat_store: BaseChatStore) -> str:
    """What finds a chat store again in this process."""
    with _lock:
        for token, known in _stores.items():
            if known is chat_store:
                return token
        token = uuid4().hex
        _stores[token] = chat_store
        return token
