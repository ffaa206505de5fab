"""One exchange of a chain and its memory: recall before it, storing and learning after it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import pairwise
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from streetai_core import Memory, MemoryRegistry, NewMessage, Prompt
from streetai_core.aio import sure_twin, twin
from streetai_core.errors import MessageConflictError
from streetai_core.failures import OnError, fail_open, report
from streetai_core.later import must_not_wait
from streetai_core.recording import Recorded
from streetai_core.text.clean import clean, is_blank
from streetai_core.types import Message
from streetai_langchain.cached_replies import with_new_ids
from streetai_langchain.known_turns import known_of_turn, under_known_ids
from streetai_langchain.memory_traffic import without_memory_traffic
from streetai_langchain.messages import text_of, to_stored
from streetai_langchain.questions import Asked
from streetai_langchain.recording import Recording, new_turn_id
from streetai_langchain.sessions import Session

PARTIAL = "partial"
"""In the metadata of a reply that was cut: true."""

RUN = "run"
"""In the metadata of the reply to a message that an earlier try had left unanswered: the run that it is from."""

_ANY_QUESTION = "-"
"""Stands for a message without text, such as an image. The window does not depend on the question."""

_LAST = 2
"""Messages at the end of a conversation of which an app that sends it along has one: the last may be a question whose
answer failed, and is the one that is asked again."""

_MARGIN = 64
"""Stored messages that are read beyond those that an app sends along: how far back it may have gone on from."""

_ID_LENGTH = 32
"""Hexadecimal digits of an id made from another one: 128 bits, like a UUID."""

_NOT_RECALLED = "nothing is recalled for this turn"
_NOT_STORED = "this turn is not stored"
_NOT_LEARNED = "nothing is learned from this turn"
_NO_THREAD = "a stream that is closed early is stored only when its database is closed"


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the end of a run has to know of its beginning."""

    session: Session
    asked: Asked
    """What the user said, without what was recalled for it."""
    memory: Memory | None
    """The handle that was asked; `None` if none was. A turn that has begun in a memory is not stored in the one that is
    begun anew after an erasure."""
    prompt: Prompt | None
    """`None` if the memory failed."""
    is_inner: bool
    """Whether nothing is stored: the run is inside a tool, where nobody but a model has said anything, or inside
    another wrapped chain, which stores the turn."""
    is_transcribed: bool
    """Whether a chat history round the run stores the turn: then it is only learned from."""


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

    def begin(self, session: Session, asked: Asked, *, is_inner: bool, is_transcribed: bool, recalls: bool) -> Exchange:
        """Recall for a new user message, if `recalls`."""
        memory = prompt = None
        with fail_open(_NOT_RECALLED, self._on_error):
            if recalls:
                memory, prompt = self._prompt(session, asked)
        return Exchange(session, asked, memory, prompt, is_inner, is_transcribed)

    async def abegin(
        self, session: Session, asked: Asked, *, is_inner: bool, is_transcribed: bool, recalls: bool
    ) -> Exchange:
        """Async twin of `begin`; if it is cancelled, what the user said is stored, as it is a moment later."""
        memory = prompt = None
        try:
            with fail_open(_NOT_RECALLED, self._on_error):
                if recalls:
                    memory, prompt = await self._aprompt(session, asked)
        except asyncio.CancelledError:
            await self.acut(Exchange(session, asked, memory, prompt, is_inner, is_transcribed), None)
            raise
        return Exchange(session, asked, memory, prompt, is_inner, is_transcribed)

    def end(self, exchange: Exchange, reply: AIMessage | None) -> None:
        """Store the user's message and the reply, and learn from the reply; not from one that only calls tools."""
        with fail_open(_NOT_STORED, self._on_error):
            self._check_learned(self._record(exchange, reply))

    async def aend(self, exchange: Exchange, reply: AIMessage | None) -> None:
        """Async twin of `end`; what it stores is stored also if the wait for it is cancelled."""
        with fail_open(_NOT_STORED, self._on_error):
            self._check_learned(await self._arecord(exchange, reply))

    def cut(self, exchange: Exchange, reply: AIMessage | None) -> None:
        """Store the user's message and what came of the reply, marked as partial; nothing is learned.

        Of a stream that is closed, another thread does it: the garbage collector may be what closes it.
        """
        if must_not_wait():
            self._cut_later(exchange, reply)
            return
        with fail_open(_NOT_STORED, self._on_error):
            self._record(exchange, reply, partial=True)

    async def acut(self, exchange: Exchange, reply: AIMessage | None) -> None:
        """Async twin of `cut`; what it stores is stored also if the wait for it is cancelled."""
        if must_not_wait():
            self._cut_later(exchange, reply)
            return
        with fail_open(_NOT_STORED, self._on_error):
            await self._arecord(exchange, reply, partial=True)

    def _cut_later(self, exchange: Exchange, reply: AIMessage | None) -> None:
        """`cut` without waiting and without a lock."""

        def cut() -> None:
            with fail_open(_NOT_STORED, self._on_error):
                self._record(exchange, reply, partial=True)

        self._registry.later.hand(partial(copy_context().run, cut))

    def _check_learned(self, recorded: Recorded) -> None:
        if recorded.failure is not None:
            report(recorded.failure, _NOT_LEARNED, self._on_error)

    def _memory(self, session: Session) -> Memory:
        return self._registry.get(session.memory_id)

    def _catch_up(self) -> None:
        """Have a thread for streams that are closed; those that were closed before are part of the conversation."""
        with fail_open(_NO_THREAD, self._on_error):
            self._registry.later.start()
        self._registry.later.wait()

    def _prompt(self, session: Session, asked: Asked) -> tuple[Memory, Prompt]:
        """The memory of a session, and what it has for a question."""
        self._catch_up()
        question, memory = text_of(asked.question), self._memory(session)
        prompt = memory.build_prompt(
            _ANY_QUESTION if is_blank(question) else question,
            conversation_id=session.conversation_id,
            token_budget=self._token_budget,
            shown=_sent_along(memory, session, asked),
            asked_at=session.asked_at,
        )
        return memory, replace(prompt, retrieved=[], recalled_text="") if is_blank(question) else prompt

    def _record(self, exchange: Exchange, reply: AIMessage | None, *, partial: bool = False) -> Recorded:
        """Store both sides in one transaction, and learn in it from a reply that is not partial."""
        if exchange.is_inner:
            return Recorded()
        thread = exchange.session.conversation_id
        memory = exchange.memory or self._memory(exchange.session)
        lesson = {} if partial else _lesson(exchange, reply)
        if exchange.is_transcribed:
            return Recording(memory).learn(**lesson) if lesson else Recorded()
        told = _told(exchange.asked, thread)
        answer = None if reply is None else _answer(reply, thread, partial=partial)
        known = known_of_turn(memory, thread, told)
        if len(known) == len(told) == 1:
            # A try that failed has left the message there, unanswered: this is the same turn.
            recorded = Recorded() if answer is None else _answered(memory, known[0], answer, lesson)
            if recorded is not None:
                return recorded
            known = []
        if len(told) == 1 and not known:
            told = [_asked_anew(memory, told[0])]
        turn = told if answer is None else [*told, answer]
        return Recording(memory).record(new_turn_id(), under_known_ids(with_new_ids(memory, turn), known), **lesson)

    _aprompt = twin(_prompt)
    # Whoever has read a stream to its end may hang up while all threads are busy.
    _arecord = sure_twin(_record)


