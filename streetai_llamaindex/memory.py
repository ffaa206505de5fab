"""`StreetAIMemory`: LlamaIndex's newer `Memory`, with recall, and with everything stored when it is said."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.memory.memory import (
    DEFAULT_FLUSH_SIZE,
    DEFAULT_MEMORY_BLOCKS_TEMPLATE,
    DEFAULT_TOKEN_LIMIT,
    BaseMemoryBlock,
    InsertMethod,
)
from llama_index.core.prompts import RichPromptTemplate
from llama_index.core.utils import get_tokenizer

from streetai_core import Config, MemoryRegistry
from streetai_core.errors import InputError
from streetai_core.failures import OnError, fail_open
from streetai_core.prompt.turns import INSTRUCTION_ROLES
from streetai_core.verbs.arguments import AskedAt, check_asked_at, check_positive
from streetai_llamaindex.block import StreetAIMemoryBlock
from streetai_llamaindex.blocks import Contents, ContentsOfTurns, run_to_end
from streetai_llamaindex.messages import copied, message_to_json
from streetai_llamaindex.opening import check_unset, opening_of
from streetai_llamaindex.reading import Reader
from streetai_llamaindex.serialization import Written
from streetai_llamaindex.sessions import session_of
from streetai_llamaindex.speech import asked_text, role_of
from streetai_llamaindex.stored_memory import BLOCK_FAILED, StoredMemory
from streetai_llamaindex.transcript import Reading
from streetai_llamaindex.turns import Turn

HISTORY_TOKEN_RATIO = 0.7
"""The share of the prompt that is the window's, as upstream; recalled text takes the rest at most."""

_NO_OTHER_STORE = (
    "StreetAIMemory keeps what was said in its own file, so that it can be recalled; give path= or registry= in place "
    "of {names}. To keep it in a store of yours, use llama_index's Memory with a StreetAIMemoryBlock"
)
_OWN_BLOCK = (
    "this memory recalls what its StreetAIMemoryBlock would, and would store again what the block stores in the same "
    "file: leave the block out, or give it to llama_index's Memory"
)
_STORES = ("chat_store", "async_database_uri", "async_engine", "db_schema")
"""Upstream's arguments for a store of its own."""
_NOT_USED = (
    "table_name",
    "image_token_size_estimate",
    "audio_token_size_estimate",
    "video_token_size_estimate",
)
"""Upstream's arguments that change nothing here."""


