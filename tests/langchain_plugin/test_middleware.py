"""`memory.middleware()`: each user message is one recall, one stored turn, one learning step and two ticks."""

import asyncio
import json
from dataclasses import dataclass

import pytest
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.tools import tool
from langgraph.types import Command, interrupt
from pydantic import BaseModel

from streetai_core.encoders import HashingEncoder
from streetai_langchain import StreetAIMemory
from streetai_langchain.messages import from_stored
from tests.langchain_plugin.agents import (
    CONFIG,
    STYLES,
    Agent,
    calls,
    lessons,
    said,
    skip_async_before_python_3_11,
    tide,
)
from tests.langchain_plugin.conftest import FACT, QUESTION, REPLY, seed
from tests.langchain_plugin.scripted import ScriptedChatModel, text_of_prompt

TIDE_KIEL = ("tool", "the tide in Kiel is one metre")
LOOPS = {
    0: (REPLY,),
    1: (calls("Kiel"), REPLY),
    2: (calls("Kiel", text="Let me look."), calls("Aarhus", "Kiel"), REPLY),
}
TRAFFIC = {
    0: [],
    1: [("assistant", ""), TIDE_KIEL],
    2: [
        ("assistant", "Let me look."),
        TIDE_KIEL,
        ("assistant", ""),
        ("tool", "the tide in Aarhus is one metre"),
        TIDE_KIEL,
    ],
}


def clock(memory):
    """The memory's turn, and how many transactions there were."""
    stats = memory.stats()
    return stats["turn_counter"], stats["version"]


@pytest.mark.parametrize("loops", LOOPS)
@pytest.mark.parametrize("style", STYLES)
async def test_a_turn_is_one_of_everything(streetai, diary, recalls, style, loops):
    """6.1: However it is called, and however many tools it takes."""
    agent = Agent(streetai, LOOPS[loops])
    turn, version = clock(diary)

    await agent.run(style, QUESTION)

    assert recalls == [QUESTION]
    assert said(diary) == [("user", QUESTION), *TRAFFIC[loops], ("assistant", REPLY)]
    assert clock(diary) == (turn + 2, version + 1)
    recalled = agent.state()["streetai"]["StreetAIMemoryMiddleware"]["signal_ids"]
    assert len(recalled) > 0
    assert lessons(diary) == [1] * len(recalled)
    assert any(row.action == "boost" for name in recalled for row in diary.history(name))


@pytest.mark.parametrize("loops", LOOPS)
async def test_every_request_has_the_recalled_text_and_the_state_never(tmp_path, loops):
    """6.4, 6.5: Each model call of the turn, the same in all styles; the messages of the state are what was said."""
    seen = []
    for style in STYLES:
        with StreetAIMemory(tmp_path / f"{style}.db", embeddings=HashingEncoder()) as streetai:
            seed(streetai.registry)
            agent = Agent(streetai, LOOPS[loops])
            await agent.run(style, QUESTION)
            assert len(agent.model.prompts) == loops + 1
            for prompt in agent.model.prompts:
                assert text_of_prompt(prompt).count(FACT) == 1
                assert prompt[0].text.endswith(f"\n\n{QUESTION}")
            state = agent.state()
            assert "recalled" not in text_of_prompt(state["messages"])
            assert state["messages"][0].text == QUESTION
            assert json.loads(json.dumps(state["streetai"])) == state["streetai"]
            assert "streetai" not in agent.graph.output_schema.model_json_schema()["properties"]
            seen.append(agent.prompts)
    assert all(prompts == seen[0] for prompts in seen)


@pytest.mark.parametrize("style", STYLES)
async def test_nothing_recalled_is_an_identical_request(streetai, registry, style):
    """6.5: The model gets the very messages that it would get without a memory."""
    agent = Agent(streetai, ("Hello.", "Again."), agent_options={"system_prompt": "Be brief."})

    await agent.run(style, "Zzz?")
    await agent.run(style, "Zzz again?")

    kept = agent.state()["messages"]
    assert agent.model.prompts == [[SystemMessage("Be brief."), *kept[:1]], [SystemMessage("Be brief."), *kept[:3]]]
    assert lessons(registry.get("mara")) == []
    assert len(said(registry.get("mara"))) == 4


@pytest.mark.parametrize("style", STYLES)
async def test_a_model_error_loses_nothing(streetai, diary, recalls, style):
    """6.4: The user's message and the tool traffic are stored with the next turn; nothing is learned from silence."""
    agent = Agent(streetai, (calls("Kiel"), ConnectionError("gone"), REPLY))
    turn, version = clock(diary)

    with pytest.raises(ConnectionError):
        await agent.run(style, "Is the tide high?")
    assert clock(diary) == (turn, version)
    await agent.run(style, QUESTION)

    assert said(diary) == [
        ("user", "Is the tide high?"),
        ("assistant", ""),
        TIDE_KIEL,
        ("user", QUESTION),
        ("assistant", REPLY),
    ]
    assert clock(diary) == (turn + 3, version + 1)
    assert recalls == ["Is the tide high?", QUESTION]
    assert set(lessons(diary)) == {1}


