"""`StreetAIMemoryBlock`: recall for LlamaIndex's own `Memory`, as one of its blocks."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.memory.memory import BaseMemoryBlock
from llama_index.core.utils import get_tokenizer

from streetai_core import Config, MemoryRegistry
from streetai_core.errors import InputError
from streetai_core.failures import OnError, fail_open
from streetai_core.forking import fork_safe_lock
from streetai_core.text.clean import is_blank
from streetai_core.verbs.arguments import AskedAt, moment_of
from streetai_llamaindex.conversations import Conversation, conversation_of
from streetai_llamaindex.ingestion import ingest
from streetai_llamaindex.lessons import claimed, post_process
from streetai_llamaindex.moments import AskedAtField, from_json
from streetai_llamaindex.opening import Lease, Opening, check_unset, opening_of, reopened
from streetai_llamaindex.retrieved import Retrieved
from streetai_llamaindex.sessions import session_of
from streetai_llamaindex.speech import ends_turn, remembered_text, reply_text, role_of, same_words, text_of
from streetai_llamaindex.turns import Turn
from streetai_llamaindex.writers import surely

_NAME = "recalled"
"""The tag round the block's text in a prompt."""

_SESSION_KEY = "session_id"
"""Where LlamaIndex notes the session in `additional_kwargs` of messages that it hands to a block."""

_MOST_SESSIONS = 1024
"""Sessions whose turns are kept: more than talk at once through one block."""
_MOST_TEXTS = 64
"""Recalled texts that may still be shortened; it happens in the same read."""

_NOT_LEARNED = "nothing is learned from this turn"
_NOT_STORED = "what was said is not stored"


