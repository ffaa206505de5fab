"""`StreetAIChatMemoryBuffer`: LlamaIndex's chat memory with recall, for every chat engine and agent."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar
from uuid import uuid4

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import Field, field_serializer
from llama_index.core.llms.llm import LLM
from llama_index.core.memory.chat_memory_buffer import (
    DEFAULT_TOKEN_LIMIT,
    DEFAULT_TOKEN_LIMIT_RATIO,
    ChatMemoryBuffer,
)
from llama_index.core.storage.chat_store import BaseChatStore
from llama_index.core.utils import get_tokenizer

from streetai_core import Config, MemoryRegistry
from streetai_core.failures import OnError
from streetai_core.verbs.arguments import AskedAt, check_asked_at, check_positive
from streetai_llamaindex.chat_store import StreetAIChatStore
from streetai_llamaindex.messages import copied
from streetai_llamaindex.opening import Opening, check_unset, opening_of
from streetai_llamaindex.portable import Portable
from streetai_llamaindex.reading import InsertMethod, Reader
from streetai_llamaindex.serialization import Written, chat_store_to_json
from streetai_llamaindex.sessions import session_of
from streetai_llamaindex.sources import ChatStoreSource, Source, TranscriptSource
from streetai_llamaindex.speech import asked_text
from streetai_llamaindex.steps import Step
from streetai_llamaindex.writers import surely

RECALL_TOKEN_RATIO = 0.3
"""Most of the prompt that recalled text may take: the share that LlamaIndex's `Memory` leaves to its blocks."""


