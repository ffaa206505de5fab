"""`StreetAIInstrumentation`: a memory that learns from any pipeline with its retriever, through LlamaIndex's events."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from contextvars import ContextVar
from typing import Any

from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]  # it is there
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.instrumentation.events.exception import ExceptionEvent
from llama_index.core.instrumentation.events.llm import LLMChatEndEvent, LLMChatStartEvent, LLMCompletionEndEvent
from llama_index.core.instrumentation.events.retrieval import RetrievalEndEvent
from llama_index.core.instrumentation.span import BaseSpan
from llama_index.core.instrumentation.span_handlers import BaseSpanHandler

from streetai_core.failures import OnError, fail_open
from streetai_core.forking import fork_safe_lock
from streetai_llamaindex.answers import answer_in
from streetai_llamaindex.engines import Engine
from streetai_llamaindex.hearing import Hearing
from streetai_llamaindex.lessons import Lessons
from streetai_llamaindex.speech import reply_text
from streetai_llamaindex.watched import Watched

_NOT_HEARD = "nothing is learned from this turn"

_MOST_SPANS = 16_384
"""Spans whose outermost one is remembered: events of a stream come after its spans have ended."""

_retrieved_in: ContextVar[str] = ContextVar("streetai_llamaindex_retrieved_in", default="")
"""The outermost span in which a context has retrieved last. A model that is asked after it, as by hand or while the
stream of a query engine is read, belongs to it."""


class StreetAIInstrumentation:
    """Lets a memory learn from pipelines that only use its retriever, or that read a memory and never write to it.

        StreetAIInstrumentation(registry).install()
        RetrieverQueryEngine.from_args(StreetAIRetriever(registry, session_id="user-42")).query(question)

    What a `StreetAIRetriever` found anywhere in a call of an engine or in a run of an agent is joined with what a model
    then said last in it without calling tools, and when the call has ended well, the memory learns from that. Streams
    teach when they have been read. Nodes that came after the model was asked, texts that a model completes for an
    engine, calls of tools and failures teach nothing. It only learns: it stores no message. A turn whose question was
    put into a memory is left to the memory, so that both together learn once.

    One object serves any number of calls at once. LlamaIndex's events are for the whole process: install it once, at
    the start. It never raises: failures are logged and given to `on_error`.

    Args:
        engine: a `MemoryRegistry` or the path of a database file: all sessions in it; or a memory: its session only,
            and also what models say to prompts that were read from that memory.
        on_error: told of every failure; `None`: the one of the session's memory.

    Raises:
        InputError: the engine cannot be used.
    """

    def __init__(self, engine: Engine, *, on_error: OnError | None = None) -> None:
        self._listener = _Listener(Watched(engine), on_error)
        self._events = _Events(self._listener)
        self._spans = _Spans(self._listener)

    def install(self) -> StreetAIInstrumentation:
        """Listen from now on; installing twice is installing once. Returns itself."""
        with _installing:
            dispatcher = get_dispatcher()
            if not self.installed:
                # New lists, as others may be walking through the old ones.
                dispatcher.span_handlers = [*dispatcher.span_handlers, self._spans]
                dispatcher.event_handlers = [*dispatcher.event_handlers, self._events]
        return self

    def uninstall(self) -> None:
        """Listen no more, and wait until what was heard is learned. Others' handlers stay."""
        with _installing:
            dispatcher = get_dispatcher()
            dispatcher.span_handlers = [one for one in dispatcher.span_handlers if one is not self._spans]
            dispatcher.event_handlers = [one for one in dispatcher.event_handlers if one is not self._events]
        self.flush()

    @property
    def installed(self) -> bool:
        """Whether it listens."""
        return any(one is self._events for one in get_dispatcher().event_handlers)

    def flush(self) -> None:
        """Wait until what was heard is learned: on an event loop it is learned by worker threads."""
        self._listener.lessons.flush()


_installing = fork_safe_lock()


