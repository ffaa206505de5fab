"""What an agent has recalled, and is erased while its turn goes on."""

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from tests.langchain_plugin.agents import STYLES, Agent, said
from tests.langchain_plugin.conftest import DIARY, QUESTION, REPLY, seed
from tests.langchain_plugin.scripted import text_of_prompt

FACT = DIARY[2][1]


def deleted(memory):
    """One message is forgotten."""
    (fact,) = (one.message_id for one in memory.messages() if one.content == FACT)
    memory.forget(message=fact)


def hidden(memory):
    """One message is put into quarantine."""
    (fact,) = (one.message_id for one in memory.messages() if one.content == FACT)
    memory.quarantine(message=fact)


def edited(memory):
    """One message says something else now."""
    (fact,) = (one.message_id for one in memory.messages() if one.content == FACT)
    memory.update_message(fact, "My boat is blue.")


def erased(memory):
    """All is forgotten."""
    memory.forget(everything=True)


def in_process(path, erase):
    """By the application itself, or all that looks like another process."""
    with MemoryRegistry(path, encoder=HashingEncoder()) as other:
        erase(other.get("mara"))


@pytest.mark.parametrize("erase", [deleted, hidden, edited, erased])
@pytest.mark.parametrize("style", STYLES)
async def test_what_a_tool_erases_is_in_no_later_request_of_the_turn(streetai, style, erase):
    """The first request had it; the second one, after the tool, has it not, nor has the record of what was used."""
    seed(streetai.registry)
    path = streetai.registry.store.path

    @tool
    def remove() -> str:
        """Remove what the user wants to have removed."""
        in_process(path, erase)
        return "done"

    call = AIMessage("", tool_calls=[{"name": "remove", "args": {}, "id": "call-1"}])
    agent = Agent(streetai, (call, REPLY), tools=[remove])
    fact = agent.memory.retrieve(QUESTION)[0].signal
    assert fact.content == FACT

    await agent.run(style, QUESTION)

    first, second = agent.model.prompts
    assert FACT in text_of_prompt(first)
    assert FACT not in text_of_prompt(second)
    assert fact.signal_id not in str(agent.state())
    assert said(agent.memory) == [] if erase is erased else said(agent.memory)[-1] == ("assistant", REPLY)


@pytest.mark.parametrize("style", STYLES)
async def test_what_is_still_there_is_recalled_once(streetai, style):
    """Something else that is erased changes nothing: the later request is the first one with the tool's result."""
    seed(streetai.registry)
    path = streetai.registry.store.path
    streetai.registry.get("mara").add_message("The parrot is called Rio.", "user", message_id="parrot")

    @tool
    def remove() -> str:
        """Remove what the user wants to have removed."""
        in_process(path, lambda memory: memory.forget(message="parrot"))
        return "done"

    call = AIMessage("", tool_calls=[{"name": "remove", "args": {}, "id": "call-1"}])
    agent = Agent(streetai, (call, REPLY), tools=[remove], options={"token_budget": 75})

    await agent.run(style, QUESTION)

    first, second = agent.model.prompts
    assert FACT in first[-1].text
    assert "parrot" not in first[-1].text
    assert second[: len(first)] == first
