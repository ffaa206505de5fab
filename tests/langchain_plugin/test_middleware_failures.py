"""`memory.middleware()` when the memory fails."""

import logging

import pytest

from streetai_core import Config
from streetai_langchain import StreetAIMemory
from tests.encoders.failing import Breakable
from tests.langchain_plugin.agents import STYLES, Agent, calls, lessons, said
from tests.langchain_plugin.conftest import FACT, QUESTION, REPLY, seed
from tests.langchain_plugin.scripted import text_of_prompt


@pytest.fixture(params=[Config(strategy="vector")])
def breakable(request, tmp_path):
    """A facade over an encoder that can be broken, and the errors that it reported; recall is by meaning alone."""
    errors = []
    encoder = Breakable()
    path = tmp_path / "breakable.db"
    with StreetAIMemory(path, config=request.param, embeddings=encoder, on_error=errors.append) as streetai:
        seed(streetai.registry)
        yield streetai, encoder, errors


@pytest.mark.parametrize("style", STYLES)
async def test_a_broken_engine_costs_no_reply(breakable, caplog, style):
    """6.7: Two failures, each logged once and reported; the turn is stored with the next one, if the engine is back."""
    streetai, encoder, errors = breakable
    agent = Agent(streetai, (calls("Kiel"), "I cannot remember.", REPLY))
    turn = agent.memory.stats()["turn_counter"]
    encoder.broken = True

    with caplog.at_level(logging.WARNING, logger="streetai_langchain"):
        await agent.run(style, QUESTION)

    assert agent.state()["messages"][-1].text == "I cannot remember."
    assert [type(error).__name__ for error in errors] == ["EncoderError"] * 2
    assert len(caplog.records) == 2
    assert said(agent.memory) == []
    assert "recalled" not in text_of_prompt(agent.model.prompts[0])
    encoder.broken = False
    await agent.run(style, "And the draught of my boat?")

    assert [role for role, _ in said(agent.memory)] == ["user", "assistant", "tool", "assistant", "user", "assistant"]
    assert agent.memory.stats()["turn_counter"] == turn + 4
    assert FACT in agent.model.prompts[-1][-1].text
    assert set(lessons(agent.memory)) == {1}
    assert len(errors) == 2


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("breakable", [Config()], indirect=True)
async def test_without_the_encoder_words_still_recall(breakable, caplog, style):
    """6.7: The request has the fact, found by its words, and the turn is stored; the log says so, nothing failed."""
    streetai, encoder, errors = breakable
    agent = Agent(streetai, (REPLY,))
    encoder.broken = True

    await agent.run(style, QUESTION)

    assert FACT in agent.model.prompts[0][-1].text
    assert agent.state()["messages"][-1].text == REPLY
    assert errors == []
    (told,) = (record.getMessage() for record in caplog.records)
    assert "answered by words alone" in told
    assert said(agent.memory) == [("user", QUESTION), ("assistant", REPLY)]


async def test_a_closed_registry_costs_no_reply(breakable):
    """6.7: Even then the agent answers."""
    streetai, _, errors = breakable
    agent = Agent(streetai, (REPLY, REPLY))
    streetai.registry.close()

    await agent.run("invoke", QUESTION)
    await agent.run("ainvoke", QUESTION)

    assert agent.state()["messages"][-1].text == REPLY
    assert [type(error).__name__ for error in errors] == ["ClosedError"] * 4


async def test_a_failing_callback_is_logged_only(breakable, caplog):
    """6.7: `on_error` cannot break a conversation either."""
    streetai, encoder, _ = breakable

    def fail(_):
        raise LookupError("callback")

    streetai.on_error = fail
    encoder.broken = True
    agent = Agent(streetai, (REPLY,))
    await agent.run("ainvoke", QUESTION)

    assert agent.state()["messages"][-1].text == REPLY
    assert [record.getMessage() for record in caplog.records].count("on_error failed") == 2