class _Listener:
    """What both kinds of handlers tell, in terms of outermost spans."""

    def __init__(self, watched: Watched, on_error: OnError | None) -> None:
        self.watched = watched
        self.on_error = on_error
        self.hearing = Hearing()
        self.lessons = Lessons(on_error)
        self._lock = fork_safe_lock()
        self._roots: OrderedDict[str, str] = OrderedDict()

    def entered(self, span: str, parent: str | None) -> None:
        """A span has begun."""
        with self._lock:
            self._roots[span] = self._roots.get(parent, parent) if parent else span
            while len(self._roots) > _MOST_SPANS:
                self._roots.popitem(last=False)

    def is_root(self, span: str) -> bool:
        """Whether it is an outermost span."""
        return self._root(span) == span

    def place(self, span: str | None) -> str:
        """Where what happens in a span belongs: to its outermost span, else to where this context has retrieved."""
        root = self._root(span)
        return root if root in self.hearing else _retrieved_in.get()

    def heard(self, event: BaseEvent) -> None:
        """An event."""
        span = event.span_id or event.id_
        if isinstance(event, RetrievalEndEvent):
            turns = self.lessons.expected(self.watched.retrieved(event.nodes))
            if turns:
                _retrieved_in.set(self._root(span))
                self.hearing.retrieved(self._root(span), turns)
        elif isinstance(event, LLMChatStartEvent):
            if self._root(span) not in self.hearing:
                # A prompt that was read from the memory is nearer than what was retrieved in the context before.
                self.hearing.retrieved(self._root(span), self.lessons.expected(self.watched.read()))
            self.hearing.called(self.place(span), span)
        elif isinstance(event, LLMChatEndEvent):
            reply = "" if event.response is None else reply_text(event.response.message)
            self.lessons.learn(self.hearing.answered(span, reply))
        elif isinstance(event, LLMCompletionEndEvent):
            self.hearing.completed(self.place(span))
        elif isinstance(event, ExceptionEvent):
            self.hearing.answered(span, "")

    def exited(self, span: str, result: object) -> None:
        """A span has ended well."""
        if self.is_root(span):
            self.hearing.resulted(span, answer_in(result))
            self.lessons.learn(self.hearing.ended(span))

    def dropped(self, span: str) -> None:
        """A span has raised."""
        if self.is_root(span):
            self.hearing.failed(span)
        else:
            self.hearing.answered(span, "")

    def _root(self, span: str | None) -> str:
        with self._lock:
            return self._roots.get(span, span) if span else ""


class _Events(BaseEventHandler):
    """Takes events."""

    def __init__(self, listener: _Listener) -> None:
        super().__init__()
        self._take = listener

    @classmethod
    def class_name(cls) -> str:
        """Its name."""
        return "StreetAIEventHandler"

    def handle(self, event: BaseEvent, **_: Any) -> None:
        """Take an event."""
        with fail_open(_NOT_HEARD, self._take.on_error):
            self._take.heard(event)


class _Spans(BaseSpanHandler[BaseSpan]):
    """Takes spans, and keeps none."""

    def __init__(self, listener: _Listener) -> None:
        super().__init__()
        self._take = listener

    @classmethod
    def class_name(cls) -> str:
        """Its name."""
        return "StreetAISpanHandler"

    def span_enter(
        self,
        id_: str,
        bound_args: inspect.BoundArguments,
        instance: Any = None,
        parent_id: str | None = None,
        tags: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """A span has begun."""
        with fail_open(_NOT_HEARD, self._take.on_error):
            self._take.entered(id_, parent_id)

    def span_exit(
        self,
        id_: str,
        bound_args: inspect.BoundArguments,
        instance: Any = None,
        result: Any = None,
        **_: Any,
    ) -> None:
        """A span has ended well."""
        with fail_open(_NOT_HEARD, self._take.on_error):
            self._take.exited(id_, result)

    def span_drop(
        self,
        id_: str,
        bound_args: inspect.BoundArguments,
        instance: Any = None,
        err: BaseException | None = None,
        **_: Any,
    ) -> None:
        """A span has raised."""
        with fail_open(_NOT_HEARD, self._take.on_error):
            self._take.dropped(id_)

    def new_span(self, *_: Any, **__: Any) -> None:
        """None is kept."""

    def prepare_to_exit_span(self, *_: Any, **__: Any) -> None:
        """None was kept."""

    def prepare_to_drop_span(self, *_: Any, **__: Any) -> None:
        """None was kept."""