class StreetAIChatMemoryBuffer(Portable, ChatMemoryBuffer):
    """A `ChatMemoryBuffer` that never forgets: the last messages verbatim, and what bears on the question.

    Give it wherever LlamaIndex takes a memory: `index.as_chat_engine(memory=memory)`, `SimpleChatEngine`, agents'
    `run(memory=memory)`. Each message is stored when it is put; at the first read of a turn what bears on the question
    is recalled and stands next to it; the final reply teaches which of it helped. One user message is one turn, however
    often the memory is read. Everything is in one file by `path` and `session_id`, and is there after a restart.

    A failing engine never costs a reply: the failure is logged and given to `on_error`, and the chat goes on with what
    is in RAM. `reset` alone raises, for what should be forgotten and is not must be known.

    Make one with `from_defaults`. The fields of `ChatMemoryBuffer` keep their meaning; `chat_store_key` is the session.
    """

    chat_store_key: str = Field(default_factory=lambda: uuid4().hex)
    """The session: whose memory it is, from when it is set on. Two sessions on one file never see each other."""
    recall_token_ratio: float = Field(default=RECALL_TOKEN_RATIO, ge=0, le=1)
    """Most of the tokens that recalled text may take, from 0 (no recall) to 1."""
    insert_method: InsertMethod = "user"
    """Where recalled text goes: next to the question, or into a system message in front."""

    _SESSION: ClassVar[str] = "chat_store_key"

    @classmethod
    def class_name(cls) -> str:
        """Its name in serialised workflows."""
        return "StreetAIChatMemoryBuffer"

    @classmethod
    def from_defaults(  # noqa: PLR0917 - upstream's parameters, in upstream's order
        cls,
        chat_history: list[ChatMessage] | None = None,
        llm: LLM | None = None,
        chat_store: BaseChatStore | None = None,
        chat_store_key: str | None = None,
        token_limit: int | None = None,
        tokenizer_fn: Callable[[str], list[Any]] | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
        registry: MemoryRegistry | None = None,
        session_id: str | None = None,
        embed_model: object = None,
        config: Config | None = None,
        recall_token_ratio: float = RECALL_TOKEN_RATIO,
        insert_method: InsertMethod = "user",
        asked_at: AskedAt | None = None,
        on_error: OnError | None = None,
        **kwargs: Any,
    ) -> StreetAIChatMemoryBuffer:
        """Make a memory. No I/O: the file is opened when it is first needed.

        Args:
            chat_history: what was said before; see `set`. If what is stored begins with it, nothing is changed: an
                application gives it again at each start.
            llm: the limit is then three quarters of its context window.
            chat_store: where the window comes from; `None`: what the engine has stored of the session.
            chat_store_key: another name for `session_id`.
            token_limit: most tokens of window and recalled text together; `None`: 3000.
            tokenizer_fn: counts them; `None`: LlamaIndex's default.
            path: the database file, made at the first write; `None`: in RAM, gone with the process.
            registry: an engine that is open already; wins over `path`, and stays yours to close.
            session_id: whose memory it is, such as the id of the user. `None`: a new random one.
            embed_model: any LlamaIndex `BaseEmbedding`; `None`: all-MiniLM-L6-v2. `Settings` is never asked.
            config: settings of the engine.
            recall_token_ratio: most of the tokens that recalled text may take.
            insert_method: "user": next to the question; "system": in a system message in front.
            asked_at: when and where questions are asked, by which "yesterday" goes: a time in the user's zone, or a
                function that gives it, called for each question where it is asked; `None`: the engine's clock.
            on_error: told of every failure of the engine that is hidden from the chat.
            kwargs: none.

        Raises:
            ValueError: an argument cannot be used.
        """
        if kwargs:
            raise ValueError(f"Unexpected kwargs: {kwargs}")
        check_unset(registry, embed_model=embed_model, config=config)
        check_positive(token_limit, "token_limit")
        opening = opening_of(registry, path=path, embed_model=embed_model, config=config)
        if token_limit is None:
            window = None if llm is None else int(llm.metadata.context_window * DEFAULT_TOKEN_LIMIT_RATIO)
            token_limit = window or DEFAULT_TOKEN_LIMIT
        memory = cls(
            token_limit=token_limit,
            tokenizer_fn=tokenizer_fn or get_tokenizer(),
            chat_store=chat_store if chat_store is not None else StreetAIChatStore(opening),
            chat_store_key=session_of(session_id, chat_store_key, persistent=opening.is_persistent),
            recall_token_ratio=recall_token_ratio,
            insert_method=insert_method,
            engine=dict(opening.address),
            asked_at=check_asked_at(asked_at),
        )
        memory._take(tokenizer_fn=tokenizer_fn, on_error=on_error, chat_history=chat_history)
        return memory

    def model_post_init(self, context: Any, /) -> None:
        """Find the engine, and the chat store if none was given; pydantic calls this."""
        super().model_post_init(context)
        if "chat_store" not in self.model_fields_set:
            self.chat_store = StreetAIChatStore(self._opening)

    # ------------------------------------------------------------------- read

    def get(self, input: Any = None, initial_token_count: int = 0, **kwargs: Any) -> list[ChatMessage]:  # noqa: A002, ARG002 - upstream's names
        """The window, and what is recalled for the question.

        Args:
            input: the question: text, a message or a query. Anything else: the last user message without an answer.
            initial_token_count: tokens of what else is in the prompt.
            kwargs: ignored.

        Returns:
            Copies, the same ones for the whole turn.

        Raises:
            ValueError: `initial_token_count` is over the limit.
        """
        available = self._available(initial_token_count)
        reader = self._reader
        turn = reader.turn_of(asked_text(input))
        reading = self._read(reader, available, turn)
        turn = reader.turn_in(reading, turn)
        return reader.messages(reading, turn, available)

    async def aget(self, input: Any = None, initial_token_count: int = 0, **kwargs: Any) -> list[ChatMessage]:  # noqa: A002, ARG002 - upstream's names
        """Async twin of `get`: the same, with the I/O on a worker thread."""
        available = self._available(initial_token_count)
        # The turn is found here, not on the thread: context variables that are set there do not come back.
        reader = self._reader
        turn = reader.turn_of(asked_text(input))
        reading = await asyncio.to_thread(self._read, reader, available, turn)
        turn = reader.turn_in(reading, turn)
        return await asyncio.to_thread(reader.messages, reading, turn, available)

    def get_all(self) -> list[ChatMessage]:
        """Everything that was said in the current conversation, without recalled text; copies."""
        self._plant()
        return [copied(line.message) for line in self._source.everything()]

    async def aget_all(self) -> list[ChatMessage]:
        """Async twin of `get_all`."""
        return await asyncio.to_thread(self.get_all)

    # ------------------------------------------------------------------ write

    def put_messages(self, messages: Sequence[ChatMessage]) -> None:
        """Store messages in order; see `put`."""
        self._store(self.conversation.plan(messages))

    async def aput_messages(self, messages: Sequence[ChatMessage]) -> None:
        """Async twin of `put_messages`. A cancelled one is carried out all the same: the ledger counts on it."""
        steps = self.conversation.plan(messages)
        await surely(self._store, steps)

    def set(self, messages: list[ChatMessage]) -> None:
        """Make the history these messages.

        What is there already stays, with all that was learned about it; what is new is stored. Of a history that still
        has half of the current conversation in its place, the conversation is deleted from the first difference on. A
        history whose beginning was cut off deletes nothing. Any other one, such as an empty one, is another
        conversation: what was said before is not in the window any more, and can be recalled.
        """
        self._seed = None
        self._source.set_to(messages)
        self.conversation.set_to(messages)

    def reset(self) -> None:
        """Forget this session: the window, everything that can be recalled, and what was learned. No other session.

        Raises:
            StreetAIError: it could not be forgotten.
        """
        self._seed = None
        self.conversation.forget()
        self._source.forget()

    async def areset(self) -> None:
        """Async twin of `reset`."""
        await surely(self.reset)

    # ---------------------------------------------------------------- look in

    @property
    def session_id(self) -> str:
        """Whose memory it is; the same as `chat_store_key`."""
        return self.chat_store_key

    # ---------------------------------------------------------- serialisation

    @field_serializer("chat_store")
    def serialize_courses_in_order(self, chat_store: BaseChatStore) -> dict[str, Any]:
        """The chat store as JSON; upstream's method, by whose name it is found."""
        self._plant()
        return chat_store_to_json(chat_store, self.chat_store_key)

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """The memory as plain JSON: its settings, and where its engine is. The tokenizer is left out, as upstream."""
        data: dict[str, Any] = self.model_dump(mode="json", **kwargs)
        return data

    @classmethod
    def _values(cls, written: Written, opening: Opening, given: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a memory that was written; those that were given take the place of its own."""
        values = super()._values(written, opening, given)
        if "chat_store" not in values:
            chat_store = written.chat_store()
            values["chat_store"] = StreetAIChatStore(opening) if chat_store is None else chat_store
        return values

    # ---------------------------------------------------------------- private

    def _available(self, initial_token_count: int) -> int:
        """Tokens for window and recalled text."""
        if initial_token_count > self.token_limit:
            raise ValueError("Initial token count exceeds token limit")
        return self.token_limit - initial_token_count

    def _let_go(self) -> None:
        if isinstance(self.chat_store, StreetAIChatStore):
            self.chat_store.close()

    @property
    def _source(self) -> Source:
        """Where the window comes from."""
        store = self.chat_store
        if isinstance(store, StreetAIChatStore) and store.opening is self._opening:
            return TranscriptSource(self.conversation)
        return ChatStoreSource(store, self.chat_store_key, self.conversation)

    @property
    def _reader(self) -> Reader:
        """Reads with the settings as they are now."""
        return Reader(
            self.conversation, self._source, self._costs, self.recall_token_ratio, self.insert_method, self.asked_at
        )

    def _store(self, steps: Sequence[Step]) -> None:
        """Carry out what was planned, in the user's chat store too."""
        self._plant()
        for step in steps:
            self._source.add(step)
        self.conversation.store(steps)
