"""A memory inside a memory: the turn is recalled for, stored and learned from by the outer one alone."""

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

from streetai_langchain import StreetAIMemory
from tests.langchain_plugin.conftest import FACT, QUESTION, REPLY, spoken
from tests.langchain_plugin.scripted import ScriptedChatModel, script, text_of_prompt
from tests.langchain_plugin.ways import WAYS, invoke
from tests.learning import learning_steps

MARA = {"configurable": {"user_id": "mara", "session_id": "new"}}
SAID = [("user", QUESTION), ("assistant", REPLY)]
TEMPLATE = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{input}")])
KEYS = {"input_key": "input", "memory_key": "history"}


def in_chain(streetai, model):
    """A step of a chain."""
    return streetai.wrap(RunnableLambda(lambda asked: asked) | streetai.wrap(model)), QUESTION


def in_graph(streetai, model):
    """A node of a graph."""
    inner = streetai.wrap(model)

    def reply(state: MessagesState, config: RunnableConfig):
        return {"messages": [inner.invoke(state["messages"], config)]}

    graph = StateGraph(MessagesState).add_node(reply).add_edge(START, "reply").compile()
    return streetai.wrap(graph), {"messages": [HumanMessage(QUESTION)]}


NESTINGS = {
    "wrapped twice": lambda streetai, model: (streetai.wrap(streetai.wrap(model)), QUESTION),
    "by another object": lambda streetai, model: (
        streetai.wrap(StreetAIMemory(streetai.registry).wrap(model)),
        QUESTION,
    ),
    "with keys": lambda streetai, model: (
        streetai.wrap(streetai.wrap(TEMPLATE | model, **KEYS), **KEYS),
        {"input": QUESTION},
    ),
    "a step of a chain": in_chain,
    "an agent": lambda streetai, model: (
        streetai.wrap(create_agent(model, [], middleware=[streetai.middleware()])),
        {"messages": [HumanMessage(QUESTION)]},
    ),
    "a node": in_graph,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("nesting", NESTINGS)
async def test_the_turn_is_stored_once(diary, streetai, way, nesting):
    """6.4: And as it was said: what the outer one recalls is part of what the inner one is asked."""
    model = ScriptedChatModel(reply=script(REPLY))
    chat, asked = NESTINGS[nesting](streetai, model)

    await way(chat, asked, MARA)

    assert spoken(diary, "new") == SAID
    assert set(learning_steps(diary).values()) == {1}
    [prompt] = model.prompts
    assert text_of_prompt(prompt).count(FACT) == 1
    assert prompt[-1].text.endswith(QUESTION)


def test_another_conversation_is_stored_too(diary, streetai, registry):
    """An assistant with a memory of its own inside one that has another."""
    inner = streetai.wrap(ScriptedChatModel(reply=script(REPLY)), session_id="inner", user_id="tom")
    streetai.wrap(RunnableLambda(lambda _: QUESTION) | inner).invoke(QUESTION, MARA)

    assert spoken(diary, "new") == SAID
    assert spoken(registry.get("tom"), "inner") == SAID


def test_an_agent_that_keeps_its_state(diary, streetai):
    """A turn that it had by itself is over, and what it is told by a wrapped chain then is stored by that alone."""
    model = ScriptedChatModel(reply=script("Ahoy.", REPLY, "Well."))
    agent = create_agent(model, [], middleware=[streetai.middleware()], checkpointer=InMemorySaver())
    thread = {"configurable": {"user_id": "mara", "thread_id": "new"}}
    chat = streetai.wrap(
        RunnableLambda(lambda asked, config: agent.invoke({"messages": asked[-1:]}, config)["messages"][-1])
    )

    agent.invoke({"messages": [HumanMessage("Hello!")]}, thread)
    chat.invoke([HumanMessage(QUESTION)], thread)

    assert spoken(diary, "new") == [("user", "Hello!"), ("assistant", "Ahoy."), *SAID]


async def test_a_config_of_an_earlier_run_is_no_nesting(diary, streetai):
    """The next turn is stored, with whatever config the chain was called before."""
    chat = streetai.wrap(ScriptedChatModel(reply=script(REPLY, REPLY)))
    for _ in range(2):
        await invoke(chat, QUESTION, MARA)
    assert spoken(diary, "new") == SAID * 2
