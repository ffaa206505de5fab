"""The callback handler: a chain of the application's own is learned from exactly once, or not at all."""

import asyncio
import contextlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from langchain.agents import create_agent
from langchain_classic.chains import ConversationalRetrievalChain
from langchain_core.callbacks import CallbackManager
from langchain_core.documents import Document
from langchain_core.language_models import FakeListLLM
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnableParallel, RunnablePassthrough
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_core.tools import StructuredTool, create_retriever_tool
from pydantic import BaseModel

from streetai_core import NewMessage
from streetai_core.errors import InputError
from streetai_langchain import StreetAIMemory
from streetai_langchain.open_runs import Learnable, OpenRuns
from tests.langchain_plugin.conftest import QUESTION, REPLY
from tests.langchain_plugin.scripted import ScriptedChatModel, script
from tests.langchain_plugin.ways import (
    CUTS,
    WAYS,
    abatch,
    acut,
    ainvoke,
    all_ended,
    astream,
    batch,
    cut,
    invoke,
    stream,
    total,
)
from tests.learning import learning_steps

MARA = {"configurable": {"user_id": "mara", "thread_id": "new"}}
TEMPLATE = ChatPromptTemplate.from_template("{documents}\n\n{question}")

TASKS_HAVE_CONTEXT = sys.version_info >= (3, 11)
"""Before, LangGraph cannot give the run's config and callbacks to what an agent does on an event loop.

A tool gets its callbacks all the same, but not always the session, and the model gets neither.
"""

# Two of the classes that are tested here are deprecated, and in wide use.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{what}:langchain_core._api.deprecation.LangChainDeprecationWarning")
    for what in ("The class `ConversationalRetrievalChain` was", "The class `LLMChain` was", "RunnableWithMessageHi")
]


@pytest.fixture(params=["callbacks", "track", "both", "two handlers"])
def attached(request, streetai):
    """Run `way` with a handler that is given in one of all ways; afterwards nothing is open."""

    async def run(way, runnable, value, config=MARA):
        handlers = {"callbacks": 1, "track": 0, "both": 1, "two handlers": 2}[request.param]
        block = streetai.track() if request.param in {"track", "both"} else contextlib.nullcontext()
        callbacks = {"callbacks": [streetai.callback_handler() for _ in range(handlers)]} if handlers else {}
        with block:
            given = await way(runnable, value, {**config, **callbacks})
        await all_ended(streetai._runs)
        return given

    yield run
    assert len(streetai._runs) == 0


@pytest.fixture
async def handled(streetai):
    """The config of a run of Mara with a handler; afterwards nothing is open."""
    yield {**MARA, "callbacks": [streetai.callback_handler()]}
    await all_ended(streetai._runs)


def chain(streetai, model, documents=None):
    """A chain as an application builds it: documents and question, prompt, model, parser."""
    found = documents or streetai.retriever(k=2)
    return {"documents": found, "question": RunnablePassthrough()} | TEMPLATE | model | StrOutputParser()


def speaker(*replies):
    """A model that says the replies one after the other."""
    return ScriptedChatModel(reply=script(*replies or [REPLY]))


def lessons(memory):
    """How often each signal was learned about, those that were."""
    return dict(learning_steps(memory))


def once(streetai, k=2, user_id="mara"):
    """One lesson about each document of the question."""
    return {found.id: 1 for found in streetai.retriever(user_id=user_id, k=k).invoke(QUESTION)}


class Draught(BaseModel):
    """A structured answer."""

    text: str


# ------------------------------------------------------------------ every way


