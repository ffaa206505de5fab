"""Where the window of a memory comes from: the stored transcript, or a chat store of the user's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.storage.chat_store import BaseChatStore

from streetai_core.failures import fail_open
from streetai_llamaindex.conversations import Conversation
from streetai_llamaindex.messages import copied
from streetai_llamaindex.speech import role_of, same_words, text_of
from streetai_llamaindex.steps import Step
from streetai_llamaindex.transcript import Line, Reading, numbered
from streetai_llamaindex.turns import Turn

_NOT_READ = "the window is empty, because the chat store could not be read"
_NOT_WRITTEN = "the chat store has not got what was said"


class Source(Protocol):
    """A transcript that is read for windows and kept in step with what is stored."""

    def newest(self, count: int, turn: Turn | None) -> Reading:
        """The last `count` messages, or more, as a turn sees them."""

    def everything(self) -> Sequence[Line]:
        """All messages."""

    def transcripts(self) -> Sequence[Sequence[ChatMessage]]:
        """What was said in each conversation, the current one first; not to be changed."""

    def add(self, step: Step) -> None:
        """Take what was said."""

    def set_to(self, messages: Sequence[ChatMessage]) -> None:
        """Become these messages."""

    def forget(self) -> None:
        """Become empty."""


class TranscriptSource:
    """What the engine has stored; it is kept by the conversation itself."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    def newest(self, count: int, turn: Turn | None) -> Reading:
        """The last `count` messages of a conversation, and those that are not stored yet."""
        return self._conversation.newest(count, turn)

    def everything(self) -> Sequence[Line]:
        """All messages of the current conversation."""
        return self._conversation.everything()

    def transcripts(self) -> Sequence[Sequence[ChatMessage]]:
        """What was said in each conversation, the current one first."""
        return self._conversation.transcripts()

    def add(self, step: Step) -> None:
        """Nothing: the conversation stores it."""

    def set_to(self, messages: Sequence[ChatMessage]) -> None:
        """Nothing: the conversation does it."""

    def forget(self) -> None:
        """Nothing: the conversation does it."""


class ChatStoreSource:
    """A chat store of the user's. Messages are copied in; what fails is reported, and only `forget` raises.

    Args:
        chat_store: the store.
        key: the session.
        conversation: whose `on_error` is told of failures.
    """

    def __init__(self, chat_store: BaseChatStore, key: str, conversation: Conversation) -> None:
        self._store = chat_store
        self._key = key
        self._conversation = conversation

    def newest(self, count: int, turn: Turn | None) -> Reading:  # noqa: ARG002 - chat stores cannot be asked for less than everything
        """All messages."""
        return Reading(self.everything(), complete=True)

    def everything(self) -> Sequence[Line]:
        """All messages."""
        messages: Sequence[ChatMessage] = ()
        with fail_open(_NOT_READ, self._conversation.on_error):
            messages = self._store.get_messages(self._key)
        return numbered(messages)

    def transcripts(self) -> Sequence[Sequence[ChatMessage]]:
        """All messages: to a chat store a session is one conversation."""
        return [[line.message for line in self.everything()]]

    def add(self, step: Step) -> None:
        """Take what was said; a question that is put again only if it is not the newest message."""
        with fail_open(_NOT_WRITTEN, self._conversation.on_error):
            if step.again:
                newest = self._store.get_messages(self._key)[-1:]
                if newest and role_of(newest[0]) == "user" and same_words(text_of(newest[0]), text_of(step.spoken[0])):
                    return
            for message in step.spoken:
                self._store.add_message(self._key, copied(message))

    def set_to(self, messages: Sequence[ChatMessage]) -> None:
        """Become these messages."""
        with fail_open(_NOT_WRITTEN, self._conversation.on_error):
            self._store.set_messages(self._key, [copied(message) for message in messages])

    def forget(self) -> None:
        """Delete the session from the store; what the store raises is raised."""
        self._store.delete_messages(self._key)
