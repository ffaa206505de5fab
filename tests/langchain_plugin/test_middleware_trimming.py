"""What another middleware takes out of the request can be recalled: by trimming, summarizing or clearing."""

import pytest
from langchain.agents.middleware import (
    AgentMiddleware,
    ClearToolUsesEdit,
    ContextEditingMiddleware,
    SummarizationMiddleware,
    before_model,
)
from langchain_core.messages import RemoveMessage, trim_messages
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from tests.langchain_plugin.agents import STYLES, Agent, calls
from tests.langchain_plugin.conftest import REPLY
from tests.langchain_plugin.scripted import ScriptedChatModel

TOLD = "My anchor is called Bertha and weighs twelve kilograms."
ASKED = "How many kilograms does my anchor Bertha weigh?"


def last_ones(messages):
    """The end of a conversation, as the documentation of LangChain trims it."""
    return trim_messages(messages, max_tokens=3, token_counter=len, strategy="last", start_on="human")


@before_model
def in_the_state(state, _):
    """Each time before the model is called, for good."""
    return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *last_ones(state["messages"])]}


class InTheRequest(AgentMiddleware):
    """The state keeps everything."""

    def wrap_model_call(self, request, handler):
        """Send the end."""
        return handler(request.override(messages=last_ones(request.messages)))

    async def awrap_model_call(self, request, handler):
        """The same."""
        return await handler(request.override(messages=last_ones(request.messages)))


def by_a_summary():
    """Once there are too many; the summary says nothing of it."""
    model = ScriptedChatModel(reply=lambda _: "They talked.")
    return SummarizationMiddleware(model, trigger=("messages", 5), keep=("messages", 2))


WAYS = {"in the state": lambda: in_the_state, "in the request": InTheRequest, "by a summary": by_a_summary}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("way", WAYS)
async def test_what_was_trimmed_is_recalled(streetai, diary, way, style):
    """If it fails, what was said before is neither sent nor recalled: the agent has lost its memory by having one."""
    agent = Agent(streetai, model=ScriptedChatModel(reply=lambda _: REPLY), middleware=[WAYS[way]()])
    await agent.run(style, TOLD)
    for number in range(3):
        await agent.run(style, f"We talk about the weather of day {number}.")
    await agent.run(style, ASKED)

    said = [message.text for message in agent.model.prompts[-1]]
    assert TOLD not in said
    assert f"user: {TOLD}\n" in said[-1]


async def test_what_was_cleared_is_recalled(streetai, diary):
    """If it fails, a tool result that was cleared to save tokens is lost to the rest of the conversation."""
    clear = ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=1, keep=0)])
    agent = Agent(streetai, (calls("Kiel"), "High.", REPLY), middleware=[clear])
    await agent.run("invoke", "The tide in Kiel?")
    await agent.run("invoke", "How high was the tide in Kiel?")

    [*before, asked] = agent.model.prompts[-1]
    assert "[cleared]" in [message.text for message in before]
    assert "tide (tool)" in asked.text