@pytest.mark.parametrize("way", WAYS)
async def test_a_run_is_learned_from_once(diary, streetai, attached, way):
    """6.1, 6.10: However it is run and however the handler is given; nothing is stored, and the clock stands still."""
    before = diary.stats()["turn_counter"]

    assert await attached(way, chain(streetai, speaker()), QUESTION) == REPLY
    assert lessons(diary) == once(streetai)
    assert len(diary.messages()) == 8
    assert diary.stats()["turn_counter"] == before


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("include_raw", [False, True])
async def test_a_structured_answer_is_learned_from(diary, streetai, handled, way, include_raw):
    """6.10: The model gives it by a call, which nothing follows on."""
    model = speaker(AIMessage("", tool_calls=[{"name": "Draught", "args": {"text": REPLY}, "id": "c1"}]))
    structured = model.with_structured_output(Draught, include_raw=include_raw)
    documents = {"documents": streetai.retriever(k=2), "question": RunnablePassthrough()}

    await way(documents | TEMPLATE | structured | RunnableLambda(str), QUESTION, handled)
    assert lessons(diary) == once(streetai)


@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream])
async def test_a_call_of_a_tool_is_no_structured_answer(diary, streetai, handled, way):
    """6.10: It teaches nothing."""
    model = speaker(AIMessage("", tool_calls=[{"name": "Draught", "args": {"text": REPLY}, "id": "c1"}]))
    documents = {"documents": streetai.retriever(k=2), "question": RunnablePassthrough()}

    await way(documents | TEMPLATE | model.bind_tools([Draught]) | StrOutputParser(), QUESTION, handled)
    assert lessons(diary) == {}


@pytest.mark.parametrize("way", CUTS)
@pytest.mark.parametrize("rewritten", [False, True])
async def test_a_cut_stream_teaches_nothing(diary, streetai, attached, way, rewritten):
    """6.4, 6.10: Not even where the model has said something whole before."""
    runnable = chain(streetai, speaker())
    if rewritten:
        first = chain(streetai, speaker("What is the draught?"))
        runnable = first | chain(streetai, speaker())

    assert await attached(way, runnable, QUESTION)
    assert lessons(diary) == {}


@pytest.mark.parametrize("way", WAYS)
async def test_a_failed_run_teaches_nothing(diary, streetai, handled, way):
    """6.10: Not even where the model has said something whole before it failed."""
    first = chain(streetai, speaker("What is the draught?"))

    with pytest.raises(ConnectionError):
        await way(first | chain(streetai, speaker(ConnectionError("no line"))), QUESTION, handled)
    assert lessons(diary) == {}


@pytest.mark.parametrize("way", [stream, astream])
async def test_a_stream_that_breaks_off_teaches_nothing(diary, streetai, handled, way):
    """6.10: After some words of the reply."""
    with pytest.raises(ConnectionError):
        await way(chain(streetai, ScriptedChatModel(reply=script(REPLY), fail_after=3)), QUESTION, handled)
    assert lessons(diary) == {}


@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream])
async def test_a_second_try_is_the_same_run(diary, streetai, handled, way):
    """6.1, 6.10: Retries, which LangChain does not do for streams, and fallbacks teach once."""
    lost = ConnectionError("no line")
    retried = speaker(lost, REPLY).with_retry(wait_exponential_jitter=False)
    replaced = speaker(lost).with_fallbacks([speaker()])

    models = [replaced, retried] if way in {invoke, ainvoke} else [replaced]
    for number, model in enumerate(models, start=1):
        assert await way(chain(streetai, model), QUESTION, handled) == REPLY
        assert set(lessons(diary).values()) == {number}


async def test_each_of_a_batch_is_a_run(diary, streetai, handled):
    """6.10: With one handler for all."""
    runnable = chain(streetai, ScriptedChatModel(reply=lambda _: REPLY))
    runnable.batch([QUESTION] * 3, handled)
    await runnable.abatch([QUESTION] * 2, handled)

    assert lessons(diary) == dict.fromkeys(once(streetai), 5)


def test_a_model_that_completes_text(diary, streetai, handled):
    """Its text is the reply."""
    chain(streetai, FakeListLLM(responses=[REPLY])).invoke(QUESTION, handled)

    assert lessons(diary) == once(streetai)


# --------------------------------------------------------------------- agents


def search(streetai):
    """A retriever as a tool, and the model's call of it."""
    retriever = streetai.retriever(k=2, user_id=None if TASKS_HAVE_CONTEXT else "mara")
    tool = create_retriever_tool(retriever, "diary", "What was said earlier.")
    call = {"name": "diary", "args": {"query": QUESTION}, "id": "call-1"}
    return tool, AIMessage("Let me look that up in the diary.", tool_calls=[call])


