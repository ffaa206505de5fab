"""A `Memory` of LlamaIndex's whose transcript is in an engine: each message is stored when it is put."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.memory.memory import InsertMethod, Memory
from llama_index.core.storage.chat_store.base_db import MessageStatus

from streetai_core.errors import InputError
from streetai_core.failures import fail_open
from streetai_core.prompt.turns import INSTRUCTION_ROLES
from streetai_llamaindex.blocks import run_to_end
from streetai_llamaindex.messages import copied
from streetai_llamaindex.portable import Portable
from streetai_llamaindex.queues import Queue, queue_of
from streetai_llamaindex.reading import Reader
from streetai_llamaindex.sessions import session_of
from streetai_llamaindex.sources import Source, TranscriptSource
from streetai_llamaindex.steps import Step
from streetai_llamaindex.transcript import Line
from streetai_llamaindex.writers import surely

BLOCK_FAILED = "a memory block has nothing to say in this turn, or has not got what it should have"
_NOT_READ = "instructions that have left the window are not shown"


class StoredMemory(Portable, Memory):
    """Everything of `StreetAIMemory` but what it shows: storing, learning, forgetting, and looking in.

    `sql_store` is not used.
    """

    _SESSION: ClassVar[str] = "session_id"

    _instructions: dict[str, list[Line]] = PrivateAttr(default_factory=dict)

    def model_post_init(self, context: Any, /) -> None:
        """Find the engine, and check the settings; pydantic calls this."""
        super().model_post_init(context)
        if not 0 <= self.chat_history_token_ratio <= 1:
            raise InputError(f"chat_history_token_ratio must be from 0 to 1, got {self.chat_history_token_ratio}")
        session_of(self.session_id, persistent=self._opening.is_persistent)

    def get_all(self, status: MessageStatus | None = None) -> list[ChatMessage]:
        """Everything that was said in the current conversation, without recalled text; copies.

        Args:
            status: ACTIVE: what memory blocks have not got yet; ARCHIVED: what they have; `None`: both.
        """
        self._plant()
        lines = self.conversation.everything()
        if status is not None:
            first = self._active_from(lines)
            lines = lines[first:] if status == MessageStatus.ACTIVE else lines[:first]
        return [copied(line.message) for line in lines]

    async def aget_all(self, status: MessageStatus | None = None) -> list[ChatMessage]:
        """Async twin of `get_all`."""
        return await asyncio.to_thread(self.get_all, status)

    # ------------------------------------------------------------------ write

    def put_messages(self, messages: Sequence[ChatMessage]) -> None:
        """Store messages in order; see `put`."""
        leaving = self._store(self.conversation.plan(messages))
        if leaving:
            run_to_end(self._hand_over(leaving))

    async def aput_messages(self, messages: Sequence[ChatMessage]) -> None:
        """Async twin of `put_messages`. A cancelled one is carried out all the same: the ledger counts on it."""
        steps = self.conversation.plan(messages)
        leaving = await surely(self._store, steps)
        if leaving:
            await self._hand_over(leaving)

    def set(self, messages: list[ChatMessage]) -> None:
        """Make the history these messages; what is there already stays, with all that was learned about it.

        See `StreetAIChatMemoryBuffer.set` for what is deleted, and when another conversation begins.
        """
        self._seed = None
        self.conversation.set_to(messages)
        with self._planting:
            self._instructions.clear()
            self._queue.restart()

    def reset(self, status: MessageStatus | None = None) -> None:
        """Forget this session: the window, everything that can be recalled, and what was learned. No other session.

        Args:
            status: ACTIVE or ARCHIVED: forget that part of what was said only.

        Raises:
            StreetAIError: it could not be forgotten.
        """
        self._seed = None
        if status is None:
            self.conversation.forget()
        else:
            lines = self.conversation.everything()
            first = self._active_from(lines)
            forgotten = lines[first:] if status == MessageStatus.ACTIVE else lines[:first]
            self.conversation.delete([line.key for line in forgotten])
        with self._planting:
            self._instructions.clear()
            self._queue.restart()

    async def areset(self, status: MessageStatus | None = None) -> None:
        """Async twin of `reset`."""
        await surely(self.reset, status)

    # ---------------------------------------------------------------- private

    @property
    def _source(self) -> Source:
        """Where the window comes from."""
        return TranscriptSource(self.conversation)

    @property
    def _reader(self) -> Reader:
        """Reads with the settings as they are now."""
        method: Literal["user", "system"] = "system" if self.insert_method == InsertMethod.SYSTEM else "user"
        return Reader(
            self.conversation, self._source, self._costs, 1 - self.chat_history_token_ratio, method, self.asked_at
        )

    def _instructions_of(self, conversation_id: str | None) -> Sequence[Line]:
        """The instructions among all that was said in a conversation, read once. I/O."""
        with self._planting:
            if conversation_id is not None and conversation_id not in self._instructions:
                with fail_open(_NOT_READ, self.conversation.on_error):
                    self._instructions = {conversation_id: self.conversation.instructions(conversation_id)}
            return list(self._instructions.get(conversation_id or "", ()))

    def _store(self, steps: Sequence[Step]) -> Sequence[Line]:
        """Carry out what was planned, and say what memory blocks are to get now. I/O."""
        self._plant()
        with self._planting:
            if self.memory_blocks:
                self._queue.start(self._newest, self._costs)
            self.conversation.store(steps)
            if any(new.role in INSTRUCTION_ROLES for step in steps for new in step.messages):
                self._instructions.clear()
            return self._queue.leaving(self._newest, self._costs) if self.memory_blocks else ()

    def _newest(self) -> Sequence[Line]:
        """More of the newest messages than the queue has. I/O."""
        return self._reader.read(self.token_limit, None).lines

    def _active_from(self, lines: Sequence[Line]) -> int:
        """Where the messages begin that memory blocks have not got."""
        with self._planting:
            return len(lines) - len(self._queue.active(lines, self._costs))

    @property
    def _queue(self) -> Queue:
        """What memory blocks have got, with the settings as they are now."""
        queue = queue_of(self.conversation)
        queue.limit = self.token_limit * self.chat_history_token_ratio
        queue.lump = self.token_flush_size
        return queue

    async def _hand_over(self, leaving: Sequence[Line]) -> None:
        """Give the memory blocks what has outgrown the window."""
        for block in self.memory_blocks:
            with fail_open(BLOCK_FAILED, self.conversation.on_error):
                # Blocks of LlamaIndex's write into what they are given.
                lump = [copied(line.message) for line in leaving]
                await block.aput(lump, from_short_term_memory=True, session_id=self.session_id)
