"""`memory.middleware(window=...)`: requests stay small while the agent's state grows."""

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from streetai_langchain.agent_turns import window_start
from tests.langchain_plugin.agents import CONFIG, Agent, calls, said
from tests.langchain_plugin.conftest import QUESTION, REPLY
from tests.langchain_plugin.scripted import ScriptedChatModel


def echo(messages):
    """A reply that depends on the question."""
    return f"About {messages[-1].text[-20:]}"


async def test_a_window_keeps_requests_small_while_the_state_grows(streetai, diary):
    """The last messages as they are, what was before them by recall, and all of it in the state."""
    agent = Agent(streetai, model=ScriptedChatModel(reply=echo), options={"window": 3})
    fact = "My anchor is called Bertha and weighs twelve kilograms."
    await agent.run("invoke", fact)
    for number in range(6):
        await agent.run("ainvoke", f"We talk about the weather of day {number}.")
    await agent.run("stream", "How many kilograms does my anchor Bertha weigh?")

    assert [len(prompt) for prompt in agent.model.prompts] == [1, *[3] * 7]
    last = agent.model.prompts[-1]
    assert [one.type for one in last] == ["human", "ai", "human"]
    assert f"user: {fact}\n" in last[-1].text
    assert last[:2] == agent.state()["messages"][-4:-2]
    assert len(agent.state()["messages"]) == 16


async def test_a_thread_that_is_older_than_its_memory(streetai, diary):
    """What was said in it is given to the memory by its transcript, which may be done again, and is recalled then."""
    checkpointer, fact = InMemorySaver(), "My anchor is called Bertha and weighs twelve kilograms."
    model = ScriptedChatModel(reply=echo)
    before = create_agent(model, checkpointer=checkpointer)
    for asked in (fact, "We talk about the weather."):
        before.invoke({"messages": [HumanMessage(asked)]}, CONFIG)

    agent = Agent(streetai, model=model, options={"window": 1}, checkpointer=checkpointer)
    for _ in range(2):
        streetai.chat_history("t1", user_id="mara").add_messages(agent.state()["messages"])
        await agent.run("invoke", "How many kilograms does my anchor Bertha weigh?")

    [prompt] = agent.model.prompts[2:3]
    assert f"user: {fact}\n" in prompt[0].text
    assert [text for role, text in said(diary) if role == "user"] == [
        fact,
        "We talk about the weather.",
        *["How many kilograms does my anchor Bertha weigh?"] * 2,
    ]


async def test_a_window_keeps_tool_traffic_whole(streetai, diary):
    """6.8: Of an exchange that does not fit all is left out; the traffic of the current turn is always there."""
    agent = Agent(streetai, (calls("Kiel"), "One metre.", calls("Aarhus"), calls("Kiel"), REPLY), options={"window": 4})
    await agent.run("invoke", "The tide in Kiel?")
    await agent.run("invoke", QUESTION)

    assert [[one.type for one in prompt] for prompt in agent.model.prompts[2:]] == [
        ["human"],
        ["human", "ai", "tool"],
        ["human", "ai", "tool", "ai", "tool"],
    ]


def test_where_a_window_starts():
    """By hand: human at 0, 3 and 4; the question is at 4."""
    messages = [HumanMessage("a"), calls("Kiel"), AIMessage("b"), HumanMessage("c"), HumanMessage("d"), calls("Kiel")]
    starts = [window_start(messages, 4, window) for window in (None, 1, 2, 3, 4, 5, 6)]
    assert starts == [0, 4, 3, 3, 3, 0, 0]
    assert window_start(messages, None, 1) == 0
