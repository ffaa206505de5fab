"""Tools with which a model looks into its memory, and puts it right."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from datetime import datetime
from typing import Any
from urllib.parse import quote, unquote
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool

from streetai_core import Memory, MemoryRegistry, NewMessage
from streetai_core.aio import twin
from streetai_core.errors import InputError
from streetai_core.failures import OnError, fail_open
from streetai_core.prompt.block import said_by
from streetai_core.text.clean import is_blank
from streetai_core.types import Message, Signal
from streetai_langchain.memory_traffic import marked_artifact
from streetai_langchain.sessions import Session, graph_context, session_of

NOTES = "streetai-notes"
"""The conversation that what a model remembers is stored in: recalled like any other, and part of no transcript."""

_REMEMBERED = "remember"
"""The writer of what a model remembers, by whose name it can be put into quarantine."""

_MOST = 20
"""Most results of one search: what a model reads with care."""

_PLAIN = "/:@+=,|"
"""In an id beside letters, digits and "_.-~" as it is. All else is escaped: an id may have brackets and line breaks."""

_UNAVAILABLE = "The memory is not available right now."
_NO_ANSWER = "a tool has no answer"

Ask = Callable[[Memory, datetime | None], str]
"""What a tool does with the memory, and says about it."""

Answer = tuple[str, dict[str, str]]
"""What the model is told, and the artifact by which the result is known as one of the memory's."""


class MemoryTools:
    """The four tools, for the session of the run that calls them.

    Args:
        registry: where the memories are.
        session_id: binds the tools to one session; wins over the run's.
        user_id: binds them to one user; wins over the run's.
        on_error: told of every failure of the memory; the model is only told that it is not available.
    """

    def __init__(
        self,
        registry: MemoryRegistry,
        *,
        session_id: str | None = None,
        user_id: str | None = None,
        on_error: OnError | None = None,
    ) -> None:
        self._registry = registry
        self._session_id = session_id
        self._user_id = user_id
        self._on_error = on_error

    @property
    def executor(self) -> Executor:
        """Where the async twins run."""
        return self._registry.executor

    def search_memory(self, query: str, config: RunnableConfig, limit: int = 5) -> Answer:
        """Find what was said earlier, in this and in other conversations. Each result begins with its message id."""
        return self._answer("search_memory", config, lambda memory, at: _found(memory, query, limit, at))

    def remember(self, text: str, config: RunnableConfig) -> Answer:
        """Keep a fact for later conversations. What the user says is kept anyway."""
        return self._answer("remember", config, lambda memory, _: _remembered(memory, text))

    def forget(self, message_id: str, config: RunnableConfig) -> Answer:
        """Delete an earlier message for good. Search first: the message id is in the result."""
        return self._answer("forget", config, lambda memory, _: _forgotten(memory, message_id))

    def update_message(self, message_id: str, text: str, config: RunnableConfig) -> Answer:
        """Correct an earlier message: its text is replaced. Search first: the message id is in the result."""
        return self._answer("update_message", config, lambda memory, _: _updated(memory, message_id, text))

    async def asearch_memory(self, query: str, config: RunnableConfig, limit: int = 5) -> Answer:
        """Async twin of `search_memory`."""
        return await self._aanswer("search_memory", config, lambda memory, at: _found(memory, query, limit, at))

    async def aremember(self, text: str, config: RunnableConfig) -> Answer:
        """Async twin of `remember`."""
        return await self._aanswer("remember", config, lambda memory, _: _remembered(memory, text))

    async def aforget(self, message_id: str, config: RunnableConfig) -> Answer:
        """Async twin of `forget`."""
        return await self._aanswer("forget", config, lambda memory, _: _forgotten(memory, message_id))

    async def aupdate_message(self, message_id: str, text: str, config: RunnableConfig) -> Answer:
        """Async twin of `update_message`."""
        return await self._aanswer("update_message", config, lambda memory, _: _updated(memory, message_id, text))

    def tools(self) -> list[BaseTool]:
        """The tools as LangChain has them."""
        return [
            _tool(self.search_memory, self.asearch_memory),
            _tool(self.remember, self.aremember),
            _tool(self.forget, self.aforget),
            _tool(self.update_message, self.aupdate_message),
        ]

    def _answer(self, tool: str, config: RunnableConfig, ask: Ask) -> Answer:
        """What the memory of the run's session answers.

        Raises:
            InputError: no session. What the model got wrong, by contrast, it is told.
        """
        session = self._session(config)
        answer = _UNAVAILABLE
        with fail_open(_NO_ANSWER, self._on_error):
            answer = self._asked(session, ask)
        return answer, marked_artifact(tool)

    async def _aanswer(self, tool: str, config: RunnableConfig, ask: Ask) -> Answer:
        """Async twin of `_answer`."""
        session = self._session(config)
        answer = _UNAVAILABLE
        with fail_open(_NO_ANSWER, self._on_error):
            answer = await self._aasked(session, ask)
        return answer, marked_artifact(tool)

    def _session(self, config: RunnableConfig) -> Session:
        return session_of(
            config.get("configurable"), session_id=self._session_id, user_id=self._user_id, context=graph_context()
        )

    def _asked(self, session: Session, ask: Ask) -> str:
        try:
            return ask(self._registry.get(session.memory_id), session.asked_at)
        except InputError as error:
            return f"That is not possible: {error}"

    _aasked = twin(_asked)


