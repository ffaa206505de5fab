"""`memory.middleware()`: recalled text is in requests to the model, and in no state, stream, event or checkpoint."""

import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from streetai_core import MemoryRegistry, Prompt
from streetai_core.encoders import HashingEncoder
from streetai_langchain import StreetAIMemory
from streetai_langchain.agent_turns import opened
from streetai_langchain.recalled_texts import NOTHING, Recalled, RecalledTexts, recalled_in
from streetai_langchain.sessions import Session
from tests.asked import Asked
from tests.langchain_plugin.agents import CONFIG, STYLES, Agent, calls, lessons, said
from tests.langchain_plugin.conftest import DIARY, FACT, QUESTION, REPLY
from tests.langchain_plugin.scripted import text_of_prompt

GIVEN = {"messages": [HumanMessage(QUESTION)]}
MODES = ["values", "updates", "messages", "tasks", "checkpoints", "debug"]
TOLD = DIARY[2][1]


@tool
def approve(plan: str) -> str:
    """Ask the user."""
    return f"{plan}: {interrupt(plan)}"


def approving(text=""):
    """A message of the model that waits for the user."""
    return AIMessage(text, tool_calls=[{"name": "approve", "args": {"plan": "sail"}, "id": "a"}])


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("version", ["v1", "v2"])
async def test_no_stream_shows_what_was_recalled(streetai, diary, version, asynchronous):
    """6.5: A server that passes the updates of a run on to a browser would show it what nobody said there."""
    agent = Agent(streetai, (calls("Kiel"), REPLY))
    options = {"stream_mode": MODES, "version": version}
    if asynchronous:
        pieces = [piece async for piece in agent.graph.astream(GIVEN, CONFIG, **options)]
    else:
        pieces = list(agent.graph.stream(GIVEN, CONFIG, **options))

    assert TOLD in text_of_prompt(agent.model.prompts[-1])
    assert len(pieces) > len(MODES)
    assert TOLD not in repr(pieces)


async def test_no_event_but_that_of_the_model_shows_it(streetai, diary):
    """6.5: The request is what the model is given, and LangChain tells of it as of any; nothing else has the text."""
    agent = Agent(streetai, (REPLY,))
    events = [event async for event in agent.graph.astream_events(GIVEN, CONFIG, version="v2")]

    assert {event["event"] for event in events if TOLD in repr(event)} <= {"on_chat_model_start", "on_chat_model_end"}


@pytest.mark.parametrize("style", STYLES)
async def test_no_checkpoint_has_it(streetai, diary, style):
    """6.5: What is forgotten would go on in the checkpointer, which nobody has asked to forget."""
    checkpointer = InMemorySaver()
    agent = Agent(streetai, (approving(), REPLY), tools=[approve], checkpointer=checkpointer)
    await agent.run(style, QUESTION)
    await agent.run(style, Command(resume="yes"))

    assert TOLD not in repr(list(agent.graph.get_state_history(CONFIG)))
    assert TOLD.encode() not in repr([checkpointer.storage, checkpointer.blobs, checkpointer.writes]).encode()
    record = agent.state()["streetai"]["StreetAIMemoryMiddleware"]
    assert json.loads(json.dumps(record)) == record


@pytest.mark.parametrize("style", STYLES)
async def test_a_run_that_another_process_resumes_recalls_again(streetai, diary, recalls, style, tmp_path):
    """6.9: There the text is not known; it is recalled once more, for all of the calls that follow."""
    checkpointer = InMemorySaver()
    agent = Agent(streetai, (approving(),), tools=[approve], checkpointer=checkpointer)
    await agent.run(style, QUESTION)
    turn = diary.stats()["turn_counter"]
    observer = Asked()
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder(), observers=[observer]) as registry:
        other = Agent(
            StreetAIMemory(registry), (approving("Once more."), REPLY), tools=[approve], checkpointer=checkpointer
        )
        await other.run(style, Command(resume="yes"))
        await other.run(style, Command(resume="yes"))

        assert recalls == observer.questions == [QUESTION]
        assert [FACT in text_of_prompt(prompt) for prompt in other.model.prompts] == [True, True]
        assert said(other.memory)[-1] == ("assistant", REPLY)
        assert set(lessons(other.memory)) == {1}
        assert other.memory.stats()["turn_counter"] == turn + 2


@pytest.mark.parametrize("style", STYLES)
async def test_what_was_forgotten_meanwhile_is_not_recalled_there(streetai, diary, style, tmp_path):
    """6.9: The text in a checkpoint would have it still."""
    checkpointer = InMemorySaver()
    await Agent(streetai, (approving(),), tools=[approve], checkpointer=checkpointer).run(style, QUESTION)
    diary.delete_message(diary.messages()[2].message_id)
    other = Agent(StreetAIMemory(streetai.registry), (REPLY,), tools=[approve], checkpointer=checkpointer)
    await other.run(style, Command(resume="yes"))

    assert TOLD not in text_of_prompt(other.model.prompts[0])
    record = other.state()["streetai"]["StreetAIMemoryMiddleware"]
    assert set(record["signal_ids"]) <= {signal.signal_id for signal in diary.signals}


async def test_texts_of_finished_turns_are_let_go_of(streetai, diary):
    """6.5: A server that runs for months would keep what each of its users was reminded of."""
    middleware = streetai.middleware(name="other")
    agent = Agent(streetai, (REPLY, ConnectionError("gone"), REPLY), middleware=[middleware])
    await agent.run("invoke", QUESTION)
    assert len(middleware._recall._texts) == 0
    with pytest.raises(ConnectionError):
        await agent.run("ainvoke", QUESTION)
    assert len(middleware._recall._texts) == 1
    await agent.run("ainvoke", QUESTION)
    assert len(middleware._recall._texts) == 0


def test_texts_are_kept_by_turn_and_bounded():
    """6.3, 6.5: Nobody is told what was recalled for somebody else, and runs without an end do not fill the RAM."""
    texts = RecalledTexts(most=2)
    records = [
        {**opened([HumanMessage("Hello?", id="m")], 0, None, Session(user, "t1")), "signal_ids": ["s"]}
        for user in ("mara", "tom", "lena")
    ]
    for record in records:
        texts.keep(record, Recalled(f"of {record['memory']}", ("s",)))

    assert texts.of(records[0]) is None
    assert [texts.of(record).text for record in records[1:]] == ["of tom", "of lena"]
    texts.drop(records[1])
    assert len(texts) == 1


def test_what_a_prompt_recalls():
    """6.5: Without a text nothing was recalled, whatever was found."""
    assert recalled_in(Prompt(messages=[], retrieved=[], inspector=None, recalled_text=""), None) == NOTHING
