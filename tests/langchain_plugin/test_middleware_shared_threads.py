"""`memory.middleware()` in a thread that several users share, as the channel of a bot: to each what is theirs."""

import pytest
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import HumanMessage, RemoveMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.types import Command

from streetai_langchain import StreetAIMemory
from tests.langchain_plugin.agents import STYLES, Agent, calls, lessons, said, skip_async_before_python_3_11
from tests.langchain_plugin.conftest import FACT, QUESTION, REPLY
from tests.langchain_plugin.scripted import ScriptedChatModel, script, text_of_prompt

NO_INTERRUPTS = "before Python 3.11 LangGraph cannot interrupt async code"
LOCKER = "The number of my locker is 4711."
MARA = {"configurable": {"thread_id": "t1", "user_id": "mara"}}
TOM = {"configurable": {"thread_id": "t1", "user_id": "tom"}}


@pytest.mark.parametrize("style", STYLES)
async def test_a_turn_that_failed_is_stored_in_its_own_memory(streetai, registry, style):
    """6.3: The next speaker would be told the secret of the one whose turn had an error."""
    agent = Agent(streetai, (calls("Kiel"), ConnectionError("gone"), "Hello, Tom.", "Hello, Mara."))
    with pytest.raises(ConnectionError):
        await agent.run(style, LOCKER, MARA)
    await agent.run(style, "Hello.", TOM)
    await agent.run(style, "Here I am again.", MARA)

    assert said(registry.get("tom")) == [("user", "Hello."), ("assistant", "Hello, Tom.")]
    assert said(registry.get("mara")) == [
        ("user", LOCKER),
        ("assistant", ""),
        ("tool", "the tide in Kiel is one metre"),
        ("user", "Here I am again."),
        ("assistant", "Hello, Mara."),
    ]
    assert registry.get("tom").stats()["turn_counter"] == 2
    assert registry.get("mara").stats()["turn_counter"] == 4


@pytest.mark.parametrize("style", STYLES)
async def test_a_turn_that_waits_is_stored_in_its_own_memory(streetai, registry, style):
    """6.3, 6.9: Somebody else speaks while a call waits to be approved."""
    skip_async_before_python_3_11(style, NO_INTERRUPTS)
    model = ScriptedChatModel(reply=script(calls("Kiel"), "Hello, Tom."))
    agent = Agent(streetai, model=model, middleware=[HumanInTheLoopMiddleware(interrupt_on={"tide": True})])
    await agent.run(style, LOCKER, MARA)
    await agent.run(style, "Hello.", TOM)

    assert said(registry.get("tom")) == [("user", "Hello."), ("assistant", "Hello, Tom.")]
    assert said(registry.get("mara"))[0] == ("user", LOCKER)


@pytest.mark.parametrize("style", STYLES)
async def test_whoever_resumes_a_turn_it_is_stored_where_it_was_asked(streetai, diary, style):
    """6.3, 6.9: Somebody else approves a call: what was asked and recalled is not theirs."""
    skip_async_before_python_3_11(style, NO_INTERRUPTS)
    agent = Agent(
        streetai,
        (calls("Kiel"), REPLY),
        middleware=[HumanInTheLoopMiddleware(interrupt_on={"tide": True})],
    )
    await agent.run(style, QUESTION, MARA)
    await agent.run(style, Command(resume={"decisions": [{"type": "approve"}]}), TOM)

    assert FACT in text_of_prompt(agent.model.prompts[-1])
    assert streetai.registry.ids() == ["mara"]
    assert said(diary)[-1] == ("assistant", REPLY)
    assert set(lessons(diary)) == {1}


async def test_several_messages_at_once_are_all_the_speaker_s(streetai, registry):
    """6.3: None of them is taken for a rest of the other's turn."""
    agent = Agent(streetai, (ConnectionError("gone"), "Hello, Tom."))
    with pytest.raises(ConnectionError):
        await agent.run("invoke", LOCKER, MARA)
    await agent.run("invoke", {"messages": [HumanMessage("Hello."), HumanMessage("It is Tom.")]}, TOM)

    assert said(registry.get("mara")) == [("user", LOCKER)]
    assert said(registry.get("tom")) == [("user", "Hello."), ("user", "It is Tom."), ("assistant", "Hello, Tom.")]


async def test_a_thread_that_is_shared_without_errors(streetai, registry):
    """6.3: Each turn goes to its speaker, and nothing is stored twice."""
    agent = Agent(streetai, model=ScriptedChatModel(reply=lambda messages: f"Noted: {messages[-1].text[-1]}"))
    for number in range(6):
        await agent.run(STYLES[number % 5], f"number {number}", (MARA, TOM)[number % 2])

    for user, first in (("mara", 0), ("tom", 1)):
        expected = [
            pair for n in range(first, 6, 2) for pair in (("user", f"number {n}"), ("assistant", f"Noted: {n}"))
        ]
        assert said(registry.get(user)) == expected


async def test_where_the_other_memory_cannot_be_written(streetai, registry, monkeypatch):
    """6.3, 6.7: What cannot be stored where it belongs is stored nowhere, and the next speaker has a reply."""
    errors = []
    failing = StreetAIMemory(registry, on_error=errors.append)
    agent = Agent(failing, (ConnectionError("gone"), "Hello, Tom."))
    with pytest.raises(ConnectionError):
        await agent.run("invoke", LOCKER, MARA)
    get = registry.get

    def only_tom(memory_id):
        if memory_id == "mara":
            raise OSError("the disk is gone")
        return get(memory_id)

    monkeypatch.setattr(registry, "get", only_tom)
    await agent.run("invoke", "Hello.", TOM)
    monkeypatch.undo()

    assert [str(error) for error in errors] == ["the disk is gone"]
    assert said(registry.get("mara")) == []
    assert said(registry.get("tom")) == [("user", "Hello."), ("assistant", "Hello, Tom.")]


async def test_a_summary_between_two_speakers(streetai, registry):
    """6.3: The message that failed was summarised away in the meantime; the record of the turn still has it."""
    checkpointer = InMemorySaver()
    agent = Agent(streetai, (ConnectionError("gone"),), checkpointer=checkpointer)
    with pytest.raises(ConnectionError):
        await agent.run("invoke", LOCKER, MARA)
    summary = HumanMessage("They talked.", additional_kwargs={"lc_source": "summarization"}, id="summary")
    agent.graph.update_state(MARA, {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES), summary]})
    await Agent(streetai, ("Hello, Tom.",), checkpointer=checkpointer).run("invoke", "Hello.", TOM)

    assert said(registry.get("mara")) == [("user", LOCKER)]
    assert said(registry.get("tom")) == [("user", "Hello."), ("assistant", "Hello, Tom.")]
