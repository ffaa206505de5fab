"""Memory round any LangChain runnable."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.runnables import Runnable, RunnableConfig, ensure_config
from langchain_core.runnables.base import RunnableLike, coerce_to_runnable

from streetai_core import MemoryRegistry
from streetai_langchain.callbacks import marked
from streetai_langchain.exchanges import Exchange, Exchanges
from streetai_langchain.failures import OnError
from streetai_langchain.questions import Places, past_of
from streetai_langchain.replies import added, cut_reply, reply_of
from streetai_langchain.sessions import Session, session_of


class StreetAIRunnable(Runnable[Any, Any]):
    """A chain with a memory; `memory.wrap(chain)` makes one.

        chat = memory.wrap(prompt | model, input_key="input", memory_key="history")
        chat.invoke({"input": "What may I cook?"}, {"configurable": {"session_id": "s1"}})

    Before the chain runs, it gets the last messages of the conversation and what else in the memory bears on the new
    message. After it, message and reply are stored in one transaction and the memory learns from the reply, once.
    It is the same for invoke, stream, batch and their async forms, and for a step of a larger chain. What was recalled
    is never stored as if it had been said. One object serves all sessions at once.

    Where the past goes:
        * input a dict, with `memory_key`: there, as messages, for a `MessagesPlaceholder`. The recalled block is the
          last of them, a `HumanMessage`.
        * input text or messages, or a dict with messages and no `memory_key`: the window before the last user message
          and after the system messages, the recalled block at the beginning of that user message. The chain gets
          messages then, also for text.

    Of messages in an input, only the last user message is stored; give just what is new, as the memory has the rest.

    When something breaks:
        * a stream that is closed or cancelled keeps the user's message and, with the metadata `{"partial": True}`, what
          came of the reply. Nothing is learned from it. In async code this one write is done before control goes back
          to the event loop, for nothing can be awaited reliably while a generator is being closed.
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
        self.session_id = session_id
        self.user_id = user_id
        self._places = Places(input_key, memory_key)
        self._output_key = output_key
        self._exchanges = Exchanges(registry, token_budget=token_budget, on_error=on_error)

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
        exchange = self._exchanges.begin(*self._asked(input, config))
        try:
            output = self.chain.invoke(self._filled(input, exchange), marked(config, "wrap"), **kwargs)
        except BaseException:
            self._exchanges.cut(exchange, None)
            raise
        self._exchanges.end(exchange, reply_of(output, self._output_key))
        return output

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002 - LangChain's name
        """Async twin of `invoke`."""
        exchange = await self._exchanges.abegin(*self._asked(input, config))
        try:
            output = await self.chain.ainvoke(self._filled(input, exchange), marked(config, "wrap"), **kwargs)
        except Exception:
            await self._exchanges.acut(exchange, None)
            raise
        except BaseException:
            # Cancelled: another await may be cancelled too.
            self._exchanges.cut(exchange, None)
            raise
        await self._exchanges.aend(exchange, reply_of(output, self._output_key))
        return output

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:  # noqa: A002 - LangChain's name
        """Run the chain with its memory and give its output piece by piece; otherwise as `invoke`."""
        exchange = self._exchanges.begin(*self._asked(input, config))
        output = None
        try:
            for chunk in self.chain.stream(self._filled(input, exchange), marked(config, "wrap"), **kwargs):
                output = added(output, chunk)
                yield chunk
        except BaseException:
            self._exchanges.cut(exchange, cut_reply(output, self._output_key))
            raise
        self._exchanges.end(exchange, reply_of(output, self._output_key))

    async def astream(
        self,
        input: Any,  # noqa: A002 - LangChain's name
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[Any]:
        """Async twin of `stream`."""
        exchange = await self._exchanges.abegin(*self._asked(input, config))
        output = None
        try:
            async for chunk in self.chain.astream(self._filled(input, exchange), marked(config, "wrap"), **kwargs):
                output = added(output, chunk)
                yield chunk
        except Exception:
            await self._exchanges.acut(exchange, cut_reply(output, self._output_key))
            raise
        except BaseException:
            # Closed or cancelled: nothing can be awaited reliably any more.
            self._exchanges.cut(exchange, cut_reply(output, self._output_key))
            raise
        await self._exchanges.aend(exchange, reply_of(output, self._output_key))

    def _asked(self, value: object, config: RunnableConfig | None) -> tuple[Session, HumanMessage]:
        """Who asks and what; raises before anything has been done."""
        configurable = ensure_config(config).get("configurable")
        session = session_of(configurable, session_id=self.session_id, user_id=self.user_id)
        return session, self._places.question(value)

    def _filled(self, value: object, exchange: Exchange) -> object:
        return self._places.filled(value, past_of(exchange.prompt))
