"""Two hundred runs of twenty users at once on one agent with one middleware."""

from langchain_core.messages import HumanMessage

from tests.langchain_plugin.agents import Agent, calls
from tests.langchain_plugin.load import (
    RUNS,
    RUNS_OF_A_USER,
    USERS,
    answer,
    at_once,
    check_learning,
    check_prompts,
    clock,
    plant,
    question,
    reply,
    secrets_in,
    user,
)
from tests.langchain_plugin.scripted import ScriptedChatModel


async def test_an_agent_mixes_nobody_up(streetai, registry):
    """A user hears of somebody else, or a turn with a tool is lost, doubled or learned from twice, under load."""
    plant(registry)
    model = ScriptedChatModel(
        reply=lambda messages: calls("Kiel") if isinstance(messages[-1], HumanMessage) else reply(messages)
    )
    graph = Agent(streetai, model=model).graph

    def given(number):
        config = {"configurable": {"user_id": user(number), "thread_id": f"thread-{number}"}}
        return {"messages": [HumanMessage(question(number))]}, config

    states = await at_once(lambda number: graph.invoke(*given(number)), lambda number: graph.ainvoke(*given(number)))

    assert [state["messages"][-1].text for state in states] == [answer(number) for number in range(RUNS)]
    assert not any(secrets_in(state["messages"][0].text) for state in states)
    check_prompts(model.prompts, calls=2)
    for number in range(RUNS):
        said = registry.get(user(number)).messages(conversation_id=f"thread-{number}")
        assert [message.role for message in said] == ["user", "assistant", "tool", "assistant"]
        assert (said[0].content, said[-1].content) == (question(number), answer(number))
    check_learning(registry)
    assert clock(registry) == {2 * RUNS_OF_A_USER}
    assert registry.ids() == [user(number) for number in range(USERS)]