class StreetAIMemoryBlock(BaseMemoryBlock[str]):
    """What bears on the user's question of all that has left the window of a `Memory`, however long ago.

        Memory.from_defaults(session_id="user-42", memory_blocks=[StreetAIMemoryBlock(path="memory.db")])

    One block serves any number of memories at once: at each call it works on the session that the memory names. Every
    message that it is given is stored, a lump that is handed over twice only once. A question is the user's last
    message, and is recalled for once, however often an agent reads its memory. When a read shows the reply to it, the
    block learns which of what it recalled was of use.

    `Memory` hands messages to its blocks only when its window is full. Where a restart must lose nothing, use
    `StreetAIMemory` or `StreetAIChatMemoryBuffer`, which store each message when it is put.

    A failing engine recalls nothing: the failure is logged and given to `on_error`, and the chat goes on.

    Args:
        path: the database file; `None`: in RAM, gone with the process.
        registry: an engine that is open already; wins over `path`.
        session_id: used where a call names no session.
        embed_model: any LlamaIndex `BaseEmbedding`; `None`: all-MiniLM-L6-v2.
        config: settings of the engine.
        token_limit: most tokens of the recalled text; `None`: the limit of the settings.
        tokenizer_fn: counts them; `None`: LlamaIndex's default.
        asked_at: when and where questions are asked, by which "yesterday" goes: a time in the user's zone, or a
            function that gives it, called for each question where it is asked; `None`: the engine's clock.
        on_error: told of every failure of the engine.

    Raises:
        ValueError: an argument cannot be used.
    """

    name: str = Field(default=_NAME, description="The tag round the recalled text.")
    description: str | None = Field(default="Earlier messages that bear on the question.")
    session_id: str | None = None
    """Used where a call names no session."""
    token_limit: int | None = Field(default=None, ge=0)
    """Most tokens of the recalled text; `None`: the limit of the settings."""
    engine: dict[str, Any] | None = None
    """Where the engine is; see `opening.Address`."""
    asked_at: AskedAtField = None
    """When and where questions are asked."""
    tokenizer_fn: Callable[[str], list[Any]] = Field(default_factory=get_tokenizer, exclude=True)
    on_error: Callable[[Exception], None] | None = Field(default=None, exclude=True)

    _opening: Opening = PrivateAttr()
    _lease: Lease | None = PrivateAttr(default=None)
    _lock: Any = PrivateAttr(default_factory=fork_safe_lock)
    _sessions: OrderedDict[str, Conversation] = PrivateAttr(default_factory=OrderedDict)
    _replies: OrderedDict[str, int] = PrivateAttr(default_factory=OrderedDict)
    """By turn: how many replies to the same words the window had when they were asked."""
    _recalled: OrderedDict[str, tuple[Conversation, Turn, list[str]]] = PrivateAttr(default_factory=OrderedDict)

    def __init__(
        self,
        *,
        path: str | os.PathLike[str] | None = None,
        registry: MemoryRegistry | None = None,
        embed_model: object = None,
        config: Config | None = None,
        session_id: str | None = None,
        tokenizer_fn: Callable[[str], list[Any]] | None = None,
        asked_at: AskedAt | None = None,
        on_error: OnError | None = None,
        **data: Any,
    ) -> None:
        check_unset(registry, embed_model=embed_model, config=config)
        address = data.pop("engine", None)
        if address is None or path is not None or registry is not None:
            opening = opening_of(registry, path=path, embed_model=embed_model, config=config)
        else:
            opening = reopened(address, embed_model=embed_model)
        if session_id is not None:
            session_of(session_id, persistent=opening.is_persistent)
        data |= {"session_id": session_id, "engine": dict(opening.address), "on_error": on_error}
        data["asked_at"] = from_json(asked_at)
        data["tokenizer_fn"] = tokenizer_fn or get_tokenizer()
        super().__init__(**data)
        self._opening = opening
        self._lease = opening.lease()

    @classmethod
    def class_name(cls) -> str:
        """Its name."""
        return "StreetAIMemoryBlock"

    def is_on(self, opening: Opening) -> bool:
        """Whether it stores in this engine."""
        return self._opening is opening

    @property
    def registry(self) -> MemoryRegistry:
        """The engine, for looking in.

        Raises:
            StreetAIError: it cannot be opened.
        """
        return self._opening.registry

    def __copy__(self) -> StreetAIMemoryBlock:
        """A copy on the same engine: there is one truth, which is not copied."""
        given = self.model_dump(mode="json", exclude={"asked_at"})
        return type(self)(**given, tokenizer_fn=self.tokenizer_fn, asked_at=self.asked_at, on_error=self.on_error)

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> StreetAIMemoryBlock:
        """The same."""
        return copy(self)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> StreetAIMemoryBlock:  # noqa: ARG002 - pydantic's names
        """The same, with other values of fields; where both are asked for, pydantic would copy locks."""
        return super().model_copy(update=update)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by where the engine is; a function that tells the time must be one that can be pickled."""
        return _unpickled, (type(self), self.model_dump(mode="json", exclude={"asked_at"}), self.asked_at)

    # ------------------------------------------------------------------- read

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        """What is recalled for the last message of the user; empty if there is nothing to say.

        Args:
            messages: the window, and the question.
            block_kwargs: `session_id`, whose memory; all else is ignored.

        Raises:
            InputError: there is no session, neither here nor of the block.
        """
        conversation = self._conversation(block_kwargs.get(_SESSION_KEY))
        said = list(messages or ())
        place = max((at for at, one in enumerate(said) if role_of(one) == "user"), default=None)
        question = "" if place is None else text_of(said[place])
        await self._learn(conversation, said)
        turn = conversation.turns.find()
        if place is None or is_blank(question):
            return ""
        if any(ends_turn(one) for one in said[place + 1 :]):
            # The read that ends an agent's run: there is nothing to ask any more.
            return turn.recalled_text if turn is not None and same_words(turn.question, question) else ""
        turn = conversation.turns.asked(question)[0]
        if not turn.recalled:
            turn.asked_at = moment_of(self.asked_at)
        with self._lock:
            self._replies.setdefault(turn.turn_id, len(_replies_to(question, said)))
            while len(self._replies) > _MOST_SESSIONS:
                self._replies.popitem(last=False)
        shown = [form for one in said for form in dict.fromkeys((remembered_text(one), remembered_text(one).strip()))]
        await asyncio.to_thread(self._recall, conversation, turn, shown, self.token_limit)
        return turn.recalled_text

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """The same recalled text with less in it: the best that fits into fewer tokens.

        Args:
            content: what a read has returned.
            tokens_to_truncate: how many tokens less it has to have.

        Returns:
            The shorter text; `None` if nothing is left.
        """
        with self._lock:
            conversation, turn, shown = self._recalled.get(content, (None, None, []))
        if conversation is None or turn is None:
            return None
        limit = len(self.tokenizer_fn(content)) - tokens_to_truncate
        turn.drop_recalled()
        await asyncio.to_thread(self._recall, conversation, turn, shown, limit)
        return turn.recalled_text or None

    # ------------------------------------------------------------------ write

    async def aput(
        self,
        messages: list[ChatMessage],
        from_short_term_memory: bool = False,  # noqa: FBT001, FBT002 - upstream's signature
        session_id: str | None = None,
    ) -> None:
        """Store messages. Unlike upstream's this changes none of them.

        Args:
            messages: in the order they were said.
            from_short_term_memory: whether they have left the window of a memory.
            session_id: whose memory; `None`: what the messages say, else the block's.
        """
        if from_short_term_memory and not self.accept_short_term_memory:
            return
        with fail_open(_NOT_STORED, self.on_error):
            for session, lump in self._by_session(messages, session_id):
                conversation = self._conversation(session)
                # A cancelled one is carried out all the same: the memory does not hand it over again.
                await surely(ingest, conversation, lump)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Store messages; see `aput`."""
        await self.aput(messages)

    # ---------------------------------------------------------------- private

    def _conversation(self, session_id: object) -> Conversation:
        """The session that a call names, else the block's."""
        session = self.session_id if session_id is None else session_id
        if not isinstance(session, str):
            raise InputError("whose memory is it? Give the block a session_id, or use it in a Memory that has one")
        with self._lock:
            conversation = self._sessions.get(session)
            if conversation is None:
                conversation = self._sessions[session] = conversation_of(self._opening, session)
                if self.on_error is not None:
                    conversation.on_error = self.on_error
            self._sessions.move_to_end(session)
            while len(self._sessions) > _MOST_SESSIONS:
                self._sessions.popitem(last=False)
        return conversation

    def _recall(self, conversation: Conversation, turn: Turn, shown: list[str], limit: int | None) -> None:
        """Recall for a turn, if that was not done. I/O."""
        if limit is None:
            conversation.recall(turn, shown, 1, lambda _: 0)
        else:
            conversation.recall(turn, shown, limit, lambda text: len(self.tokenizer_fn(text)))
        with self._lock:
            if turn.recalled_text:
                self._recalled[turn.recalled_text] = (conversation, turn, shown)
            while len(self._recalled) > _MOST_TEXTS:
                self._recalled.popitem(last=False)

    async def _learn(self, conversation: Conversation, said: Sequence[ChatMessage]) -> None:
        """Learn from the reply to the open turn, if the window shows it by now."""
        turn = conversation.turns.find()
        if turn is None or turn.outcome != "open":
            return
        replies = _replies_to(turn.question, said)
        if len(replies) <= self._replies.get(turn.turn_id, len(replies)):
            return
        one = Retrieved(conversation, turn)
        if claimed(one, replies[-1]) and replies[-1]:
            await surely(self._post_process, one, replies[-1])

    def _post_process(self, one: Retrieved, reply: str) -> None:
        with fail_open(_NOT_LEARNED, self.on_error or one.conversation.on_error):
            post_process(one, reply)

    def _by_session(
        self, messages: Sequence[ChatMessage], session_id: str | None
    ) -> list[tuple[object, list[ChatMessage]]]:
        """The messages by session, without LlamaIndex's note of it."""
        lumps: dict[object, list[ChatMessage]] = {}
        for message in messages:
            own = dict(message.additional_kwargs)
            noted = own.pop(_SESSION_KEY, None)
            session = session_id or noted or self.session_id
            lumps.setdefault(session, []).append(message.model_copy(update={"additional_kwargs": own}))
        return list(lumps.items())


def _replies_to(question: str, said: Sequence[ChatMessage]) -> list[str]:
    """The replies to a question, each time it was asked; empty where nobody said anything, as with "Empty Response"."""
    replies = []
    asked = False
    for one in said:
        if role_of(one) == "user":
            asked = same_words(text_of(one), question)
        elif asked and ends_turn(one):
            replies.append(reply_text(one))
            asked = False
    return replies


def _unpickled(cls: type[StreetAIMemoryBlock], data: dict[str, Any], asked_at: AskedAt | None) -> StreetAIMemoryBlock:
    return cls(**data, asked_at=asked_at)
