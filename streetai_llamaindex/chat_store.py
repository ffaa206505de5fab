"""The stored transcripts of an engine as a LlamaIndex chat store: one key is one session."""

from __future__ import annotations

from typing import Any, cast

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.storage.chat_store import BaseChatStore
from llama_index.core.storage.chat_store.loading import RECOGNIZED_CHAT_STORES

from streetai_llamaindex.conversations import Conversation, conversation_of
from streetai_llamaindex.messages import copied
from streetai_llamaindex.opening import Lease, Opening, opening_of, reopened


class StreetAIChatStore(BaseChatStore):
    """What was said in each session of an engine, exactly. The default `chat_store` of `StreetAIChatMemoryBuffer`.

    Every other memory of LlamaIndex can use it too: then it is a durable transcript, without recall. Messages are
    copied in and out.
    """

    engine: dict[str, Any] | None = None
    """Where the engine is; see `opening.Address`."""

    _opening: Opening | None = PrivateAttr(default=None)
    _lease: Lease | None = PrivateAttr(default=None)

    def __init__(self, opening: Opening | None = None, **data: Any) -> None:
        """Stand for the transcripts of an engine.

        Args:
            opening: the engine; `None`: one in RAM, made at the first use.
            data: what pydantic hands over.
        """
        super().__init__(**(data if opening is None else {**data, "engine": dict(opening.address)}))
        self._opening = opening

    @classmethod
    def class_name(cls) -> str:
        """Its name in serialised memories."""
        return "StreetAIChatStore"

    @property
    def opening(self) -> Opening:
        """The engine."""
        if self._opening is None:
            self._opening = opening_of() if self.engine is None else reopened(self.engine)
            self.engine = dict(self._opening.address)
        if self._lease is None:
            self._lease = self._opening.lease()
        return self._opening

    def close(self) -> None:
        """Close the file if nobody else in this process uses it; the next use opens it again."""
        lease, self._lease = self._lease, None
        if self._opening is not None and lease is not None:
            self._opening.release(lease)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by where the engine is."""
        return _unpickled, (type(self), dict(self.opening.address))

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> StreetAIChatStore:
        """Another one on the same engine: there is one truth, which is not copied."""
        return type(self)(self.opening)

    def set_messages(self, key: str, messages: list[ChatMessage]) -> None:
        """Make a transcript these messages; see `StreetAIChatMemoryBuffer.set` for what becomes of those before."""
        self._of(key).set_to(messages)

    def get_messages(self, key: str) -> list[ChatMessage]:
        """The transcript of a session's current conversation, oldest first; copies."""
        return [copied(line.message) for line in self._of(key).everything()]

    def add_message(self, key: str, message: ChatMessage) -> None:
        """Store a message."""
        conversation = self._of(key)
        conversation.store(conversation.plan([message]))

    def delete_messages(self, key: str) -> list[ChatMessage] | None:
        """Forget a session, and return what was said in it; `None` if there was nothing."""
        said = self.get_messages(key)
        self._of(key).forget()
        return said or None

    def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Delete the message at a place, counted from 0, and return it; `None` if there is none."""
        lines = self._of(key).everything()
        if not -len(lines) <= idx < len(lines):
            return None
        return copied(lines[idx].message) if self._of(key).delete([lines[idx].key]) else None

    def delete_last_message(self, key: str) -> ChatMessage | None:
        """Delete the newest message and return it; `None` if there is none."""
        return self.delete_message(key, -1)

    def get_keys(self) -> list[str]:
        """All sessions that were ever written, sorted."""
        return self.opening.registry.ids()

    def _of(self, key: str) -> Conversation:
        return conversation_of(self.opening, key)


# By it LlamaIndex's own memories find the class again; upstream has typed it for the one store of its own.
cast("dict[str, type[BaseChatStore]]", RECOGNIZED_CHAT_STORES)[StreetAIChatStore.class_name()] = StreetAIChatStore


def _unpickled(cls: type[StreetAIChatStore], engine: dict[str, Any]) -> StreetAIChatStore:
    return cls(engine=engine)
