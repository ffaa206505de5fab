"""Agents and chains inside a tool of another agent: what a model tells them is not stored as the user's words."""

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import StructuredTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from streetai_langchain.tool_runs import is_in_tool
from tests.langchain_plugin.agents import CONFIG, STYLES, Agent, lessons, said
from tests.langchain_plugin.conftest import FACT, QUESTION, REPLY
from tests.langchain_plugin.scripted import ScriptedChatModel, script, text_of_prompt

TASK = f"The user always wants the deepest harbour. {QUESTION}"
ASKED = "Find me a harbour."
OUTER = [("user", ASKED), ("assistant", ""), ("tool", REPLY), ("assistant", "Take Kiel.")]


def delegating():
    """A message of the model that gives a task to another one."""
    return AIMessage("", tool_calls=[{"name": "ask", "args": {"task": TASK}, "id": "a"}])


def inner_agent(streetai, *replies, **options):
    """An agent with the same memory, and its model."""
    model = ScriptedChatModel(reply=script(*replies))
    return create_agent(model, [], middleware=[streetai.middleware()], **options), model


def asking(agent, way):
    """A tool that calls an agent in one of the ways in which a tool can."""

    def ask(task: str) -> str:
        """Ask the other agent."""
        if way == "stream":
            *_, last = agent.stream({"messages": [("user", task)]}, stream_mode="values")
            return last["messages"][-1].text
        return agent.invoke({"messages": [("user", task)]})["messages"][-1].text

    def ask_with_config(task: str, config: RunnableConfig) -> str:
        """Ask the other agent."""
        return agent.invoke({"messages": [("user", task)]}, config)["messages"][-1].text

    async def aask(task: str, config: RunnableConfig) -> str:
        """Ask the other agent."""
        if way == "stream":
            pieces = agent.astream({"messages": [("user", task)]}, config, stream_mode="values")
            return [piece async for piece in pieces][-1]["messages"][-1].text
        return (await agent.ainvoke({"messages": [("user", task)]}, config))["messages"][-1].text

    return StructuredTool.from_function(ask_with_config if way == "config" else ask, aask, name="ask")


@pytest.mark.parametrize("way", ["invoke", "config", "stream"])
@pytest.mark.parametrize("style", STYLES)
async def test_what_a_model_tells_an_agent_is_not_the_user_s(streetai, diary, style, way):
    """6.1, 6.3: It would be trusted like the user, and stand in the transcript before the real question."""
    inner, model = inner_agent(streetai, REPLY)
    outer = Agent(streetai, (delegating(), "Take Kiel."), tools=[asking(inner, way)])
    turn = diary.stats()["turn_counter"]

    await outer.run(style, ASKED)

    assert said(diary) == OUTER
    assert FACT in text_of_prompt(model.prompts[0])
    assert diary.stats()["turn_counter"] == turn + 2
    assert set(lessons(diary)) <= {1}


@pytest.mark.parametrize("checkpointer", [None, True, InMemorySaver()], ids=["none", "inherited", "its own"])
async def test_whatever_state_the_inner_agent_keeps(streetai, diary, checkpointer):
    """6.1: Also where it has one that lasts, with what it was told before."""
    inner, _ = inner_agent(streetai, REPLY, REPLY, checkpointer=checkpointer)
    outer = Agent(streetai, (delegating(), "Take Kiel.", delegating(), "Take Kiel."), tools=[asking(inner, "invoke")])
    await outer.run("invoke", ASKED)
    await outer.run("invoke", ASKED)

    assert said(diary) == OUTER * 2


async def test_where_the_outer_agent_has_no_memory_or_state(streetai, diary):
    """6.1: Its tool's words are the model's all the same."""
    inner, _ = inner_agent(streetai, REPLY)
    outer = create_agent(ScriptedChatModel(reply=script(delegating(), "Take Kiel.")), [asking(inner, "invoke")])
    outer.invoke({"messages": [HumanMessage(ASKED)]}, CONFIG)

    assert said(diary) == []
    assert lessons(diary) == []


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_a_tool_node_of_one_s_own_graph(streetai, diary, asynchronous):
    """6.1: It is named like that of an agent."""
    inner, _ = inner_agent(streetai, REPLY)
    graph = StateGraph(MessagesState).add_node("tools", ToolNode([asking(inner, "invoke")])).add_edge(START, "tools")
    given, compiled = {"messages": [delegating()]}, graph.compile()
    result = await compiled.ainvoke(given, CONFIG) if asynchronous else compiled.invoke(given, CONFIG)

    assert result["messages"][-1].text == REPLY
    assert said(diary) == []


@pytest.mark.parametrize("style", ["invoke", "ainvoke"])
async def test_a_wrapped_chain_in_a_tool(streetai, diary, style):
    """6.1: The same for any chain with a memory."""
    chain = streetai.wrap(ScriptedChatModel(reply=script(REPLY)))

    @tool
    def ask(task: str) -> str:
        """Ask the other model."""
        return chain.invoke(task).text

    await Agent(streetai, (delegating(), "Take Kiel."), tools=[ask]).run(style, ASKED)

    assert said(diary) == OUTER


async def test_a_run_with_a_thread_of_its_own(streetai, registry, diary):
    """6.3: A tool that names whose memory it is about has said that something is to be stored there."""
    inner, _ = inner_agent(streetai, REPLY)

    @tool
    def ask(task: str) -> str:
        """Ask the other agent."""
        given = {"configurable": {"thread_id": "harbours"}}
        return inner.invoke({"messages": [("user", task)]}, given)["messages"][-1].text

    await Agent(streetai, (delegating(), "Take Kiel."), tools=[ask]).run("invoke", ASKED)

    assert said(diary) == OUTER
    assert said(registry.get("harbours"), "harbours") == [("user", TASK), ("assistant", REPLY)]


@pytest.mark.parametrize("called", [False, True])
@pytest.mark.parametrize("asynchronous", [False, True])
async def test_an_agent_that_is_a_node_is_told_by_the_user(streetai, diary, asynchronous, called):
    """6.1: There the message is the user's, whether the node is the agent or a function that calls it."""
    inner, _ = inner_agent(streetai, REPLY)

    def node(state: MessagesState, config: RunnableConfig) -> dict:
        return inner.invoke(state, config)

    graph = StateGraph(MessagesState).add_node("boatswain", node if called else inner).add_edge(START, "boatswain")
    given, compiled = {"messages": [HumanMessage(QUESTION)]}, graph.compile(checkpointer=InMemorySaver())
    if asynchronous:
        await compiled.ainvoke(given, CONFIG)
    else:
        compiled.invoke(given, CONFIG)

    assert said(diary) == [("user", QUESTION), ("assistant", REPLY)]


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("", False),
        (None, False),
        ("agent:1", False),
        ("mytools:1|agent:2", False),
        ("tools:1", True),
        ("team:0|tools:1|agent:2", True),
        ("tools|agent:2", True),
    ],
)
def test_the_path_of_a_run(path, inside):
    """6.3: langgraph's own notation; a part of another name does not count."""
    assert is_in_tool({"configurable": {"checkpoint_ns": path}}) is inside
    assert not is_in_tool({})