@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream])
async def test_an_agent_with_the_retriever_as_a_tool(diary, streetai, attached, way):
    """6.10: The message that calls the tool is not the reply, the next is; one that is not seen teaches nothing."""
    tool, call = search(streetai)
    agent = create_agent(speaker(call, REPLY), [tool])

    await attached(way, agent, {"messages": [("user", QUESTION)]})
    seen = TASKS_HAVE_CONTEXT or way in {invoke, stream}
    assert lessons(diary) == (once(streetai) if seen else {})


@pytest.mark.parametrize("way", CUTS)
async def test_an_agent_that_is_cut_after_its_tool(diary, streetai, handled, way):
    """6.10: The second piece is the tool's result."""
    tool, call = search(streetai)
    await way(create_agent(speaker(call, REPLY), [tool]), {"messages": [("user", QUESTION)]}, handled)

    await all_ended(streetai._runs)
    assert lessons(diary) == {}


@pytest.mark.parametrize("way", [invoke, astream])
async def test_an_agent_that_ends_with_a_tool_has_no_reply(diary, streetai, handled, way):
    """6.10: What the model says when it calls a tool, with documents before it, is none."""
    diary_tool, call = search(streetai)
    last = StructuredTool.from_function(lambda: "one metre", name="tide", description="The tide.", return_direct=True)
    calls_tide = AIMessage(REPLY, tool_calls=[{"name": "tide", "args": {}, "id": "call-2"}])

    await way(create_agent(speaker(call, calls_tide), [diary_tool, last]), {"messages": [("user", QUESTION)]}, handled)
    assert lessons(diary) == {}


# ------------------------------------------------- what the views learn from


@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream, batch, abatch, cut, acut])
@pytest.mark.parametrize("place", ["inside", "before"])
async def test_a_wrapped_chain_is_learned_from_by_wrap_only(diary, streetai, attached, way, place):
    """6.1, 6.10: Wherever the retriever is: no signal twice, and nothing that is not in wrap's own recall."""
    prompt = ChatPromptTemplate([MessagesPlaceholder("history"), ("human", "{documents} {question}")])
    documents = RunnablePassthrough.assign(
        documents=RunnableLambda(lambda asked: asked["question"]) | streetai.retriever(k=8)
    )
    options = {"input_key": "question", "memory_key": "history"}
    if place == "inside":
        chat = streetai.wrap(documents | prompt | speaker() | StrOutputParser(), **options)
    else:
        chat = documents | streetai.wrap(prompt | speaker() | StrOutputParser(), **options)
    recalled = {hit.signal.signal_id: 1 for hit in diary.build_prompt(QUESTION, conversation_id="new").retrieved}

    await attached(way, chat, {"question": QUESTION})
    assert recalled
    assert lessons(diary) == ({} if way in CUTS else recalled)


@pytest.mark.parametrize("way", [invoke, ainvoke])
@pytest.mark.parametrize("return_messages", [False, True])
async def test_a_classic_chain_is_learned_from_by_its_memory_only(diary, streetai, attached, way, return_messages):
    """6.1, 6.10: Also with the retriever in it."""
    memory = streetai.classic(
        "new", user_id="mara", memory_key="chat_history", input_key="question", return_messages=return_messages
    )
    model = ScriptedChatModel(reply=lambda _: REPLY)
    found = streetai.retriever(user_id="mara", k=8)
    options = {} if return_messages else {"get_chat_history": str}
    classic = ConversationalRetrievalChain.from_llm(model, found, memory=memory, **options)
    recalled = {hit.signal.signal_id: 1 for hit in diary.build_prompt(QUESTION, conversation_id="new").retrieved}

    assert (await attached(way, classic, {"question": QUESTION}))["answer"] == REPLY
    assert recalled
    assert lessons(diary) == recalled


