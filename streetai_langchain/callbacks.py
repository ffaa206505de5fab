"""Learning from chains that an application has put together itself, through LangChain's callbacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import partial
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler, BaseCallbackManager
from langchain_core.documents import Document
from langchain_core.outputs import LLMResult
from langchain_core.runnables import RunnableConfig, ensure_config
from langchain_core.tracers.context import register_configure_hook

from streetai_core import MemoryRegistry
from streetai_core.failures import OnError, fail_open
from streetai_core.forking import fork_safe_lock
from streetai_core.later import must_not_wait
from streetai_langchain.messages import text_of, values_called
from streetai_langchain.open_runs import Learnable, OpenRuns, runs_of
from streetai_langchain.sessions import Session

_NOT_LEARNED = "nothing is learned from this run"
_NO_THREAD = "from a stream that is closed early it may be learned only when the database is closed"

_VIEW = "streetai_view"
"""In the metadata of runs: the view of the memory that learns from them by itself."""


_STRUCTURED = "ls_structured_output_format"
"""Among the options of a chat model: what `with_structured_output` wants."""


class LearnedByView:
    """Marks a value in the input of a chain: whoever put it there learns from the chain's reply."""

    __slots__ = ()


class _View(str):
    """The name of a view as it is shown, with the conversations that views round a run store by themselves."""

    __slots__ = ("conversations",)
    conversations: frozenset[tuple[int, Session]]


def marked(config: RunnableConfig | None, view: str, registry: MemoryRegistry, session: Session) -> RunnableConfig:
    """The config for runs that a view stores and learns from by itself, so that a handler leaves them to it.

    Args:
        config: of the view's own run.
        view: its name.
        registry: where it stores.
        session: whose turn it is.
    """
    ensured = ensure_config(config)
    name = _View(view)
    name.conversations = _stored(ensured) | {(id(registry.store), session)}
    return {**ensured, "metadata": {**ensured["metadata"], _VIEW: name}}


def is_stored(config: RunnableConfig, registry: MemoryRegistry, session: Session) -> bool:
    """Whether a view round this run stores the turn, in the same conversation: then it is not to be stored here too."""
    return (id(registry.store), session) in _stored(config)


def _stored(config: RunnableConfig) -> frozenset[tuple[int, Session]]:
    name = config.get("metadata", {}).get(_VIEW)
    return name.conversations if isinstance(name, _View) else frozenset()


def leave_to_view(config: RunnableConfig) -> None:
    """Tell the handlers of a run, from inside it, that a view learns from it by itself."""
    manager = config.get("callbacks")
    if isinstance(manager, BaseCallbackManager) and manager.parent_run_id is not None:
        for handler in manager.handlers:
            if isinstance(handler, StreetAICallbackHandler):
                handler.runs.left(manager.parent_run_id)


