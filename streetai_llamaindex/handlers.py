"""`StreetAICallbackHandler`: the same as `StreetAIInstrumentation`, through LlamaIndex's older callbacks."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any
from uuid import uuid4

from llama_index.core.base.llms.types import ChatResponse
from llama_index.core.callbacks.base_handler import BaseCallbackHandler
from llama_index.core.callbacks.schema import CBEventType, EventPayload

from streetai_core.failures import OnError, fail_open
from streetai_llamaindex.answers import answer_in
from streetai_llamaindex.engines import Engine
from streetai_llamaindex.hearing import Hearing
from streetai_llamaindex.lessons import Lessons
from streetai_llamaindex.speech import reply_text
from streetai_llamaindex.turns import current_run_id
from streetai_llamaindex.watched import Watched

_NOT_HEARD = "nothing is learned from this turn"

_trace: ContextVar[str] = ContextVar("streetai_llamaindex_trace", default="")
"""The trace that has begun last in this context."""
_retrieved_in: ContextVar[str] = ContextVar("streetai_llamaindex_retrieved_in_trace", default="")
"""The trace in which this context has retrieved last. A model that is asked after it belongs to it."""


class StreetAICallbackHandler(BaseCallbackHandler):
    """Lets a memory learn from pipelines that only use its retriever, or that read a memory and never write to it.

        Settings.callback_manager.add_handler(StreetAICallbackHandler(memory))

    What `StreetAIInstrumentation` does, for applications that have callbacks: the reply is what a chat model said last
    without calling tools after a `StreetAIRetriever` has found something, in one call of an engine or one run of an
    agent. Give it to the `callback_manager` of the engine and of what is in it, or to `Settings.callback_manager`
    before anything else is made: LlamaIndex tells a handler only what happens in components that have it.

    A turn whose question was put into a memory is left to the memory, so that both together learn once; with
    `StreetAIInstrumentation` installed too it is once as well. Failures, calls of tools and completed texts teach
    nothing. It stores no message, and it never raises: failures are logged and given to `on_error`.

    Args:
        engine: a `MemoryRegistry` or the path of a database file: all sessions in it; or a memory: its session only,
            and also what models say to prompts that were read from that memory.
        on_error: told of every failure; `None`: the one of the session's memory.

    Raises:
        InputError: the engine cannot be used.
    """

    def __init__(self, engine: Engine, *, on_error: OnError | None = None) -> None:
        super().__init__(event_starts_to_ignore=[], event_ends_to_ignore=[])
        self._watched = Watched(engine)
        self._on_error = on_error
        self._hearing = Hearing()
        self._lessons = Lessons(on_error)

    def flush(self) -> None:
        """Wait until what was heard is learned: on an event loop it is learned by worker threads."""
        self._lessons.flush()

    def start_trace(self, trace_id: str | None = None) -> None:
        """The outermost call of an engine has begun."""
        _trace.set(uuid4().hex)

    def end_trace(self, trace_id: str | None = None, trace_map: dict[str, list[str]] | None = None) -> None:
        """The outermost call of an engine has ended."""
        with fail_open(_NOT_HEARD, self._on_error):
            for key in (_trace.get(), current_run_id() or ""):
                self._lessons.learn(self._hearing.ended(key))

    def on_event_start(
        self,
        event_type: CBEventType,
        payload: dict[str, Any] | None = None,
        event_id: str = "",
        parent_id: str = "",
        **_: Any,
    ) -> str:
        """Take the beginning of an event: a chat model is asked, or something has raised."""
        with fail_open(_NOT_HEARD, self._on_error):
            if event_type == CBEventType.EXCEPTION:
                self._hearing.failed(_trace.get())
            elif event_type == CBEventType.LLM and EventPayload.MESSAGES in (payload or {}):
                self._called(event_id)
        return event_id

    def on_event_end(
        self,
        event_type: CBEventType,
        payload: dict[str, Any] | None = None,
        event_id: str = "",
        **_: Any,
    ) -> None:
        """Take the end of an event: nodes, the answer of a model, or what an engine made of it."""
        given = payload or {}
        with fail_open(_NOT_HEARD, self._on_error):
            if event_type == CBEventType.RETRIEVE:
                self._retrieved(given)
            elif event_type == CBEventType.LLM:
                self._answered(event_id, given)
            elif event_type == CBEventType.SYNTHESIZE:
                self._synthesized(given)

    def _retrieved(self, payload: dict[str, Any]) -> None:
        turns = self._lessons.expected(self._watched.retrieved(payload.get(EventPayload.NODES) or ()))
        if turns:
            key = current_run_id() or _trace.get() or uuid4().hex
            _retrieved_in.set(key)
            self._hearing.retrieved(key, turns)

    def _called(self, event_id: str) -> None:
        own = current_run_id() or _trace.get() or uuid4().hex
        if own not in self._hearing:
            # A prompt that was read from the memory is nearer than what was retrieved in the context before.
            self._hearing.retrieved(own, self._lessons.expected(self._watched.read()))
        place = own if own in self._hearing else self._place()
        # The end of a stream is told in another context, where only the event is the same.
        self._hearing.called(place, event_id)

    def _answered(self, event_id: str, payload: dict[str, Any]) -> None:
        if EventPayload.COMPLETION in payload:
            self._hearing.completed(self._place())
            return
        response = payload.get(EventPayload.RESPONSE)
        reply = reply_text(response.message) if isinstance(response, ChatResponse) else ""
        self._lessons.learn(self._hearing.answered(event_id, reply))

    def _synthesized(self, payload: dict[str, Any]) -> None:
        self._hearing.resulted(self._place(), answer_in(payload.get(EventPayload.RESPONSE)))

    def _place(self) -> str:
        """Where what happens now belongs; empty if nothing was retrieved for it."""
        candidates = (current_run_id() or "", _trace.get(), _retrieved_in.get())
        return next((key for key in candidates if key in self._hearing), "")