@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream])
async def test_an_agent_with_our_middleware_is_learned_from_by_that_only(diary, streetai, attached, way):
    """6.1, 6.10: Also with the retriever as a tool."""
    tool, call = search(streetai)
    agent = create_agent(speaker(call, REPLY), [tool], middleware=[streetai.middleware()])
    recalled = {hit.signal.signal_id: 1 for hit in diary.build_prompt(QUESTION, shown={QUESTION}).retrieved}

    await attached(way, agent, {"messages": [("user", QUESTION)]})
    assert recalled
    assert lessons(diary) == recalled


@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream])
async def test_a_chain_with_a_chat_history_is_learned_from_by_the_handler(diary, streetai, attached, way):
    """6.10: The history stores the messages, which the handler does not."""
    prompt = ChatPromptTemplate([MessagesPlaceholder("history"), ("human", "{documents} {question}")])
    documents = RunnableLambda(lambda asked: asked["question"]) | streetai.retriever(user_id="mara", k=2)
    runnable = RunnableWithMessageHistory(
        RunnablePassthrough.assign(documents=documents) | prompt | speaker(),
        streetai.chat_history,
        input_messages_key="question",
        history_messages_key="history",
    )

    await attached(way, runnable, {"question": QUESTION}, {"configurable": {"session_id": "s1"}})
    assert lessons(diary) == once(streetai)
    assert [message.text for message in streetai.chat_history("s1").messages] == [QUESTION, REPLY]


# ------------------------------------------------------------------- what counts


@pytest.mark.parametrize(
    ("binding", "learning"),
    [((None, None), {"mara", "anna"}), (("x", "mara"), {"mara"}), (("anna", None), {"anna"}), (("x", None), set())],
)
async def test_each_memory_learns_of_its_own_documents(diary, streetai, binding, learning):
    """6.3, 6.10: Two memories in one run; a bound handler sees only its own."""
    streetai.registry.get("anna").add_message("My boat has a draught of two metres.", "user")
    both = RunnableParallel(
        mara=streetai.retriever(user_id="mara", k=2), anna=streetai.retriever(user_id="anna", k=2)
    ) | RunnableLambda(lambda found: found["mara"] + found["anna"])
    handler = streetai.callback_handler(binding[0], user_id=binding[1])

    await chain(streetai, speaker(), both).ainvoke(QUESTION, {"callbacks": [handler]})
    for user in ("mara", "anna"):
        expected = once(streetai, user_id=user) if user in learning else {}
        assert lessons(streetai.registry.get(user)) == expected


class BestOnly(BaseRetriever):
    """A retriever round another one, which keeps only its first document."""

    inner: BaseRetriever

    def _get_relevant_documents(self, query, *, run_manager):
        return self.inner.invoke(query, {"callbacks": run_manager.get_child()})[:1]


def test_what_a_retriever_round_ours_drops_does_not_count(diary, streetai, handled):
    """The model has not seen it."""
    chain(streetai, speaker(), BestOnly(inner=streetai.retriever(user_id="mara", k=3))).invoke(QUESTION, handled)

    assert lessons(diary) == once(streetai, k=1)


def test_what_is_found_after_the_model_was_asked_does_not_count(diary, streetai, handled):
    """Sources that are looked up for a reply are not what it was made with."""
    sources = RunnablePassthrough() | streetai.retriever(k=3)
    found = (chain(streetai, speaker()) | sources).invoke(QUESTION, handled)
    assert len(found) == 3
    assert lessons(diary) == once(streetai)

    (speaker() | StrOutputParser() | sources).invoke(QUESTION, handled)
    assert lessons(diary) == once(streetai)


def test_what_is_not_ours_does_not_count(diary, streetai, handled):
    """Documents of another retriever, of a signal that is gone, and a run without a model."""
    name = diary.signals[0].signal_id

    class Foreign(BaseRetriever):
        """Finds documents that look a little like ours."""

        def _get_relevant_documents(self, query, *, run_manager):
            gone = {"memory_id": "mara", "signal_id": str(uuid4())}
            metadata = [{}, {"signal_id": name}, {"memory_id": 3, "signal_id": name}, gone]
            return [Document("x", id=name, metadata=entry) for entry in metadata]

    assert chain(streetai, speaker(), Foreign()).invoke(QUESTION, handled) == REPLY
    assert len(streetai.retriever().invoke(QUESTION, handled)) == 4
    assert lessons(diary) == {}