@pytest.mark.parametrize("style", ["invoke", "ainvoke"])
async def test_a_run_that_goes_on_after_an_error_is_the_same_turn(streetai, diary, recalls, style):
    """6.1, 6.9: Without a new message the graph goes on where it failed, with what was recalled before."""
    agent = Agent(streetai, (ConnectionError("gone"), REPLY))
    with pytest.raises(ConnectionError):
        await agent.run(style, QUESTION)

    if style == "invoke":
        agent.graph.invoke(None, CONFIG)
    else:
        await agent.graph.ainvoke(None, CONFIG)

    assert recalls == [QUESTION]
    assert said(diary) == [("user", QUESTION), ("assistant", REPLY)]
    assert agent.prompts[0] == agent.prompts[1]
    assert set(lessons(diary)) == {1}


@pytest.mark.parametrize("style", ["stream", "astream"])
async def test_a_stream_that_is_closed_early_loses_no_message(streetai, diary, style):
    """6.4: The next turn stores the user's message that had no reply."""
    agent = Agent(streetai, ("Well, that is a long story.", REPLY))
    given = {"messages": [HumanMessage("Tell me a story.")]}
    turn, _ = clock(diary)

    if style == "stream":
        stream = agent.graph.stream(given, CONFIG, stream_mode="messages")
        next(stream)
        stream.close()
    else:
        stream = agent.graph.astream(given, CONFIG, stream_mode="messages")
        await anext(stream)
        await stream.aclose()
    assert said(diary) == []
    await agent.run(style, QUESTION)

    assert said(diary) == [("user", "Tell me a story."), ("user", QUESTION), ("assistant", REPLY)]
    assert clock(diary)[0] == turn + 3
    assert set(lessons(diary)) == {1}


@pytest.mark.parametrize("style", STYLES)
async def test_interrupt_and_resume_are_one_turn(streetai, diary, recalls, style):
    """6.1, 6.9: What was recalled before the interrupt is still there after it, for the request and for learning."""

    @tool
    def approve(plan: str) -> str:
        """Ask the user."""
        return f"{plan}: {interrupt(plan)}"

    asking = AIMessage("", tool_calls=[{"name": "approve", "args": {"plan": "sail"}, "id": "a"}])
    agent = Agent(streetai, (asking, REPLY), tools=[approve])
    turn, version = clock(diary)

    await agent.run(style, QUESTION)
    assert clock(diary) == (turn, version)
    await agent.run(style, Command(resume="yes"))

    assert recalls == [QUESTION]
    assert [FACT in text_of_prompt(prompt) for prompt in agent.model.prompts] == [True, True]
    assert said(diary)[1:] == [("assistant", ""), ("tool", "sail: yes"), ("assistant", REPLY)]
    assert clock(diary) == (turn + 2, version + 1)
    assert set(lessons(diary)) == {1}


class Boat(BaseModel):
    """A boat."""

    about: str


@pytest.mark.parametrize("style", STYLES)
async def test_a_structured_response_is_a_reply(streetai, diary, recalls, style):
    """6.1: It ends in tool traffic, advances the clock like any other reply and is learned from.

    It is stored as something the model says: as the result of a tool it would be trusted as little as a page.
    """
    answer = AIMessage("", tool_calls=[{"name": "Boat", "args": {"about": REPLY}, "id": "b"}])
    agent = Agent(streetai, (calls("Kiel"), answer), agent_options={"response_format": ToolStrategy(Boat)})
    turn, version = clock(diary)

    await agent.run(style, QUESTION)

    assert agent.state()["structured_response"] == Boat(about=REPLY)
    assert [role for role, _ in said(diary)] == ["user", "assistant", "tool", "assistant"]
    stored = diary.messages()[-1]
    assert (stored.content, stored.source, stored.trust) == (json.dumps({"about": REPLY}), "assistant", 1.0)
    assert recalls == [QUESTION]
    assert clock(diary) == (turn + 2, version + 1)
    assert set(lessons(diary)) == {1}
    credited = {
        signal.content: diary.history(signal.signal_id)[0]
        for signal in diary.signals
        if signal.turn < turn and diary.history(signal.signal_id)
    }
    best = max(credited, key=lambda content: credited[content].contribution)
    assert best == FACT.removeprefix("\nuser: ")
    assert credited[best].action != "demote"