class StreetAIMemory(StoredMemory):
    """LlamaIndex's `Memory` that stores each message at once and recalls what bears on the question.

    Give it wherever LlamaIndex takes a memory. Window and recalled text, and the contents of other memory blocks, stay
    within `token_limit` together. Instructions that were put into it are always shown. One message of the user is one
    turn: one recall, one question to each memory block, and one learning step when the reply is put, however often
    the memory is read. Other memory blocks get what has outgrown the window, each message once, but for a few at a
    restart.

    A failing engine never costs a reply: the failure is logged and given to `on_error`, and the chat goes on with what
    is in RAM. `reset` alone raises, for what should be forgotten and is not must be known.

    Make one with `from_defaults`. The transcript is in the engine; `sql_store` is not used.
    """

    insert_method: InsertMethod = Field(default=InsertMethod.USER)
    """Where recalled text and blocks go. Upstream's default is SYSTEM; what was once said is not an instruction."""

    _LEFT_OUT: ClassVar[frozenset[str]] = frozenset({"memory_blocks", "memory_blocks_template"})

    _contents: ContentsOfTurns = PrivateAttr(default_factory=ContentsOfTurns)

    @classmethod
    def class_name(cls) -> str:
        """Its name in serialised workflows; LangChain's plug-in has a class of the same name, in another package."""
        return "StreetAIMemory"

    @classmethod
    def from_defaults(  # type: ignore[override]  # noqa: PLR0917 - upstream's parameters, in upstream's order
        cls,
        session_id: str | None = None,
        chat_history: list[ChatMessage] | None = None,
        token_limit: int = DEFAULT_TOKEN_LIMIT,
        memory_blocks: list[BaseMemoryBlock[Any]] | None = None,
        tokenizer_fn: Callable[[str], list[Any]] | None = None,
        chat_history_token_ratio: float = HISTORY_TOKEN_RATIO,
        token_flush_size: int = DEFAULT_FLUSH_SIZE,
        memory_blocks_template: RichPromptTemplate = DEFAULT_MEMORY_BLOCKS_TEMPLATE,
        insert_method: InsertMethod = InsertMethod.USER,
        *,
        path: str | os.PathLike[str] | None = None,
        registry: MemoryRegistry | None = None,
        embed_model: object = None,
        config: Config | None = None,
        asked_at: AskedAt | None = None,
        on_error: OnError | None = None,
        **kwargs: Any,
    ) -> StreetAIMemory:
        """Make a memory. No I/O: the file is opened when it is first needed.

        Args:
            session_id: whose memory it is, such as the id of the user. `None`: a new random one.
            chat_history: what was said before; see `set`. If what is stored begins with it, nothing is changed: an
                application gives it again at each start.
            token_limit: most tokens of window, recalled text and memory blocks together.
            memory_blocks: other blocks of LlamaIndex's.
            tokenizer_fn: counts tokens; `None`: LlamaIndex's default.
            chat_history_token_ratio: the window's share, from 0 to 1; recalled text takes the rest at most.
            token_flush_size: fewest tokens that are handed to memory blocks at once.
            memory_blocks_template: of their contents.
            insert_method: USER: next to the question; SYSTEM: in a system message in front.
            path: the database file, made at the first write; `None`: in RAM, gone with the process.
            registry: an engine that is open already; wins over `path`, and stays yours to close.
            embed_model: any LlamaIndex `BaseEmbedding`; `None`: all-MiniLM-L6-v2. `Settings` is never asked.
            config: settings of the engine.
            asked_at: when and where questions are asked, by which "yesterday" goes: a time in the user's zone, or a
                function that gives it, called for each question where it is asked; `None`: the engine's clock.
            on_error: told of every failure of the engine that is hidden from the chat.
            kwargs: upstream's token estimates; they are accepted and not used, as every kind of content is counted.

        Raises:
            ValueError: an argument cannot be used, as upstream's stores cannot.
        """
        stores = [name for name in kwargs if name in _STORES and kwargs[name] is not None]
        if stores:
            raise InputError(_NO_OTHER_STORE.format(names=", ".join(stores)))
        if unknown := [name for name in kwargs if name not in {*_STORES, *_NOT_USED}]:
            raise InputError(f"unexpected arguments: {', '.join(unknown)}")
        check_unset(registry, embed_model=embed_model, config=config)
        check_positive(token_limit, "token_limit")
        opening = opening_of(registry, path=path, embed_model=embed_model, config=config)
        memory = cls(
            token_limit=token_limit,
            session_id=session_of(session_id, persistent=opening.is_persistent),
            memory_blocks=memory_blocks or [],
            tokenizer_fn=tokenizer_fn or get_tokenizer(),
            chat_history_token_ratio=chat_history_token_ratio,
            token_flush_size=token_flush_size,
            memory_blocks_template=memory_blocks_template,
            insert_method=insert_method,
            engine=dict(opening.address),
            asked_at=check_asked_at(asked_at),
        )
        if any(isinstance(one, StreetAIMemoryBlock) and one.is_on(opening) for one in memory.memory_blocks):
            raise InputError(_OWN_BLOCK)
        memory._queue.memory_blocks, memory._queue.template = list(memory.memory_blocks), memory_blocks_template
        memory._take(tokenizer_fn=tokenizer_fn, on_error=on_error, chat_history=chat_history)
        return memory

    # ------------------------------------------------------------------- read

    def get(self, input: Any = None, **block_kwargs: Any) -> list[ChatMessage]:  # noqa: A002 - upstream's name
        """The window, what is recalled for the question, and what memory blocks say.

        Args:
            input: the question: text, a message or a query. Anything else: the last user message without an answer.
            block_kwargs: for the memory blocks; `initial_token_count` are tokens of what else is in the prompt.

        Returns:
            Copies, the same ones for the whole turn.
        """
        reader, available = self._reader, self._available(block_kwargs)
        turn = reader.turn_of(asked_text(input))
        reading = self._read(reader, available, turn)
        turn = reader.turn_in(reading, turn)
        contents = self._contents_known(turn)
        if contents is None:
            contents = run_to_end(self._ask_blocks(reading, turn, input, block_kwargs))
        return self._messages(reader, reading, turn, available, contents)

    async def aget(self, input: Any = None, **block_kwargs: Any) -> list[ChatMessage]:  # noqa: A002 - upstream's name
        """Async twin of `get`: the same, with the I/O on a worker thread."""
        reader, available = self._reader, self._available(block_kwargs)
        # The turn is found here, not on the thread: context variables that are set there do not come back.
        turn = reader.turn_of(asked_text(input))
        reading = await asyncio.to_thread(self._read, reader, available, turn)
        turn = reader.turn_in(reading, turn)
        contents = self._contents_known(turn)
        if contents is None:
            contents = await self._ask_blocks(reading, turn, input, block_kwargs)
        return await asyncio.to_thread(self._messages, reader, reading, turn, available, contents)

    # ---------------------------------------------------------- serialisation

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """The memory as plain JSON: its settings, and where its engine is. Tokenizer and memory blocks are left out."""
        self._plant()
        data: dict[str, Any] = self.model_dump(mode="json", exclude=set(self._LEFT_OUT), **kwargs)
        if not self._opening.is_persistent:
            data["chat_store"] = {"messages": [message_to_json(message) for message in self.get_all()]}
        return data

    def _go_on(self, written: Written, values: Mapping[str, Any]) -> None:
        """Take what goes along with a memory that was written, and is no plain setting."""
        super()._go_on(written, values)
        shared = self._queue
        self.memory_blocks = list(values.get("memory_blocks", shared.memory_blocks))
        self.memory_blocks_template = values.get("memory_blocks_template", shared.template)

    def _beside(self) -> dict[str, Any]:
        """What a pickle has besides the JSON: the memory blocks."""
        return {"memory_blocks": self.memory_blocks}

    # ---------------------------------------------------------------- private

    def _available(self, block_kwargs: Mapping[str, Any]) -> int:
        """Tokens for window, recalled text and memory blocks."""
        taken = block_kwargs.get("initial_token_count")
        return max(0, self.token_limit - (taken if isinstance(taken, int) else 0))

    def _messages(
        self, reader: Reader, reading: Reading, turn: Turn | None, available: int, contents: Contents
    ) -> list[ChatMessage]:
        """Instructions, window, recalled text and the contents of blocks, within the limit. I/O."""
        instructions = self._instructions_of(reading.conversation_id)
        available -= contents.tokens + sum(self._costs.of_lines(instructions))
        window = reader.messages(reading, turn, max(0, available))
        shown = [message.content for message in window if role_of(message) in INSTRUCTION_ROLES]
        left = [copied(line.message) for line in instructions if line.message.content not in shown]
        role = MessageRole.SYSTEM if self.insert_method == InsertMethod.SYSTEM else MessageRole.USER
        return contents.inserted([*left, *window], role, new=turn is not None and turn.asked is None)

    def _contents_known(self, turn: Turn | None) -> Contents | None:
        """What the memory blocks say in a turn; `None`: they have to be asked."""
        if not self.memory_blocks:
            return Contents()
        if turn is None:
            return None
        return self._contents.of(turn.turn_id) or (Contents() if turn.answered else None)

    async def _ask_blocks(
        self, reading: Reading, turn: Turn | None, asked: object, block_kwargs: Mapping[str, Any]
    ) -> Contents:
        """Ask the memory blocks, the most important first."""
        history = [copied(line.message) for line in self._queue.active(reading.lines, self._costs)]
        question = "" if turn is not None and turn.asked is not None else asked_text(asked)
        said = [*history, ChatMessage(role=MessageRole.USER, content=question)] if question else history
        found: dict[str, Any] = {}
        for block in sorted(self.memory_blocks, key=lambda one: -one.priority):
            with fail_open(BLOCK_FAILED, self.conversation.on_error):
                content = await block.aget(said, **{**block_kwargs, "session_id": self.session_id})
                if content:
                    found[block.name] = content
        contents = Contents()
        with fail_open(BLOCK_FAILED, self.conversation.on_error):
            contents = await self._fitted(found, sum(self._costs.of_message(one) for one in history))
        return contents if turn is None else self._contents.keep(turn.turn_id, contents)

    async def _fitted(self, found: Mapping[str, Any], history_tokens: int) -> Contents:
        """The contents of blocks, truncated by priority where they leave the window less than its share."""
        tokens = sum(self._estimate_token_count(content) for content in found.values())
        share = min(history_tokens, int(self.token_limit * self.chat_history_token_ratio))
        texts, messages = await self._format_memory_blocks(
            await self._truncate_memory_blocks(dict(found), tokens, share)
        )
        content: list[Any] = []
        if texts:
            content = list(self.memory_blocks_template.format_messages(memory_blocks=texts)[0].blocks)
        counted = [*messages, ChatMessage(role=MessageRole.USER, blocks=content)]
        return Contents(content, messages, sum(self._costs.of_message(one) for one in counted))