def test_a_handler_below_the_outermost_run(diary, streetai):
    """What it sees is joined; what a handler of one step sees cannot be, and nothing stays open."""
    handler = streetai.callback_handler()
    (RunnablePassthrough() | chain(streetai, speaker()).with_config(callbacks=[handler])).invoke(QUESTION, MARA)
    assert lessons(diary) == once(streetai)

    found = streetai.retriever().with_config(callbacks=[handler])
    chain(streetai, speaker().with_config(callbacks=[handler]), found).invoke(QUESTION, MARA)
    assert lessons(diary) == once(streetai)
    assert len(streetai._runs) == 0


@pytest.mark.parametrize("way", [invoke, ainvoke])
async def test_a_failing_memory_costs_no_reply(registry, diary, way):
    """6.7: It is given to `on_error`, as everywhere."""
    errors = []
    streetai = StreetAIMemory(registry, on_error=errors.append)

    def close(documents):
        registry.close()
        return documents

    runnable = chain(streetai, speaker(), streetai.retriever() | RunnableLambda(close))
    assert await way(runnable, QUESTION, {**MARA, "callbacks": [streetai.callback_handler()]}) == REPLY
    assert [type(error).__name__ for error in errors] == ["ClosedError"]
    assert len(streetai._runs) == 0


def test_ids_that_cannot_be_used_are_refused(streetai):
    """6.3: Where they are given."""
    with pytest.raises(InputError, match="session_id"):
        streetai.callback_handler(" ")
    with pytest.raises(InputError, match="user_id"), streetai.track(user_id=""):
        pass


# ---------------------------------------------------------------------- track


def test_tracking_ends_with_its_block(diary, streetai):
    """Also if the block fails; runs before and after it teach nothing."""
    runnable = chain(streetai, ScriptedChatModel(reply=lambda _: REPLY))
    with pytest.raises(ConnectionError), streetai.track():
        raise ConnectionError
    runnable.invoke(QUESTION, MARA)
    assert lessons(diary) == {}

    with streetai.track("nobody"):
        runnable.invoke(QUESTION, MARA)
        assert lessons(diary) == {}
        with streetai.track():
            runnable.invoke(QUESTION, MARA)
    assert lessons(diary) == once(streetai)


HOOKS = """
from langchain_core.tracers.context import _configure_hooks
from streetai_langchain import StreetAIMemory
before = len(_configure_hooks)
memories = [StreetAIMemory("never-made.db") for _ in range(3)]
for memory in memories:
    memory.callback_handler()
print(len(_configure_hooks) - before)
for memory in memories:
    with memory.track():
        pass
print(len(_configure_hooks) - before)
"""


def test_the_hook_is_registered_once_and_at_first_use(tmp_path):
    """Not by importing, nor by anything else; nothing is written."""
    code = f"import os, sys; sys.path.insert(0, os.getcwd()); os.chdir({str(tmp_path)!r})\n{HOOKS}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.stdout, done.stderr) == ("0\n1\n", "")
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------- at once

RUNS = 200
CUT, FAILED = 7, 9
"""The last figure of the number of a run that is cut, and of one that fails."""


def fact(number):
    """What the user of a run has said, and what the model repeats."""
    return f"The harbour of user-{number} is harbour-{number}."


