"""Memory for agents made with `create_agent`: recall once for each user message, store and learn once for each turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from typing_extensions import NotRequired

from streetai_core import Memory, MemoryRegistry, NewMessage
from streetai_core.errors import InputError, MissingExtraError, StaleMemoryError
from streetai_core.failures import fail_open, report
from streetai_core.recording import Recorded
from streetai_core.text.clean import is_blank
from streetai_core.verbs.arguments import check_positive
from streetai_langchain.agent_turns import (
    TurnRecord,
    as_new_messages,
    beside_question,
    in_system,
    left_to_another_memory,
    opened,
    question_now,
    question_position,
    reply_of,
    turn_id,
    unsaved,
    window_start,
    with_answer_said,
)
from streetai_langchain.callbacks import is_stored, leave_to_view
from streetai_langchain.memory_traffic import without_memory_traffic
from streetai_langchain.recording import Recording
from streetai_langchain.sessions import Session, session_of
from streetai_langchain.tool_runs import is_in_tool
from streetai_langchain.turn_recall import TurnRecall

try:
    from langchain.agents.middleware import (
        AgentMiddleware,
        AgentState,
        ExtendedModelResponse,
        ModelRequest,
        ModelResponse,
    )
    from langchain.agents.middleware.types import PrivateStateAttr
    from langgraph.runtime import Runtime
    from langgraph.types import Command
except ModuleNotFoundError as error:
    raise MissingExtraError("langchain", "agents") from error

_STATE = "streetai"
"""The key of our part of the agent's state."""

_NOT_STORED = "this turn is not stored"
_NOT_LEARNED = "nothing is learned from this turn"


def _merged(old: dict[str, TurnRecord] | None, new: dict[str, TurnRecord]) -> dict[str, TurnRecord]:
    """The records of several middlewares beside each other; langgraph's reducer of the key."""
    return {**(old or {}), **new}


class StreetAIState(AgentState[Any]):
    """The agent's state with the record of the current turn, by the middleware's name: ids, and no recalled text.

    It is checkpointed, and streams of the state show it; it is no part of the agent's input and output.
    """

    streetai: NotRequired[Annotated[dict[str, TurnRecord], PrivateStateAttr, _merged]]


