"""Memory round any LangChain runnable."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypedDict

from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.base import RunnableLike, coerce_to_runnable

from streetai_core import MemoryRegistry
from streetai_core.errors import InputError
from streetai_core.failures import OnError
from streetai_core.verbs.arguments import check_positive
from streetai_langchain.callbacks import is_stored, marked
from streetai_langchain.chat_history import is_transcribed
from streetai_langchain.exchanges import Exchange, Exchanges
from streetai_langchain.injected import Injected
from streetai_langchain.own_runs import aown_run, own_run
from streetai_langchain.parsers import is_parsed, joining
from streetai_langchain.questions import Asked, Places, past_of
from streetai_langchain.replies import reply_of
from streetai_langchain.sessions import Session, graph_context, session_of
from streetai_langchain.streamed import Streamed
from streetai_langchain.tool_runs import is_in_tool


@contextmanager
def _closing(chunks: Iterator[Any]) -> Iterator[Iterator[Any]]:
    """Give the stream of a chain, and end it on the way out, so that a cut one asks its model for nothing more."""
    try:
        yield chunks
    finally:
        # A chain of another make may stream by an iterator that has no end of its own.
        if isinstance(chunks, Generator):
            chunks.close()


@asynccontextmanager
async def _aclosing(chunks: AsyncIterator[Any]) -> AsyncIterator[AsyncIterator[Any]]:
    """Async twin of `_closing`: left to itself, the stream would end some time later, on a loop that may be closed."""
    try:
        yield chunks
    finally:
        if isinstance(chunks, AsyncGenerator):
            await chunks.aclose()


class _Inner(TypedDict):
    """What `Exchanges.begin` has to know of what a run is inside of."""

    is_inner: bool
    is_transcribed: bool
    recalls: bool


class StreetAIRunnable(Runnable[Any, Any]):
    """A chain with a memory; `memory.wrap(chain)` makes one.

        chat = memory.wrap(prompt | model, input_key="input", memory_key="history")
        chat.invoke({"input": "What may I cook?"}, {"configurable": {"session_id": "s1"}})

    Before the chain runs, it gets the last messages of the conversation and what else in the memory bears on the new
    message. After it, message and reply are stored in one transaction and the memory learns from the reply, once.
    It is the same for invoke, stream, batch and their async forms, for a step of a larger chain, and for an agent or
    another graph in each of its stream modes that has messages, in both versions of its output. Modes such as "debug"
    do not tell what was said: with one of them alone only the user's message is stored. What was recalled is never
    stored as if it had been said. One object serves all sessions at once.

    Where the past goes:
        * input a dict, with `memory_key`: there, as messages, for a `MessagesPlaceholder`. The recalled block is the
          last of them, a `HumanMessage`.
        * input text or messages, or a dict with messages and no `memory_key`: the window before the last user message
          and after the system messages, the recalled block at the beginning of that user message. The chain gets
          messages then, also for text.

    Of messages in an input, the last user message is stored, and what follows it: the tool traffic of its turn. Give
    just what is new, as the memory has the rest. An app that sends its conversation along, as the node of a graph does,
    gets no window beside it. What was put into the input is taken out of the messages in the output, so that it never
    becomes part of a graph's state. Inside a tool of an agent, in its thread, nothing is stored: there a model asks,
    and not the user. Inside another wrapped chain of the same session nothing is stored either, for that one does it;
    nor inside a `RunnableWithMessageHistory` with the `chat_history` of the session, but it is recalled and learned.

    When something breaks:
        * a stream that is closed or cancelled keeps the user's message and, with the metadata `{"partial": True}`, what
          came of the reply. Nothing is learned from it. A thread stores it a moment later, as it may be the garbage
          collector that closes the stream; the next turn waits for that, and so does closing the registry.
        * so does a chain that raises, and the error goes on to the caller. Asking the same again is the same turn: the
          unanswered message is not stored twice.
        * a failing memory costs no reply: the failure is logged and given to `on_error`.

    Args:
        chain: what takes the input.
        registry: where the memories are.
        input_key: of a dict input the key of the question; needed only if there are several.
        memory_key: of a dict input the key that gets the past.
        output_key: of a dict output the key of the reply; needed only if there are several and none has a usual name.
        session_id: binds it to one session; wins over the run's.
        user_id: binds it to one user; wins over the run's.
        token_budget: most tokens of question, window and recalled block together.
        on_error: told of every failure of the memory.

    Raises:
        InputError: the chain is an agent that keeps its own messages, or the budget cannot be used.
    """

    def __init__(
        self,
        chain: RunnableLike[Any, Any],
        registry: MemoryRegistry,
        *,
        input_key: str | None = None,
        memory_key: str | None = None,
        output_key: str | None = None,
        session_id: str | None = None,
        user_id: str | None = None,
        token_budget: int | None = None,
        on_error: OnError | None = None,
    ) -> None:
        self.chain: Runnable[Any, Any] = coerce_to_runnable(chain)
        if memory_key is None and getattr(self.chain, "checkpointer", None):
            raise InputError(
                "an agent with a checkpointer keeps its messages, and would keep what is put before a question, turn "
                "by turn. Give its memory to the agent: create_agent(..., middleware=[memory.middleware()])"
            )
        self.session_id = session_id
        self.user_id = user_id
        self._registry = registry
        self._places = Places(input_key, memory_key)
        self._output_key = output_key
        self._join, self._parsed = joining(self.chain), is_parsed(self.chain)
        budget = check_positive(token_budget, "token_budget")
        self._exchanges = Exchanges(registry, token_budget=budget, on_error=on_error)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002 - LangChain's name
        """Run the chain with its memory.

        Args:
            input: text, messages, or a dict with one of these.
            config: passed on to the chain; its "configurable" names the session.
            kwargs: passed on to the chain.

        Returns:
            What the chain returns.

        Raises:
            InputError: no session, or where question or reply are cannot be told.
        """
        with own_run(self, input, config) as run:
            exchange = self._begin(input, run.config)
            filled, injected = self._filled(input, exchange)
            try:
                output = self.chain.invoke(filled, self._marked(run.config, exchange), **kwargs)
                reply = reply_of(output, self._output_key, parsed=self._parsed)
            except BaseException:
                self._exchanges.cut(exchange, None)
                raise
            self._exchanges.end(exchange, reply)
            run.output = injected.without(output)
        return run.output

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002 - LangChain's name
        """Async twin of `invoke`."""
        async with aown_run(self, input, config) as run:
            exchange = await self._abegin(input, run.config)
            filled, injected = self._filled(input, exchange)
            try:
                output = await self.chain.ainvoke(filled, self._marked(run.config, exchange), **kwargs)
                reply = reply_of(output, self._output_key, parsed=self._parsed)
            except BaseException:
                # Also if cancelled: what is written is written to its end, even if this wait is cancelled too.
                await self._exchanges.acut(exchange, None)
                raise
            await self._exchanges.aend(exchange, reply)
            run.output = injected.without(output)
        return run.output

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:  # noqa: A002 - LangChain's name
        """Run the chain with its memory and give its output piece by piece; otherwise as `invoke`."""
        with own_run(self, input, config) as run:
            exchange = self._begin(input, run.config)
            filled, injected = self._filled(input, exchange)
            streamed = self._streamed(kwargs)
            try:
                pieces = self.chain.stream(filled, self._marked(run.config, exchange), **kwargs)
                with _closing(pieces) as chunks:
                    for chunk in chunks:
                        streamed.add(chunk)
                        yield injected.without(chunk)
                reply = streamed.reply()
            except BaseException:
                self._exchanges.cut(exchange, streamed.cut_reply())
                raise
            self._exchanges.end(exchange, reply)
            run.output = injected.without(streamed.whole)

    async def astream(
        self,
        input: Any,  # noqa: A002 - LangChain's name
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[Any]:
        """Async twin of `stream`."""
        async with aown_run(self, input, config) as run:
            exchange = await self._abegin(input, run.config)
            filled, injected = self._filled(input, exchange)
            streamed = self._streamed(kwargs)
            try:
                pieces = self.chain.astream(filled, self._marked(run.config, exchange), **kwargs)
                async with _aclosing(pieces) as chunks:
                    async for chunk in chunks:
                        streamed.add(chunk)
                        yield injected.without(chunk)
                reply = streamed.reply()
            except BaseException:
                # Also if closed or cancelled, as above: only another piece must not be given any more.
                await self._exchanges.acut(exchange, streamed.cut_reply())
                raise
            await self._exchanges.aend(exchange, reply)
            run.output = injected.without(streamed.whole)

    def _streamed(self, options: Mapping[str, Any]) -> Streamed:
        """What collects the pieces of a stream with such options."""
        return Streamed(self._output_key, options.get("stream_mode"), join=self._join, parsed=self._parsed)

    def _begin(self, value: object, config: RunnableConfig) -> Exchange:
        session, asked, inner = self._asked(value, config)
        return self._exchanges.begin(session, asked, **inner)

    async def _abegin(self, value: object, config: RunnableConfig) -> Exchange:
        session, asked, inner = self._asked(value, config)
        return await self._exchanges.abegin(session, asked, **inner)

    def _asked(self, value: object, config: RunnableConfig) -> tuple[Session, Asked, _Inner]:
        """Who asks, what, and inside of what; raises before anything has been done."""
        session = session_of(
            config.get("configurable"), session_id=self.session_id, user_id=self.user_id, context=graph_context()
        )
        nested = is_stored(config, self._registry, session)
        # Without a place of its own for the past, the input has that which the outer chain was given.
        recalls = not nested or self._places.memory_key is not None
        inner = _Inner(
            is_inner=nested or is_in_tool(config),
            is_transcribed=is_transcribed(config, self._registry, session),
            recalls=recalls,
        )
        return session, self._places.asked(value), inner

    def _marked(self, config: RunnableConfig, exchange: Exchange) -> RunnableConfig:
        """The config of the chain, which says to a wrapped chain inside it that the turn is stored here."""
        return marked(config, "wrap", self._registry, exchange.session)

    def _filled(self, value: object, exchange: Exchange) -> tuple[object, Injected]:
        return self._places.filled(value, past_of(exchange.prompt))
