"""`memory.wrap` when the memory fails, and on an event loop that must go on."""

import asyncio

import pytest
from langchain_core.runnables import RunnableLambda

from streetai_core.encoders import HashingEncoder
from streetai_langchain import StreetAIMemory
from tests.langchain_plugin.conftest import QUESTION, REPLY, seed, spoken
from tests.langchain_plugin.scripted import ScriptedChatModel, script
from tests.langchain_plugin.test_classic_failures import BreakableEncoder
from tests.langchain_plugin.test_concurrency import HeldEncoder, while_held
from tests.langchain_plugin.ways import CUTS, WAYS, ainvoke, astream

MARA = {"configurable": {"user_id": "mara", "session_id": "new"}}
SAID = [("user", QUESTION), ("assistant", REPLY)]


@pytest.mark.parametrize("way", WAYS)
async def test_a_failing_memory_costs_no_reply(registry, way):
    """Recall and storing fail, each is reported once, and the reply comes."""
    errors = []
    chat = StreetAIMemory(registry, on_error=errors.append).wrap(ScriptedChatModel(reply=script(REPLY)))
    registry.close()

    assert (await way(chat, QUESTION, MARA)).text == REPLY
    assert [type(error).__name__ for error in errors] == ["ClosedError"] * 2


@pytest.mark.parametrize("way", CUTS)
async def test_a_failing_memory_does_not_disturb_a_cut(registry, way):
    """Closing the stream raises nothing."""
    errors = []
    chat = StreetAIMemory(registry, on_error=errors.append).wrap(ScriptedChatModel(reply=script(REPLY)))
    registry.close()

    assert (await way(chat, QUESTION, MARA)).text == "The draught"
    assert [type(error).__name__ for error in errors] == ["ClosedError"] * 2


@pytest.mark.parametrize("way", [ainvoke, astream])
async def test_a_failure_to_learn_does_not_lose_the_turn(tmp_path, way):
    """The exchange is stored all the same."""
    encoder, errors = BreakableEncoder(), []
    # Two sentences, which are stored as one chunk and compared one by one: the chunk is known, the sentences are not.
    reply = "Your boat has a draught. It is one metre forty."
    with StreetAIMemory(tmp_path / "memory.db", embeddings=encoder, on_error=errors.append) as streetai:
        memory = seed(streetai.registry)
        streetai.registry.encoder.encode([reply, QUESTION])
        memory.build_prompt(QUESTION)
        encoder.broken = True

        assert (await way(streetai.wrap(ScriptedChatModel(reply=script(reply))), QUESTION, MARA)).text == reply

        assert spoken(memory, "new") == [("user", QUESTION), ("assistant", reply)]
        assert [type(error).__name__ for error in errors] == ["EncoderError"]


async def test_the_event_loop_goes_on_while_the_encoder_works(tmp_path):
    """Recall, storing, learning, and storing after a model's error; of the chain, the retriever and a tool."""
    encoder, errors = HeldEncoder(), []
    with StreetAIMemory(tmp_path / "memory.db", embeddings=encoder, on_error=errors.append) as streetai:
        memory = seed(streetai.registry)
        failure = ConnectionError("no answer")
        replies = script("As you said. Ahoy.", "One metre. And forty.", "Learn this. One metre.", failure)
        chat = streetai.wrap(ScriptedChatModel(reply=replies))

        await while_held(encoder, QUESTION, chat.ainvoke(QUESTION, MARA))
        await while_held(encoder, "One metre. And forty.", chat.ainvoke(f"Again: {QUESTION}", MARA))
        await while_held(encoder, "Learn this.", astream(chat, f"Once more: {QUESTION}", MARA))
        with pytest.raises(ConnectionError):
            await while_held(encoder, "Lost?", chat.ainvoke("Lost?", MARA))
        await while_held(encoder, "A boat?", streetai.retriever().ainvoke("A boat?", MARA))
        search = streetai.tools()[0]
        await while_held(encoder, "A harbour?", search.ainvoke({"query": "A harbour?"}, MARA))
        await while_held(
            encoder, "Explicitly.", streetai.apost_process("new", memory.signals[:1], "Explicitly.", user_id="mara")
        )

        assert spoken(memory, "new")[-1] == ("user", "Lost?")
    assert errors == []


@pytest.mark.parametrize("way", [ainvoke, astream])
async def test_a_cancelled_run_keeps_the_user_s_message(diary, streetai, way):
    """Somebody pressed stop before the first word came."""
    waiting = asyncio.Event()

    async def never(_):
        waiting.set()
        await asyncio.Event().wait()

    def not_called(_):
        raise AssertionError("the sync form was called")

    chat = streetai.wrap(RunnableLambda(not_called, afunc=never))
    task = asyncio.ensure_future(way(chat, QUESTION, MARA))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert spoken(diary, "new") == SAID[:1]


async def test_making_things_does_no_io(tmp_path):
    """No file appears before something is stored; a question to an empty memory makes none either."""
    with StreetAIMemory(tmp_path / "memory.db", embeddings=HashingEncoder()) as streetai:
        chat = streetai.wrap(ScriptedChatModel(reply=script(REPLY)), session_id="s1")
        streetai.retriever("s1")
        streetai.tools("s1")

        assert list(tmp_path.iterdir()) == []
        chat.invoke(QUESTION)
        assert (tmp_path / "memory.db").exists()