async def test_two_hundred_runs_of_one_handler_are_not_mixed_up(streetai):
    """6.3, 6.10: Each memory learns from its own reply, once; cut and failed runs teach nothing; none stays open."""
    for number in range(RUNS):
        memory = streetai.registry.get(f"user-{number}")
        memory.add_messages(
            [NewMessage(content=text, role="user") for text in (fact(number), "Anna bakes bread with walnuts.")]
        )

    def reply(messages):
        number = int(messages[-1].text.rsplit("-", 1)[1].removesuffix("?"))
        if number % 10 == FAILED:
            raise ConnectionError("no line")
        return fact(number)

    runnable = chain(streetai, ScriptedChatModel(reply=reply))
    handler = streetai.callback_handler()
    loop = asyncio.get_running_loop()

    def in_thread(number, asked, config):
        if number % 10 == CUT:
            pieces = runnable.stream(asked, config)
            next(pieces)
            pieces.close()
        elif number % 4:
            total(runnable.stream(asked, config))
        else:
            runnable.invoke(asked, config)

    def run(number):
        asked = f"Which harbour has user-{number}?"
        config = {"callbacks": [handler], "configurable": {"session_id": f"user-{number}"}}
        if number % 2 == (number // 10) % 2:
            return loop.run_in_executor(pool, in_thread, number, asked, config)
        return (acut if number % 10 == CUT else astream if number % 4 else ainvoke)(runnable, asked, config)

    with ThreadPoolExecutor(8) as pool:
        results = await asyncio.gather(*(run(number) for number in range(RUNS)), return_exceptions=True)

    failed = [number for number, result in enumerate(results) if isinstance(result, BaseException)]
    assert failed == [number for number in range(RUNS) if number % 10 == FAILED]
    await all_ended(streetai._runs)
    for number in range(RUNS):
        memory = streetai.registry.get(f"user-{number}")
        learned = [[step.action for step in memory.history(one.signal_id)] for one in memory.signals]
        assert learned == ([[], []] if number % 10 in {CUT, FAILED} else [["boost"], ["demote"]])


# ------------------------------------------------------------- the table alone


def test_abandoned_runs_are_dropped_the_idle_ones_first():
    """6.10: A root in which something still begins is kept; the end of a dropped one is ignored.

    And what is found while the model is at work is not what it was asked with.
    """
    runs = OpenRuns(most=2)
    idle, busy, late, step, model = (uuid4() for _ in range(5))
    runs.started(busy, None)
    runs.started(idle, None)
    runs.started(uuid4(), idle)
    runs.started(step, busy, retrieves=True)
    runs.retrieved(step, [("mara", "s1"), ("anna", "s2"), ("mara", "s1")])
    runs.ended(step)
    runs.started(late, None)
    assert len(runs) == 2
    assert runs.ended(idle) is None

    runs.started(model, busy)
    runs.started(step, busy, retrieves=True)
    runs.retrieved(step, [("mara", "found beside the model")])
    runs.ended(step)
    runs.answered(model, "Ahoy")
    runs.ended(model)
    assert runs.ended(busy) == Learnable({"mara": ["s1"], "anna": ["s2"]}, "Ahoy")
    assert runs.ended(late) is None
    assert len(runs) == 0


@pytest.mark.parametrize("spoils", ["open below", "failed", "left", "asked before"])
def test_what_must_not_be_learned(spoils):
    """6.10: A root with a run still open, one that failed, one of a view, and an answer from before the documents."""
    runs = OpenRuns()
    root, found, model, other = (uuid4() for _ in range(4))
    runs.started(root, None)
    if spoils == "asked before":
        runs.started(model, root)
    runs.started(found, root, retrieves=True)
    runs.retrieved(found, [("mara", "s1")])
    runs.ended(found)
    runs.started(model, root)
    if spoils == "open below":
        runs.started(other, root)
    if spoils == "left":
        runs.left(model)
    runs.answered(model, "Ahoy")
    runs.ended(model)

    assert runs.ended(root, failed=spoils == "failed") is None
    assert len(runs) == 0


def test_a_handler_does_not_mind_a_stranger_s_events(diary, streetai):
    """6.10: Ends without a beginning and a model that said nothing at all."""
    handler = streetai.callback_handler()
    manager = CallbackManager.configure([handler])
    [run] = manager.on_llm_start({}, ["x"])
    handler.on_chain_end({}, run_id=uuid4())
    handler.on_retriever_end([], run_id=uuid4())
    run.on_llm_end(type("Nothing", (), {"generations": [[]]})())
    assert len(streetai._runs) == 0