class StreetAICallbackHandler(BaseCallbackHandler):
    """Lets a memory learn from the replies of any chain with its retriever; `memory.callback_handler()` makes one.

        chain.invoke(question, {"callbacks": [memory.callback_handler()], "configurable": {"session_id": "s1"}})

    Give it to the outermost run: what a `StreetAIRetriever` found anywhere below, it joins with what a model then said
    last without calling tools, or gave as the structured answer that `with_structured_output` asks for, and when the
    outermost run has ended well, the memory learns from that, once; of documents of several memories each learns of its
    own. Documents that came after the model was asked teach nothing, nor do those that a retriever round ours has
    dropped. A run that fails, and a stream that is cut, teach nothing.

    It only learns: it stores no message. What `wrap`, `classic` or `middleware` have a part in is learned from by
    these, not again by the handler. A run that is resumed after an interrupt is another run. A retriever and a model
    that are called one after the other, not in one run, cannot be joined; call `memory.post_process` there. On Python
    3.10 LangGraph tells no callbacks what the model of an agent says on an event loop, so nothing is learned from
    that; use `middleware` there.

    One object serves any number of runs at once, in threads and on event loops. All handlers in a process that learn
    into one database share what they know, whichever `StreetAIMemory` made them, so a run that has several of them is
    learned from once. A failing memory costs no reply: it is logged and given to `on_error`.

    Args:
        registry: where the memories are.
        runs: what is open; `None`: the table that all handlers of the same database share.
        memory_id: only documents of this memory count; `None`: of all.
        on_error: told of every failure of the memory.
    """

    raise_error = False
    """What goes wrong here is logged by LangChain, and the chain goes on."""

    def __init__(
        self,
        registry: MemoryRegistry,
        *,
        runs: OpenRuns | None = None,
        memory_id: str | None = None,
        on_error: OnError | None = None,
    ) -> None:
        self.registry = registry
        self.runs = runs_of(registry.store) if runs is None else runs
        self.memory_id = memory_id
        self._on_error = on_error

    # ------------------------------------------------------------------ begin

    def on_chain_start(
        self,
        serialized: Mapping[str, Any],
        inputs: object,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: Mapping[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Note a chain, and whether a classic chain's memory learns from it."""
        self._start(run_id, parent_run_id, metadata)
        if isinstance(inputs, Mapping) and any(isinstance(value, LearnedByView) for value in inputs.values()):
            self.runs.left(run_id)

    def on_chat_model_start(
        self,
        serialized: Mapping[str, Any],
        messages: object,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Note a chat model, and whether it is asked for a structured answer."""
        self._start(run_id, parent_run_id, metadata, is_structured=_STRUCTURED in (options or {}))

    def on_llm_start(
        self,
        serialized: Mapping[str, Any],
        prompts: object,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: Mapping[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Note a model that completes text."""
        self._start(run_id, parent_run_id, metadata)

    def on_tool_start(
        self,
        serialized: Mapping[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: Mapping[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Note a tool."""
        self._start(run_id, parent_run_id, metadata)

    def on_retriever_start(
        self,
        serialized: Mapping[str, Any],
        query: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: Mapping[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Note a retriever."""
        self._start(run_id, parent_run_id, metadata, retrieves=True)

    # -------------------------------------------------------------------- end

    def on_retriever_end(self, documents: Sequence[Document], *, run_id: UUID, **_: Any) -> None:
        """Take what a retriever found in our memories."""
        self.runs.retrieved(run_id, self._ours(documents))
        self._end(run_id)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        """Take what a model said, chat or not."""
        if response.generations and response.generations[0]:
            generation = response.generations[0][0]
            message = getattr(generation, "message", None)
            calls = getattr(message, "tool_calls", None)
            reply = values_called(calls) if calls else generation.text if message is None else text_of(message)
            self.runs.answered(run_id, reply, by_call=bool(calls))
        self._end(run_id)

    def on_chain_end(self, outputs: object, *, run_id: UUID, **_: Any) -> None:
        """Learn, if that was the outermost run."""
        self._end(run_id)

    def on_tool_end(self, output: object, *, run_id: UUID, **_: Any) -> None:
        """Learn, if that was the outermost run."""
        self._end(run_id)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """Forget the run."""
        self.runs.ended(run_id, failed=True)

    on_llm_error = on_chain_error
    on_tool_error = on_chain_error
    on_retriever_error = on_chain_error

    # ------------------------------------------------------------------ parts

    def _start(self, run_id: UUID, parent_id: UUID | None, metadata: Mapping[str, Any] | None, **known: bool) -> None:
        if parent_id is None:
            # A stream that the garbage collector ends may teach something, and a finalizer cannot start the thread.
            with fail_open(_NO_THREAD, self._on_error):
                self.registry.later.start()
        self.runs.started(run_id, parent_id, **known)
        if metadata and _VIEW in metadata:
            self.runs.left(run_id)

    def _end(self, run_id: UUID) -> None:
        learnable = self.runs.ended(run_id)
        if learnable is None:
            return
        if must_not_wait():
            self.registry.later.hand(partial(copy_context().run, self._learn, learnable))
        else:
            self._learn(learnable)

    def _learn(self, learnable: Learnable) -> None:
        for memory_id, signal_ids in learnable.recalled.items():
            with fail_open(_NOT_LEARNED, self._on_error):
                self.registry.get(memory_id).post_process(signal_ids, learnable.reply)

    def _ours(self, documents: Iterable[Document]) -> Iterator[tuple[str, str]]:
        """Memory and signal of the documents that are a `StreetAIRetriever`'s; other retrievers round it keep both."""
        for document in documents:
            memory_id, signal_id = (document.metadata.get(key) for key in ("memory_id", "signal_id"))
            if isinstance(memory_id, str) and isinstance(signal_id, str) and self.memory_id in {None, memory_id}:
                yield memory_id, signal_id


_TRACKING: ContextVar[StreetAICallbackHandler | None] = ContextVar("streetai_tracking", default=None)
"""The handler of the innermost `tracking` block."""


class _Hook:
    """Makes LangChain give every run the handler in `_TRACKING`; done once in a process, for it cannot be undone."""

    def __init__(self) -> None:
        self._lock = fork_safe_lock()
        self._registered = False

    def register(self) -> None:
        """Register, if that has not been done."""
        with self._lock:
            if not self._registered:
                register_configure_hook(_TRACKING, inheritable=True)
                self._registered = True


_hook = _Hook()


@contextmanager
def tracking(handler: StreetAICallbackHandler) -> Iterator[None]:
    """Give `handler` to every run that begins inside; blocks nest, and the innermost one counts."""
    _hook.register()
    token = _TRACKING.set(handler)
    try:
        yield
    finally:
        _TRACKING.reset(token)
