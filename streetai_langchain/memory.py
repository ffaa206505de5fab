"""One object from which an application gets everything that LangChain can be given."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from langchain_core.documents import Document
from langchain_core.runnables.base import RunnableLike
from langchain_core.tools import BaseTool

from streetai_core import Config, Memory, MemoryRegistry, WeightUpdate
from streetai_core.aio import twin
from streetai_core.errors import InputError
from streetai_core.handles import Handle
from streetai_core.reporting import Recalled
from streetai_core.text.clean import is_blank
from streetai_core.verbs.arguments import check_positive
from streetai_langchain.callbacks import StreetAICallbackHandler, tracking
from streetai_langchain.chat_history import StreetAIChatMessageHistory
from streetai_langchain.open_runs import runs_of
from streetai_langchain.retrievers import StreetAIRetriever
from streetai_langchain.runnables import StreetAIRunnable
from streetai_langchain.sessions import session_of
from streetai_langchain.tools import MemoryTools

if TYPE_CHECKING:
    from streetai_langchain.classic import StreetAIChainMemory
    from streetai_langchain.middleware import StreetAIMemoryMiddleware


class StreetAIMemory(Handle):
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

    INSTEAD = "Give the other process the path of the database, and make a StreetAIMemory there."

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
        self.token_budget = check_positive(token_budget, "token_budget")
        self.on_error = on_error
        self._runs = runs_of(self.registry.store)

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

    def middleware(
        self,
        session_id: str | None = None,
        *,
        user_id: str | None = None,
        inject: Literal["user", "system"] = "user",
        token_budget: int | None = None,
        window: int | None = None,
        name: str | None = None,
    ) -> StreetAIMemoryMiddleware:
        """The memory of an agent: `create_agent(model, tools, middleware=[memory.middleware()], checkpointer=...)`.

        Args:
            session_id: binds it to one session; `None`: each run's config names its session, as `thread_id`.
            user_id: binds it to the memory of one user; the same.
            inject: whether recalled text goes in front of the newest user message or after the system message.
            token_budget: most tokens of question and recalled text; `None`: that of this object.
            window: only the last so many messages of the agent's state go to the model; `None`: all.
            name: has to be given where one agent has several of these.

        Raises:
            InputError: an argument cannot be used.
            MissingExtraError: langchain is not installed.
        """
        from streetai_langchain.middleware import StreetAIMemoryMiddleware  # noqa: PLC0415 - needs an extra

        return StreetAIMemoryMiddleware(
            self.registry,
            session_id,
            user_id=user_id,
            inject=inject,
            token_budget=self.token_budget if token_budget is None else token_budget,
            window=window,
            name=name,
            on_error=self.on_error,
        )

    def wrap(
        self,
        chain: RunnableLike[Any, Any],
        *,
        input_key: str | None = None,
        memory_key: str | None = None,
        output_key: str | None = None,
        session_id: str | None = None,
        user_id: str | None = None,
        token_budget: int | None = None,
    ) -> StreetAIRunnable:
        """A chain with a memory: `memory.wrap(prompt | model, input_key="input", memory_key="history")`.

        Args:
            chain: any runnable.
            input_key: of a dict input the key of the question; needed only if there are several.
            memory_key: of a dict input the key that gets the past; without it the past goes before the question.
            output_key: of a dict output the key of the reply; needed only if it cannot be told.
            session_id: binds it to one session; `None`: each run's config names its session.
            user_id: binds it to the memory of one user; the same.
            token_budget: most tokens of question and past; `None`: that of this object.

        Raises:
            InputError: an id or the budget cannot be used.
        """
        _check_bound(session_id, user_id)
        return StreetAIRunnable(
            chain,
            self.registry,
            input_key=input_key,
            memory_key=memory_key,
            output_key=output_key,
            session_id=session_id,
            user_id=user_id,
            token_budget=self.token_budget if token_budget is None else token_budget,
            on_error=self.on_error,
        )

    def retriever(
        self, session_id: str | None = None, *, user_id: str | None = None, k: int = 4, **options: Any
    ) -> StreetAIRetriever:
        """A retriever of what bears on a question: `memory.retriever().invoke(question, config)`.

        Args:
            session_id: binds it to one session; `None`: each run's config names its session.
            user_id: binds it to the memory of one user; the same.
            k: how many documents, from 1.
            options: `wanted`, a `RecallFilter` of what is searched at all, `strategy`, `asked_at`, when and where
                questions are asked, and fields of every LangChain retriever, such as `tags`.

        Raises:
            InputError: an id cannot be used.
        """
        _check_bound(session_id, user_id)
        return StreetAIRetriever(
            registry=self.registry, session_id=session_id, user_id=user_id, k=k, on_error=self.on_error, **options
        )

    def callback_handler(self, session_id: str | None = None, *, user_id: str | None = None) -> StreetAICallbackHandler:
        """Learns from the replies of a chain with `retriever()`: `chain.invoke(x, {"callbacks": [handler], ...})`.

        It stores no messages. Whose memory learns is told by the documents; several handlers learn once.

        Args:
            session_id: only documents from the memory of this session count; `None`: from all memories.
            user_id: only documents from the memory of this user count; wins, as everywhere.

        Raises:
            InputError: an id cannot be used.
        """
        bound = session_id is not None or user_id is not None
        memory_id = session_of(None, session_id=session_id, user_id=user_id).memory_id if bound else None
        return StreetAICallbackHandler(self.registry, memory_id=memory_id, on_error=self.on_error)

    @contextmanager
    def track(self, session_id: str | None = None, *, user_id: str | None = None) -> Iterator[None]:
        """Give `callback_handler` to every run that begins in the block: `with memory.track(): chain.invoke(x)`.

        Of nested blocks the innermost one counts. Threads that the application starts itself do not inherit it.

        Args:
            session_id: as for `callback_handler`.
            user_id: the same.

        Raises:
            InputError: an id cannot be used.
        """
        with tracking(self.callback_handler(session_id, user_id=user_id)):
            yield

    def tools(self, session_id: str | None = None, *, user_id: str | None = None) -> list[BaseTool]:
        """`search_memory`, `remember`, `forget` and `update_message`, for a model that looks after its memory itself.

        Args:
            session_id: binds them to one session; `None`: each run's config names its session.
            user_id: binds them to the memory of one user; the same.

        Raises:
            InputError: an id cannot be used.
        """
        _check_bound(session_id, user_id)
        return MemoryTools(self.registry, session_id=session_id, user_id=user_id, on_error=self.on_error).tools()

    def post_process(
        self,
        session_id: str | None,
        retrieved: Iterable[Recalled | Document],
        response: str,
        *,
        user_id: str | None = None,
    ) -> list[WeightUpdate]:
        """Learn from a reply, where nothing does it by itself: after `retriever.invoke` and a model of your own.

        Args:
            session_id: of the conversation; may be `None` if there is a user.
            retrieved: what the model was given: the retriever's documents, or ids of signals. Foreign ids are ignored.
            response: the text of the reply; a blank one teaches nothing.
            user_id: whose memory it is.

        Returns:
            What was learned about each signal that is still there.

        Raises:
            InputError: no session, or an id cannot be used.
            EncoderError: the embedding model failed.
            StoreError: the database failed.
        """
        recalled = [str(item.id) if isinstance(item, Document) else item for item in retrieved]
        session = session_of(None, session_id=session_id, user_id=user_id)
        return self.registry.get(session.memory_id).post_process(recalled, response)

    @property
    def executor(self) -> Executor:
        """Where the async twins run."""
        return self.registry.executor

    apost_process = twin(post_process, writes=True)

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


def _check_bound(session_id: str | None, user_id: str | None) -> None:
    """Refuse an id that cannot be used where it is given, not at the first run."""
    if session_id is not None or user_id is not None:
        session_of(None, session_id=session_id, user_id=user_id)
