"""One object from which an application gets everything that LangChain can be given."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from streetai_core import Config, Memory, MemoryRegistry
from streetai_core.errors import InputError
from streetai_core.text.clean import is_blank
from streetai_langchain.chat_history import StreetAIChatMessageHistory

if TYPE_CHECKING:
    from streetai_langchain.classic import StreetAIChainMemory


class StreetAIMemory:
    """The memories of all users and sessions of an application. A context manager; making it does no I/O.

    A session is one conversation. With a `user_id`, all sessions of the user share one long-term memory: what was said
    in one can be recalled in the others. Without, a session has a memory of its own, whose id is the session's.
    Do not let sessions without a user and users have the same ids: they would share a memory.

    Args:
        path_or_registry: the database file, made at the first write; or a `MemoryRegistry`, which stays yours to close.
        config: the settings of all memories.
        embeddings: a LangChain `Embeddings` or a StreetAI `Encoder`; `None`: all-MiniLM-L6-v2.
        token_budget: most tokens that a component may add to a prompt, the question included. `None`: no limit beyond
            those of the settings.
        on_error: told of every failure of the memory that a component hides from the conversation.

    Raises:
        InputError: an argument cannot be used.
    """

    def __init__(
        self,
        path_or_registry: str | os.PathLike[str] | MemoryRegistry,
        *,
        config: Config | None = None,
        embeddings: object = None,
        token_budget: int | None = None,
        on_error: Callable[[Exception], None] | None = None,
    ) -> None:
        if not isinstance(path_or_registry, MemoryRegistry):
            self.registry = MemoryRegistry(path_or_registry, config=config, encoder=embeddings)
        elif config is None and embeddings is None:
            self.registry = path_or_registry
        else:
            raise InputError("config and embeddings belong to the registry; give them to the MemoryRegistry instead")
        self._owns_registry = self.registry is not path_or_registry
        self.token_budget = token_budget
        self.on_error = on_error

    def __enter__(self) -> StreetAIMemory:  # noqa: PYI034 - Self needs Python 3.11, and nobody subclasses this
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def classic(self, session_id: str, *, user_id: str | None = None, **options: Any) -> StreetAIChainMemory:
        """`memory=` for a classic chain: `ConversationChain(llm=model, memory=memory.classic("session-1"))`.

        Args:
            session_id: the conversation.
            user_id: whose memory it is part of.
            options: fields of `StreetAIChainMemory`, such as `memory_key`, `input_key` and `return_messages`.

        Raises:
            InputError: an id is missing.
            MissingExtraError: langchain-classic is not installed.
            ClosedError: the registry is closed.
        """
        from streetai_langchain.classic import StreetAIChainMemory  # noqa: PLC0415 - the only part that needs the extra

        defaults = {"token_budget": self.token_budget, "on_error": self.on_error}
        memory = self._memory(session_id, user_id)
        return StreetAIChainMemory(memory=memory, conversation_id=session_id, **(defaults | options))

    def chat_history(
        self, session_id: str, *, user_id: str | None = None, window: int | None = None
    ) -> StreetAIChatMessageHistory:
        """A new handle on the transcript of a session; the method itself is a `get_session_history`.

            RunnableWithMessageHistory(chain, memory.chat_history, input_messages_key="input",
                                       history_messages_key="history")

        Args:
            session_id: the conversation.
            user_id: whose memory it is part of.
            window: only the last so many messages.

        Raises:
            InputError: an id is missing, or the window cannot be used.
            ClosedError: the registry is closed.
        """
        return StreetAIChatMessageHistory(self._memory(session_id, user_id), session_id, window=window)

    def close(self) -> None:
        """Close the registry, if it was made here. Closing twice is fine."""
        if self._owns_registry:
            self.registry.close()

    def _memory(self, session_id: str, user_id: str | None) -> Memory:
        if not isinstance(session_id, str) or is_blank(session_id):
            raise InputError(
                f"session_id must be text that names the conversation, got {session_id!r}. Give it as the first "
                "argument, or to a RunnableWithMessageHistory as config={'configurable': {'session_id': '...'}}"
            )
        if user_id is not None and (not isinstance(user_id, str) or is_blank(user_id)):
            raise InputError(f"user_id must be text that names the user, or be left out, got {user_id!r}")
        return self.registry.get(session_id if user_id is None else user_id)