def _sent_along(memory: Memory, session: Session, asked: Asked) -> set[str] | None:
    """The texts that the app sends along with the question, if it sends its conversation; `None`: it does not.

    It does if the last that was said in it is there, or if it goes on from further back, as for an answer that is made
    again or a message that is edited: then a message of the conversation is there by its id, or the last exchange that
    is sent along is one of it. Anything else, such as examples, comes beside the window.
    """
    others = [*asked.before, *asked.after]
    if not others:
        return None
    thread = session.conversation_id
    ids = {to_stored(message, thread).message_id for message in others} - {None}
    texts = {text for message in others if not is_blank(text := text_of(message))}
    stored = memory.messages(conversation_id=thread, last=len(others) + _MARGIN)
    there = (
        any(one.message_id in ids for one in stored)
        or any(one.content in texts for one in stored[-_LAST:])
        or _has_exchange(stored, asked.before)
    )
    return texts if there or (asked.after and known_of_turn(memory, thread, _told(asked, thread))) else None


def _has_exchange(stored: Sequence[Message], before: Sequence[BaseMessage]) -> bool:
    """Whether the last exchange before a question is one of these messages', word for word."""
    sent = [
        ("user" if isinstance(one, HumanMessage) else "assistant", clean(text)[0])
        for one in before
        if isinstance(one, HumanMessage | AIMessage) and not is_blank(text := text_of(one))
    ]
    said = [(one.role, one.content) for one in stored if one.role != "tool" and not is_blank(one.content)]
    is_exchange = [role for role, _ in sent[-2:]] == ["user", "assistant"]
    return is_exchange and any([*pair] == sent[-2:] for pair in pairwise(said))


def _told(asked: Asked, thread: str | None) -> list[NewMessage]:
    """The question and the tool traffic of its turn, as they are stored."""
    return [to_stored(one, thread) for one in without_memory_traffic([asked.question, *asked.after])]


def _asked_anew(memory: Memory, question: NewMessage) -> NewMessage:
    """A question as it is stored: without its id if it was answered before; two replies would stand in a row."""
    is_there = question.message_id is not None and memory.revisions(question.message_id)
    return replace(question, message_id=None) if is_there else question


def _answer(reply: AIMessage, thread: str | None, *, partial: bool) -> NewMessage | None:
    """A reply as it is stored; `None` if it only calls tools of the memory."""
    for said in without_memory_traffic([reply]):
        stored = to_stored(said, thread)
        metadata = {**(stored.metadata or {}), PARTIAL: True} if partial else stored.metadata
        # Also where only calls of the memory's tools stood beside the text, it is no final reply.
        return replace(stored, metadata=metadata, ticks=False if reply.tool_calls else stored.ticks)
    return None


def _lesson(exchange: Exchange, reply: AIMessage | None) -> dict[str, Any]:
    """What `Recording.record` needs to learn from a reply; nothing if there is none, or if it only calls tools."""
    if reply is None or exchange.prompt is None or reply.tool_calls:
        return {}
    return {"retrieved": exchange.prompt.retrieved, "reply": text_of(reply)}


def _answered(memory: Memory, unanswered: Message, answer: NewMessage, lesson: dict[str, Any]) -> Recorded | None:
    """Store the answer to a message that is there; `None` if another run has answered it meanwhile.

    Between reading the message and writing its answer others may do the same, here or in another process. The store
    takes one answer only, for all have one id, made of the message's; whose it took is read from it afterwards.
    """
    claim = f"langchain-answer-{sha256(unanswered.message_id.encode()).hexdigest()[:_ID_LENGTH]}"
    run = uuid4().hex
    claiming = replace(answer, message_id=claim, metadata={**(answer.metadata or {}), RUN: run})
    try:
        recorded = Recording(memory).record(claim, [claiming], **lesson)
    except MessageConflictError:
        return None
    # By its id, which a conversation of any length answers at once; what it replaced comes along.
    lost = any(one.message_id == claim and one.metadata.get(RUN) != run for one in memory.revisions(claim))
    return None if lost else recorded
