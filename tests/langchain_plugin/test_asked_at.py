"""When and where a question is asked: a server in UTC has users in other zones, whose yesterday is another day."""

from datetime import datetime, timedelta, timezone

import pytest

from streetai_core import NewMessage
from streetai_core.errors import InputError
from tests.langchain_plugin.agents import CONFIG, STYLES, Agent, skip_async_before_python_3_11
from tests.langchain_plugin.conftest import QUESTION, REPLY, chain_memory
from tests.langchain_plugin.scripted import ScriptedChatModel, script

EVENING = datetime(2026, 6, 9, 20, 0, tzinfo=timezone(-timedelta(hours=7)))
"""In California; in UTC it is the next day."""
OTHER = EVENING - timedelta(days=1)

CALLS = ["sync", "async"]


def config(asked_at=EVENING):
    """Of a run that says when it asks."""
    return {"configurable": {"user_id": "mara", "session_id": "new", "thread_id": "t1", "asked_at": asked_at}}


async def retrieve(retriever, call, *args, **kwargs):
    """The documents, either way."""
    if call == "sync":
        return retriever.invoke(QUESTION, *args, **kwargs)
    return await retriever.ainvoke(QUESTION, *args, **kwargs)


@pytest.mark.parametrize("call", CALLS)
async def test_of_a_retriever_the_call_the_run_and_the_retriever_say_so_in_this_order(streetai, diary, asked, call):
    """What is nearer to the question knows better; without any of them the registry's clock tells it."""
    bound = streetai.retriever(asked_at=lambda: OTHER)
    later = EVENING + timedelta(days=1)
    await retrieve(bound, call, config(), asked_at=later)
    await retrieve(bound, call, config(lambda: EVENING))
    await retrieve(bound, call, config(None))
    await retrieve(streetai.retriever(asked_at=EVENING), call, config(None))
    await retrieve(streetai.retriever(), call, config(None))
    assert asked.times == [later, EVENING, OTHER, EVENING, None]
    assert asked.times[1].utcoffset() == timedelta(hours=-7)


@pytest.mark.parametrize("call", CALLS)
async def test_yesterday_is_where_the_user_is(streetai, registry, call):
    """By UTC it would be the day that the user calls today."""
    for days, text in ((1, "We sailed to Marstal."), (0, "We sailed to Kiel.")):
        said = NewMessage(content=text, role="user", created_at=EVENING - timedelta(days=days, hours=5))
        registry.get("mara").add_messages([said])
    retriever = streetai.retriever(user_id="mara", k=2)
    question = "Where did we sail yesterday?"
    run = config()
    documents = retriever.invoke(question, run) if call == "sync" else await retriever.ainvoke(question, run)
    times = {document.page_content: document.metadata["parts"]["time"] for document in documents}
    assert times["We sailed to Marstal."] > 0.0 == times["We sailed to Kiel."]


@pytest.mark.parametrize("call", CALLS)
async def test_a_chain_with_a_memory(streetai, diary, asked, call):
    """`wrap` has it from the run."""
    chain = streetai.wrap(ScriptedChatModel(reply=script(REPLY, REPLY)))
    if call == "sync":
        chain.invoke(QUESTION, config())
    else:
        await chain.ainvoke(QUESTION, config())
    assert asked.times == [EVENING]


@pytest.mark.parametrize("style", STYLES)
async def test_an_agent(streetai, diary, asked, style):
    """Its turn keeps the time, for the process that goes on with it; a checkpoint has it as text."""
    skip_async_before_python_3_11(style, "LangGraph's own code fails in it")
    agent = Agent(streetai, (REPLY, REPLY))
    await agent.run(style, QUESTION, {"configurable": {**CONFIG["configurable"], "asked_at": lambda: EVENING}})
    [record] = agent.state()["streetai"].values()
    assert record["asked_at"] == "2026-06-09T20:00:00-07:00"
    await agent.run(style, "And how long is she?")
    assert asked.times == [EVENING, None]


@pytest.mark.parametrize("call", CALLS)
async def test_the_memory_of_a_classic_chain(diary, asked, call):
    """It is told no config of a run."""
    for memory in (chain_memory(diary, asked_at=EVENING), chain_memory(diary, asked_at=lambda: EVENING)):
        inputs = {"input": QUESTION}
        loaded = memory.load_memory_variables(inputs) if call == "sync" else await memory.aload_memory_variables(inputs)
        assert loaded["history"]
    assert asked.times == [EVENING, EVENING]


@pytest.mark.parametrize("call", CALLS)
async def test_a_model_that_searches(streetai, diary, asked, call):
    """The tool has it from the run, as it has the user."""
    search = streetai.tools()[0]
    arguments = {"query": "What did we eat yesterday?"}
    _ = search.invoke(arguments, config()) if call == "sync" else await search.ainvoke(arguments, config())
    assert asked.times == [EVENING]


@pytest.mark.parametrize("wrong", ["2026-06-09", 3, lambda: "yesterday"])
def test_what_tells_no_time_is_an_error(streetai, diary, wrong):
    """And no failure of the memory, that would be hidden."""
    with pytest.raises(InputError, match="asked_at"):
        streetai.retriever().invoke(QUESTION, config(wrong))
    with pytest.raises(InputError, match="asked_at"):
        streetai.retriever().invoke(QUESTION, config(None), asked_at=wrong)
