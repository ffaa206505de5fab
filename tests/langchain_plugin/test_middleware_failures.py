"""`memory.middleware()` when the memory fails, and what it does to an event loop: nothing."""

import asyncio
import logging
import threading

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_core.stores.sqlite import SqliteStore
from streetai_langchain import StreetAIMemory
from tests.langchain_plugin.agents import STYLES, Agent, calls, lessons, said
from tests.langchain_plugin.conftest import FACT, QUESTION, REPLY, seed
from tests.langchain_plugin.scripted import text_of_prompt


class BreakableEncoder(HashingEncoder):
    """The hashing encoder, until it is broken."""

    broken = False

    def embed(self, texts, kind):
        """Fail if broken."""
        if self.broken:
            raise OSError("the model is gone")
        return super().embed(texts, kind)


@pytest.fixture
def breakable(tmp_path):
    """A facade over an encoder that can be broken, and the errors that it reported."""
    errors = []
    encoder = BreakableEncoder()
    with StreetAIMemory(tmp_path / "breakable.db", embeddings=encoder, on_error=errors.append) as streetai:
        seed(streetai.registry)
        yield streetai, encoder, errors


@pytest.mark.parametrize("style", STYLES)
async def test_a_broken_engine_costs_no_reply(breakable, caplog, style):
    """Two failures, each logged once and reported; the turn is stored with the next one, when the engine is back."""
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


async def test_a_closed_registry_costs_no_reply(breakable):
    """Even then the agent answers."""
    streetai, _, errors = breakable
    agent = Agent(streetai, (REPLY, REPLY))
    streetai.registry.close()

    await agent.run("invoke", QUESTION)
    await agent.run("ainvoke", QUESTION)

    assert agent.state()["messages"][-1].text == REPLY
    assert [type(error).__name__ for error in errors] == ["ClosedError"] * 4


async def test_a_failing_callback_is_logged_only(breakable, caplog):
    """`on_error` cannot break a conversation either."""
    streetai, encoder, _ = breakable

    def fail(_):
        raise LookupError("callback")

    streetai.on_error = fail
    encoder.broken = True
    agent = Agent(streetai, (REPLY,))
    await agent.run("ainvoke", QUESTION)

    assert agent.state()["messages"][-1].text == REPLY
    assert [record.getMessage() for record in caplog.records].count("on_error failed") == 2


async def test_the_loop_is_never_blocked(tmp_path):
    """Encoder and database are only ever used on other threads than the loop's, in whole turns with tools."""
    threads = set()

    class WatchedEncoder(HashingEncoder):
        """Notes where it works."""

        def embed(self, texts, kind):
            threads.add(("encoder", threading.get_ident()))
            return super().embed(texts, kind)

    class WatchedStore(SqliteStore):
        """The same."""

        def reading(self, memory_id):
            threads.add(("store", threading.get_ident()))
            return super().reading(memory_id)

        def writing(self, memory_id):
            threads.add(("store", threading.get_ident()))
            return super().writing(memory_id)

    with MemoryRegistry(WatchedStore(tmp_path / "m.db"), encoder=WatchedEncoder()) as registry:
        await asyncio.to_thread(seed, registry)
        agent = Agent(StreetAIMemory(registry), (calls("Kiel"), REPLY, REPLY))
        await agent.run("ainvoke", QUESTION)
        await agent.run("astream", "And when does my sister Lena visit me?")

        assert {what for what, _ in threads} == {"encoder", "store"}
        assert threading.get_ident() not in {ident for _, ident in threads}
        assert len(await registry.get("mara").amessages(conversation_id="t1")) == 6
