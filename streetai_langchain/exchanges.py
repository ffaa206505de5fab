"""One exchange of a chain and its memory: recall before it, storing and learning after it."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, replace

from langchain_core.messages import AIMessage, HumanMessage

from streetai_core import Memory, MemoryRegistry, NewMessage, Prompt
from streetai_core.aio import twin
from streetai_core.text.clean import clean, is_blank
from streetai_core.types import Message
from streetai_langchain.failures import OnError, fail_open
from streetai_langchain.messages import text_of, to_stored
from streetai_langchain.sessions import Session

PARTIAL = "partial"
"""In the metadata of a reply that was cut: true."""

_ANY_QUESTION = "-"
"""Stands for a message without text, such as an image. The window does not depend on the question."""

_NOT_RECALLED = "nothing is recalled for this turn"
_NOT_STORED = "this turn is not stored"
_NOT_LEARNED = "nothing is learned from this turn"


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the end of a run has to know of its beginning."""

    session: Session
    message: HumanMessage
    """What the user said, without what was recalled for it."""
    prompt: Prompt | None
    """`None` if the memory failed."""


class Exchanges:
    """Begins and ends exchanges; holds nothing of any of them, so it serves many at once.

    No method raises because the memory fails. Each has an async twin that leaves the event loop free.
    """

    def __init__(self, registry: MemoryRegistry, *, token_budget: int | None, on_error: OnError | None) -> None:
        self._registry = registry
        self._token_budget = token_budget
        self._on_error = on_error

    @property
    def executor(self) -> Executor:
        """Where the async twins run."""
        return self._registry.executor

    def begin(self, session: Session, message: HumanMessage) -> Exchange:
        """Recall for a new user message."""
        prompt = None
        with fail_open(_NOT_RECALLED, self._on_error):
            prompt = self._prompt(session, message)
        return Exchange(session, message, prompt)

    async def abegin(self, session: Session, message: HumanMessage) -> Exchange:
        """Async twin of `begin`."""
        prompt = None
        with fail_open(_NOT_RECALLED, self._on_error):
            prompt = await self._aprompt(session, message)
        return Exchange(session, message, prompt)

    def end(self, exchange: Exchange, reply: AIMessage | None) -> None:
        """Store the user's message and the reply, and learn from the reply; not from one that only calls tools."""
        with fail_open(_NOT_STORED, self._on_error):
            self._store(exchange, reply)
            with fail_open(_NOT_LEARNED, self._on_error):
                self._learn(exchange, reply)

    async def aend(self, exchange: Exchange, reply: AIMessage | None) -> None:
        """Async twin of `end`."""
        with fail_open(_NOT_STORED, self._on_error):
            await self._astore(exchange, reply)
            with fail_open(_NOT_LEARNED, self._on_error):
                await self._alearn(exchange, reply)

    def cut(self, exchange: Exchange, reply: AIMessage | None) -> None:
        """Store the user's message and what came of the reply, marked as partial; nothing is learned."""
        with fail_open(_NOT_STORED, self._on_error):
            self._store(exchange, reply, partial=True)

    async def acut(self, exchange: Exchange, reply: AIMessage | None) -> None:
        """Async twin of `cut`."""
        with fail_open(_NOT_STORED, self._on_error):
            await self._astore(exchange, reply, partial=True)

    def _memory(self, session: Session) -> Memory:
        return self._registry.get(session.memory_id)

    def _prompt(self, session: Session, message: HumanMessage) -> Prompt:
        question = text_of(message)
        prompt = self._memory(session).build_prompt(
            _ANY_QUESTION if is_blank(question) else question,
            conversation_id=session.conversation_id,
            token_budget=self._token_budget,
        )
        return replace(prompt, retrieved=[], recalled_text="") if is_blank(question) else prompt

    def _store(self, exchange: Exchange, reply: AIMessage | None, *, partial: bool = False) -> None:
        """Store both sides in one transaction."""
        thread = exchange.session.conversation_id
        memory = self._memory(exchange.session)
        said = [to_stored(exchange.message, thread)]
        newest = memory.messages(conversation_id=thread, last=1)
        if newest and _same(newest[0], said[0]):
            # A try that failed has left it there, unanswered: this is the same turn.
            said = []
        if reply is not None:
            answer = to_stored(reply, thread)
            said.append(replace(answer, metadata={**(answer.metadata or {}), PARTIAL: True}) if partial else answer)
        memory.add_messages(said)

    def _learn(self, exchange: Exchange, reply: AIMessage | None) -> None:
        if reply is not None and exchange.prompt is not None and not reply.tool_calls:
            self._memory(exchange.session).post_process(exchange.prompt.retrieved, text_of(reply))

    _aprompt = twin(_prompt)
    _astore = twin(_store)
    _alearn = twin(_learn)


def _same(stored: Message, new: NewMessage) -> bool:
    """Whether the user's message is the stored one."""
    return stored.role == "user" and stored.content == clean(new.content)[0] and stored.metadata == (new.metadata or {})