async def test_a_tool_that_ends_the_run_is_no_reply_to_learn_from(streetai, diary):
    """It is stored and ends the turn for the clock."""

    @tool(return_direct=True)
    def chart(harbour: str) -> str:
        """A chart."""
        return f"chart of {harbour}"

    asking = AIMessage("", tool_calls=[{"name": "chart", "args": {"harbour": "Kiel"}, "id": "c"}])
    agent = Agent(streetai, (asking,), tools=[chart, tide])
    turn, _ = clock(diary)

    await agent.run("ainvoke", QUESTION)

    assert said(diary)[-1] == ("tool", "chart of Kiel")
    assert clock(diary)[0] == turn + 2
    assert lessons(diary) == []


async def test_what_is_stored_comes_back_as_it_was(streetai, diary):
    """6.8: The whole turn with calls, results and ids, as the agent's state has it."""
    agent = Agent(streetai, LOOPS[2])
    await agent.run("invoke", QUESTION)

    assert [from_stored(one) for one in diary.messages(conversation_id="t1")] == agent.state()["messages"]


async def test_several_turns_each_count_once(streetai, diary, recalls):
    """6.1, 6.2: Nothing of earlier turns is stored or learned again."""
    agent = Agent(streetai, (calls("Kiel"), REPLY, "Lena visits you.", calls("Kiel"), "No peanuts."))
    questions = [QUESTION, "When does my sister Lena visit?", "Which dish has no peanuts?"]
    for number, question in enumerate(questions):
        turn, version = clock(diary)
        await agent.run(STYLES[number], question)
        assert clock(diary) == (turn + 2, version + 1)

    assert recalls == questions
    assert [text for role, text in said(diary) if role == "user"] == questions
    assert len(said(diary)) == len(agent.state()["messages"]) == 10


async def test_twenty_sessions_at_once_are_kept_apart(streetai, registry):
    """6.3: Each hears of its own past only, and stores into its own memory only."""

    def answer(messages):
        return f"Noted: {messages[-1].text.rpartition('My secret word')[2]}"

    agent = Agent(streetai, model=ScriptedChatModel(reply=answer))
    for number in range(20):
        registry.get(f"user-{number}").add_message(f"My secret word of old is word{number}x, remember it.", "user")

    async def talk(number):
        config = {"configurable": {"thread_id": f"t{number}", "user_id": f"user-{number}"}}
        for _ in range(2):
            await agent.run("ainvoke", f"What is it? My secret word, I am {number}y.", config)

    await asyncio.gather(*(talk(number) for number in range(20)))

    for number in range(20):
        memory = registry.get(f"user-{number}")
        assert [role for role, _ in said(memory, f"t{number}")] == ["user", "assistant"] * 2
        assert all(f"{number}y" in text for _, text in said(memory, f"t{number}"))
    assert len(agent.model.prompts) == 40
    for prompt in agent.model.prompts:
        text = text_of_prompt(prompt)
        number = text.rpartition("I am ")[2].partition("y")[0]
        words = {word for word in text.replace(",", " ").split() if word.startswith("word") and word.endswith("x")}
        assert words == {f"word{number}x"}
    assert len(registry.ids()) == 20


@dataclass
class Context:
    """Who uses the app, as LangChain's newer way has it."""

    user_id: str


@pytest.mark.parametrize("style", ["invoke", "ainvoke"])
async def test_the_user_of_the_context_is_whose_memory_it_is(streetai, diary, recalls, style):
    """6.3: In the middleware, and in tools that look into the memory."""
    skip_async_before_python_3_11(
        style, "before Python 3.11 only newer versions of LangGraph give async tools a context"
    )
    search = streetai.tools()[0]
    searched = AIMessage("", tool_calls=[{"name": search.name, "args": {"query": QUESTION}, "id": "s"}])
    agent = Agent(streetai, (searched, REPLY, REPLY), tools=[search], agent_options={"context_schema": Context})
    config, asked = {"configurable": {"thread_id": "t1"}}, {"messages": [HumanMessage(QUESTION)]}
    if style == "invoke":
        agent.graph.invoke(asked, config, context=Context("mara"))
    else:
        await agent.graph.ainvoke(asked, config, context=Context("mara"))

    (found,) = [one.text for one in agent.state(config)["messages"] if one.type == "tool"]
    assert FACT.split(": ")[-1] in found
    assert set(lessons(diary)) == {1}
    assert streetai.registry.ids() == ["mara"]


def test_a_checkpoint_of_the_history_is_of_the_user_that_the_thread_had(streetai, diary):
    """6.3: What langgraph gives to go back to names the thread and no user."""
    agent = Agent(streetai, (REPLY, "About one metre forty."))
    agent.graph.invoke({"messages": [HumanMessage("Hello?", id="q-1")]}, CONFIG)
    start = next(one for one in agent.graph.get_state_history(CONFIG) if one.next == ("model",))
    edited = agent.graph.update_state(start.config, {"messages": [HumanMessage(QUESTION, id="q-2")]})
    assert "user_id" not in edited["configurable"]
    agent.graph.invoke(None, edited)

    assert ("assistant", "About one metre forty.") in said(diary)
    assert streetai.registry.ids() == ["mara"]