# Its state is part of the type of a middleware: a list of several could only be of one of them.
class StreetAIMemoryMiddleware(AgentMiddleware[Any, Any, Any]):
    """Long-term memory of an agent; `memory.middleware()` makes one.

        agent = create_agent(model, tools, middleware=[memory.middleware()], checkpointer=InMemorySaver())
        agent.invoke({"messages": [HumanMessage("...")]}, {"configurable": {"thread_id": "t1", "user_id": "mara"}})

    For each user message the memory is asked once, when the model is first called, for what that request does not have
    anyway; what it recalls goes into the requests to the model, never into the state. Let it be the last middleware of
    the list: then the request is what those before it have left. When the run has ended, the turn is stored and learned
    from in one transaction: the user's message, tool calls and results, and the reply. However many model calls, tools,
    retries, interrupts and resumes a turn takes, that is one recall, one learning step and a clock that advances by
    two. If nothing is recalled, the request is the very object that it would have been.

    The session is the run's: `thread_id`, or `session_id`, and `user_id` of its "configurable" or of its `context`; a
    missing session raises. A run that names its thread only, as one from a checkpoint of its history does, is of the
    user that the thread had.
    A turn that ended with an error or a stream that was closed early is picked up by the next one, if the agent has a
    checkpointer. An app without one, that sends the history along each time, has each turn stored once; a retry is
    known by the id of the user's message, if the app gives it one.

    An agent that runs inside a tool of another one, in its thread, is told by a model, not by the user: it recalls and
    stores nothing; the other agent stores the tool's result. One that is a node of a graph is told by the user.
    Inside a chain that `wrap` gave a memory, of the same session, it leaves all to that one.

    A failing memory never costs a reply: it is logged and given to `on_error`, and the agent goes on.

    Args:
        registry: where the memories are.
        session_id: binds the middleware to one session; wins over the run's.
        user_id: binds it to the memory of one user; wins over the run's.
        inject: where the recalled text goes: "user", in front of the newest user message, keeps it out of the
            privileged instructions, and what comes before it the same from turn to turn, which provider caches reward.
            "system" puts it after the system message, which a `dynamic_prompt` behind this one would write over.
        token_budget: most tokens of the question and the recalled text together.
        window: only the last so many messages of the state are sent to the model, up to the question and with the tool
            traffic of its own turn; they start with a user message, so that no tool result lacks its call. The rest can
            be recalled, but for what a thread had before it had a memory. So a request stays small while the state
            grows, which keeps everything. `None`: send all.
        name: has to be given where one agent has several of these.
        on_error: told of every failure of the memory.

    Raises:
        InputError: an argument cannot be used.
    """

    state_schema = StreetAIState

    def __init__(
        self,
        registry: MemoryRegistry,
        session_id: str | None = None,
        *,
        user_id: str | None = None,
        inject: Literal["user", "system"] = "user",
        token_budget: int | None = None,
        window: int | None = None,
        name: str | None = None,
        on_error: Callable[[Exception], None] | None = None,
    ) -> None:
        super().__init__()
        if inject not in {"user", "system"}:
            raise InputError(f"inject must be 'user' or 'system', got {inject!r}")
        if name is not None and (not isinstance(name, str) or is_blank(name)):
            raise InputError(f"name must be text that is not blank, or be left out, got {name!r}")
        if session_id is not None or user_id is not None:
            session_of(None, session_id=session_id, user_id=user_id)
        self._registry = registry
        self._session_id, self._user_id = session_id, user_id
        self._inject = inject
        self._window = check_positive(window, "window")
        self._name = name or type(self).__name__
        self._on_error = on_error
        budget = check_positive(token_budget, "token_budget")
        self._recall = TurnRecall(registry, token_budget=budget, window=self._window, on_error=on_error)

    @property
    def name(self) -> str:
        """Tells several of these apart in one agent."""
        return self._name

    # ------------------------------------------------------------------ begin

    def before_agent(  # type: ignore[override]  # langgraph gives a hook the run's config if it asks for it
        self,
        state: StreetAIState,
        runtime: Runtime[Any],
        config: RunnableConfig,
    ) -> dict[str, Any] | None:
        """Begin the record of a turn for a new user message.

        Raises:
            InputError: the run has no session.
        """
        before = self._record(state)
        session = self._session(config, runtime, before)
        record = self._opened(state, before, session)
        if record is None or is_stored(config, self._registry, session):
            return None
        with fail_open(_NOT_STORED, self._on_error):
            if before is not None and self._recall.is_erased(before):
                return self._update(self._after_erasure(state, record))
            if before is not None and not is_in_tool(config) and (left := self._left(state, before, session)):
                Recording(self._registry.get(before["memory"])).record(**left)
        return self._update(record)

    async def abefore_agent(  # type: ignore[override]  # as above
        self,
        state: StreetAIState,
        runtime: Runtime[Any],
        config: RunnableConfig,
    ) -> dict[str, Any] | None:
        """Async twin of `before_agent`."""
        before = self._record(state)
        session = self._session(config, runtime, before)
        record = self._opened(state, before, session)
        if record is None or is_stored(config, self._registry, session):
            return None
        with fail_open(_NOT_STORED, self._on_error):
            if before is not None and await self._recall.ais_erased(before):
                return self._update(self._after_erasure(state, record))
            if before is not None and not is_in_tool(config) and (left := self._left(state, before, session)):
                await Recording(self._registry.get(before["memory"])).arecord(**left)
        return self._update(record)

    # ------------------------------------------------------- recall and inject

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Send the request with what is recalled, for the turn's first one: only then is known what it has anyway."""
        record = self._record(request.state)
        if record is not None:
            record = self._recall.recall(request.messages, record)
        return self._answered(request, record, handler(self._request(request, record)))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Async twin of `wrap_model_call`."""
        record = self._record(request.state)
        if record is not None:
            record = await self._recall.arecall(request.messages, record)
        return self._answered(request, record, await handler(self._request(request, record)))

    # --------------------------------------------------------- store and learn

    def after_agent(  # type: ignore[override]  # as above
        self,
        state: StreetAIState,
        config: RunnableConfig,
    ) -> dict[str, Any] | None:
        """Store the turn and learn from its reply."""
        (record, memory), update = self._ended(state, config), None
        with fail_open(_NOT_STORED, self._on_error):
            if record is not None:
                turn = self._turn(state, record)
                try:
                    recorded = Recording(memory or self._registry.get(record["memory"])).record(**turn)
                except StaleMemoryError as error:
                    recorded = self._erased(error)
                update = self._closed(state, record, recorded, reply=turn["reply"])
        return update

    async def aafter_agent(  # type: ignore[override]  # as above
        self,
        state: StreetAIState,
        config: RunnableConfig,
    ) -> dict[str, Any] | None:
        """Async twin of `after_agent`."""
        (record, memory), update = self._ended(state, config), None
        with fail_open(_NOT_STORED, self._on_error):
            if record is not None:
                turn = self._turn(state, record)
                try:
                    recorded = await Recording(memory or self._registry.get(record["memory"])).arecord(**turn)
                except StaleMemoryError as error:
                    recorded = self._erased(error)
                update = self._closed(state, record, recorded, reply=turn["reply"])
        return update

    # ------------------------------------------------------------------ parts

    def _session(self, config: RunnableConfig, runtime: Runtime[Any], before: TurnRecord | None) -> Session:
        return session_of(
            config.get("configurable"),
            session_id=self._session_id,
            user_id=self._user_id,
            context=runtime.context,
            known=None if before is None else before["memory"],
        )

    def _record(self, state: Mapping[str, Any]) -> TurnRecord | None:
        """The record of this middleware's current turn."""
        record: TurnRecord | None = state.get(_STATE, {}).get(self._name)
        return record

    def _update(self, record: TurnRecord) -> dict[str, Any]:
        """The change of the state that keeps a record."""
        return {_STATE: {self._name: record}}

    def _ended(self, state: StreetAIState, config: RunnableConfig) -> tuple[TurnRecord | None, Memory | None]:
        """The record of a turn that is over, and the handle that was asked for it.

        No record: there is none, or nothing of it is the user's to be stored. No handle: none was asked here.
        """
        record = self._record(state)
        memory = None if record is None else self._recall.drop(record)
        if is_in_tool(config) or (record is not None and is_stored(config, self._registry, _session_of(record))):
            return None, None
        leave_to_view(config)
        return record, memory

    def _opened(self, state: StreetAIState, before: TurnRecord | None, session: Session) -> TurnRecord | None:
        """The record of a new turn; `None` if there is no user message, or the memory was asked for it before."""
        position = question_position(state["messages"])
        if position is None:
            return None
        record = opened(state["messages"], position, before, session)
        same = before is not None and (before["turn"], before["question"]) == (record["turn"], record["question"])
        return None if same else record

    def _left(self, state: StreetAIState, before: TurnRecord, session: Session) -> dict[str, Any] | None:
        """What is to be recorded of a turn that another memory has left unfinished in this thread; `None`: nothing."""
        position = question_position(state["messages"])
        left = [] if position is None else left_to_another_memory(state["messages"], position, before, session)
        return {"turn_id": turn_id(before), "messages": _as_said(left, before)} if left else None

    def _after_erasure(self, state: StreetAIState, record: TurnRecord) -> TurnRecord:
        """The record of a turn that follows one which was begun before its memory was erased, and has never ended."""
        position = question_position(state["messages"], record["turn"])
        return {**record, "saved": state["messages"][position - 1].id if position else ""}

    def _request(self, request: ModelRequest[Any], record: TurnRecord | None) -> ModelRequest[Any]:
        """The request with recalled text and window; the same object if there is nothing to change."""
        if record is None:
            return request
        text = self._recall.text(record)
        position = question_position(request.messages, record["turn"])
        start = window_start(request.messages, position, self._window)
        messages = request.messages
        if text and self._inject == "system":
            request = request.override(system_message=in_system(request.system_message, text))
        elif text and position is not None:
            messages = beside_question(messages, position, text)
        return request if not start and messages is request.messages else request.override(messages=messages[start:])

    def _answered(
        self, request: ModelRequest[Any], record: TurnRecord | None, response: ModelResponse[Any]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """The response; with the record of the turn, if that is not any more what the state has.

        It changes when the memory was asked, or a hook has changed the question in the state: a redaction
        comes after `before_agent`. A summary may take the message away before the turn is stored, and then the record
        has all that is left of it.
        """
        if record is None:
            return response
        question = question_now(request.state["messages"], record)
        now: TurnRecord = record if question is None else {**record, "question": question}
        if now == self._record(request.state):
            return response
        return ExtendedModelResponse(response, Command(update=self._update(now)))

    def _turn(self, state: StreetAIState, record: TurnRecord) -> dict[str, Any]:
        """What is to be recorded."""
        messages = unsaved(state["messages"], record)
        structured = state.get("structured_response")
        return {
            "turn_id": turn_id(record),
            "messages": _as_said(with_answer_said(messages, structured=structured), record),
            "retrieved": record["signal_ids"],
            "reply": "" if record["learned"] else reply_of(messages, structured=structured),
        }

    def _erased(self, error: StaleMemoryError) -> Recorded:
        """The end of a turn that was begun before its memory was erased: it is not stored with the next one either."""
        report(error, _NOT_STORED, self._on_error)
        return Recorded()

    def _closed(self, state: StreetAIState, record: TurnRecord, recorded: Recorded, *, reply: str) -> dict[str, Any]:
        """The change of the state that says what has been stored and learned."""
        if recorded.failure is not None:
            report(recorded.failure, _NOT_LEARNED, self._on_error)
        learned = record["learned"] or (not is_blank(reply) and recorded.failure is None)
        return self._update({**record, "saved": state["messages"][-1].id, "learned": learned})


def _session_of(record: TurnRecord) -> Session:
    """Whose turn it is."""
    return Session(record["memory"], record["conversation"])


def _as_said(messages: Sequence[BaseMessage], record: TurnRecord) -> list[NewMessage]:
    """Messages of a turn as they are stored."""
    return as_new_messages(without_memory_traffic(messages), record["conversation"])
