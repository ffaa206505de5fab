"""A LangChain chat history: the transcript of one conversation, complete or its end."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig

from streetai_core import Memory, MemoryRegistry, Message, NewMessage
from streetai_core.aio import twin
from streetai_core.errors import ClosedError, InputError
from streetai_core.recording import store
from streetai_core.text.clean import check_id
from streetai_langchain.cached_replies import with_new_ids
from streetai_langchain.memory_traffic import results_of_memory
from streetai_langchain.messages import from_stored, to_stored
from streetai_langchain.sessions import Session

_HISTORY = "message_history"
"""Where `RunnableWithMessageHistory` tells the runs below it, in "configurable", which history it writes."""


class StreetAIChatMessageHistory(BaseChatMessageHistory):
    """What was said in one conversation, as LangChain messages, in the order it was said.

    A history is a transcript: LangChain asks it without a question, so it recalls nothing. Use `StreetAIChainMemory`
    for recall.

    A history is a light handle, made for one run and safe to throw away. What it has read stays as it was until it
    writes: `RunnableWithMessageHistory` reads twice in a run and tells old messages from new ones by their number.

    Messages come back equal to what was added, also those of a class of your own, if it has a name in its module and
    that module is imported when they are read; else they come back as LangChain's class that yours is derived from.

    Args:
        memory: where the messages are.
        conversation_id: whose messages; `None` is the conversation without an id.
        window: only the last so many messages, from 1. They start with a user message, so that no tool result lacks
            its call: of an exchange that is longer than the window all is given, of others that stick out nothing.
            `None`: the whole transcript.

    Raises:
        InputError: the id or the window cannot be used.
    """

    def __init__(self, memory: Memory, conversation_id: str | None, *, window: int | None = None) -> None:
        super().__init__()
        if not isinstance(memory, Memory):
            raise InputError(f"memory must be a streetai_core.Memory, got {type(memory).__name__}")
        if window is not None and (isinstance(window, bool) or not isinstance(window, int) or window < 1):
            raise InputError(f"window must be None or a whole number from 1, got {window!r}")
        self.memory = memory
        self.conversation_id = None if conversation_id is None else check_id(conversation_id, "conversation_id")
        self.window = window
        self._view: tuple[BaseMessage, ...] | None = None

    @property
    def executor(self) -> Executor:
        """Where the async twins run."""
        return self.memory.executor

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # documented upstream: a property or attribute
        """The messages, oldest first; a list of your own."""
        if self._view is None:
            self._view = tuple(from_stored(message) for message in self._stored())
        return list(self._view)

    async def aget_messages(self) -> list[BaseMessage]:
        """Async twin of `messages`."""
        return await self._aget()

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Store messages in order, all or none. A message with an id that is there already is not stored again.

        It is if a question without an id stands before it: a reply from a model's cache has the id of an earlier one.

        Raises:
            InputError: one of them is not a message.
            EncoderError: the embedding model failed.
            StoreError: the database failed.
        """
        # LangChain's own histories take what can be read only once, too.
        if said := list(messages):
            store(self.memory, with_new_ids(self.memory, self._as_stored(said)))
        self._view = None

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Async twin of `add_messages`."""
        await self._aadd(messages)

    def clear(self) -> None:
        """Delete this conversation; others of the same memory stay."""
        self.memory.delete_conversation(self.conversation_id)
        self._view = None

    async def aclear(self) -> None:
        """Async twin of `clear`."""
        await self._aclear()

    def _as_stored(self, messages: Sequence[BaseMessage]) -> list[NewMessage]:
        """Messages as they are stored; a transcript has the results of the memory's tools, which nothing recalls."""
        repeated = results_of_memory(messages)
        return [
            to_stored(one, self.conversation_id, recallable=not any(one is result for result in repeated))
            for one in messages
        ]

    def _get(self) -> list[BaseMessage]:
        return self.messages

    _aget = twin(_get)
    _aadd = twin(add_messages, writes=True)
    _aclear = twin(clear, writes=True)

    def _stored(self) -> list[Message]:
        """The stored messages that are shown."""
        if self.window is None:
            return self.memory.messages(conversation_id=self.conversation_id)
        newest = self.memory.messages(conversation_id=self.conversation_id, last=self.window + 1)
        if len(newest) <= self.window:
            return newest
        start = _first_of_user(newest[1:])
        if start is not None:
            return newest[1 + start :]
        return _last_exchange(self.memory.messages(conversation_id=self.conversation_id))


def is_transcribed(config: RunnableConfig, registry: MemoryRegistry, session: Session) -> bool:
    """Whether a `RunnableWithMessageHistory` round a run stores its turn, in the same conversation."""
    history = config.get("configurable", {}).get(_HISTORY)
    if not isinstance(history, StreetAIChatMessageHistory) or history.conversation_id != session.conversation_id:
        return False
    try:
        return history.memory is registry.get(session.memory_id)
    except ClosedError:
        # Nothing is stored at all, and whoever tries says so.
        return False


def _first_of_user(messages: Sequence[Message]) -> int | None:
    """The position of the first user message."""
    return next((number for number, message in enumerate(messages) if message.role == "user"), None)


def _last_exchange(messages: list[Message]) -> list[Message]:
    """From the last user message on; all, if there is none."""
    start = _first_of_user(messages[::-1])
    return messages if start is None else messages[len(messages) - 1 - start :]