def _tool(verb: Callable[..., Answer], asynchronous: Callable[..., Any]) -> BaseTool:
    return StructuredTool.from_function(func=verb, coroutine=asynchronous, response_format="content_and_artifact")


def _found(memory: Memory, query: str, limit: int, asked_at: datetime | None) -> str:
    hits = memory.retrieve(query, limit=max(1, min(limit, _MOST)), asked_at=asked_at)
    asked = memory._asked_before(hits)  # noqa: SLF001 - nobody else has any use for it: a prompt shows them by itself
    shown = {hit.signal.parent_turn_id for hit in hits}
    lines: list[str] = []
    for hit in hits:
        question = asked.get(hit.signal.parent_turn_id)
        if question is not None and question.message.message_id not in shown:
            shown.add(question.message.message_id)
            lines.append(_line(question.message, question.text))
        lines.append(_line(hit.signal, hit.signal.content, is_replaced=hit.replaced))
    return "\n".join(lines) or "Nothing found."


def _line(said: Message | Signal, text: str, *, is_replaced: bool = False) -> str:
    """One result on one line; whatever is in it, it neither begins another line nor passes for another author's."""
    name = said.message_id if isinstance(said, Message) else said.parent_turn_id
    author = said_by(said, is_replaced=is_replaced)
    return f"[{_shown(name)}] {said.created_at.date().isoformat()} {author}: {' '.join(text.split())}"


def _shown(message_id: str) -> str:
    """An id as a model sees it, and names a message by it."""
    return quote(message_id, safe=_PLAIN)


def _remembered(memory: Memory, text: str) -> str:
    if is_blank(text):
        return "There is nothing to remember in a blank text."
    # No turn of the conversation, so it does not age the memory.
    name = uuid4().hex
    note = NewMessage(
        content=text,
        role="assistant",
        conversation_id=NOTES,
        message_id=name,
        ticks=False,
        # A model remembers also what a page or a tool has told it to, so it is believed no more than these.
        source="tool",
        writer=_REMEMBERED,
    )
    memory.add_messages([note])
    return f"Remembered as [{name}]."


def _forgotten(memory: Memory, message_id: str) -> str:
    return "Forgotten." if memory.delete_message(unquote(message_id)) else _unknown(message_id)


def _updated(memory: Memory, message_id: str, text: str) -> str:
    return "Updated." if memory.update_message(unquote(message_id), text) is not None else _unknown(message_id)


def _unknown(message_id: str) -> str:
    return f"There is no message with the id {message_id}. Search for it first."
