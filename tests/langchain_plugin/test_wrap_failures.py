"""`memory.wrap` when the memory fails, or the caller gives up."""

import asyncio
import gc
import threading

import pytest
from langchain_core.runnables import RunnableLambda

from streetai_core.encoders import HashingEncoder
from streetai_langchain import StreetAIMemory
from tests.collector import left_to_collector
from tests.encoders.failing import Breakable
from tests.forks import PATIENCE, held_elsewhere
from tests.langchain_plugin.conftest import QUESTION, REPLY, seed, spoken
from tests.langchain_plugin.scripted import ScriptedChatModel, script
from tests.langchain_plugin.test_classic_failures import LEARNS_BY_MEANING, SENTENCES
from tests.langchain_plugin.ways import CUTS, WAYS, ainvoke, astream

MARA = {"configurable": {"user_id": "mara", "session_id": "new"}}
SAID = [("user", QUESTION), ("assistant", REPLY)]


@pytest.mark.parametrize("way", WAYS)
async def test_a_failing_memory_costs_no_reply(registry, way):
    """6.7: Recall and storing fail, each is reported once, and the reply comes."""
    errors = []
    chat = StreetAIMemory(registry, on_error=errors.append).wrap(ScriptedChatModel(reply=script(REPLY)))
    registry.close()

    assert (await way(chat, QUESTION, MARA)).text == REPLY
    assert [type(error).__name__ for error in errors] == ["ClosedError"] * 2


@pytest.mark.parametrize("way", CUTS)
async def test_a_failing_memory_does_not_disturb_a_cut(registry, way):
    """6.7: Closing the stream raises nothing."""
    errors = []
    chat = StreetAIMemory(registry, on_error=errors.append).wrap(ScriptedChatModel(reply=script(REPLY)))
    registry.close()

    assert (await way(chat, QUESTION, MARA)).text == "The draught"
    registry.later.finish()
    assert [type(error).__name__ for error in errors] == ["ClosedError"] * 2


@pytest.mark.parametrize("way", [ainvoke, astream])
async def test_a_failure_to_learn_does_not_lose_the_turn(tmp_path, way):
    """6.7: The exchange is stored all the same."""
    encoder, errors = Breakable(), []
    # Stored as two chunks, and learned from as a whole: the chunks are known to the encoder's cache, the whole is not.
    reply = " ".join(SENTENCES)
    with StreetAIMemory(
        tmp_path / "memory.db", config=LEARNS_BY_MEANING, embeddings=encoder, on_error=errors.append
    ) as streetai:
        memory = seed(streetai.registry)
        streetai.registry.encoder.encode([*SENTENCES, QUESTION])
        memory.build_prompt(QUESTION)
        encoder.broken = True

        assert (await way(streetai.wrap(ScriptedChatModel(reply=script(reply))), QUESTION, MARA)).text == reply

        assert spoken(memory, "new") == [("user", QUESTION), ("assistant", reply)]
        assert [type(error).__name__ for error in errors] == ["EncoderError"]


@pytest.mark.parametrize("way", [ainvoke, astream])
async def test_a_cancelled_run_keeps_the_user_s_message(diary, streetai, way):
    """6.4: Somebody pressed stop before the first word came."""
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


@pytest.mark.parametrize("turns", range(5))
@pytest.mark.parametrize("way", [ainvoke, astream])
async def test_a_run_that_is_cancelled_again_while_it_ends(tmp_path, way, turns):
    """Somebody presses stop twice: what is being stored is stored all the same."""
    path = tmp_path / "memory.db"
    with StreetAIMemory(path, embeddings=HashingEncoder()) as streetai:
        waiting = asyncio.Event()

        async def never(_):
            waiting.set()
            await asyncio.Event().wait()

        task = asyncio.ensure_future(way(streetai.wrap(RunnableLambda(str, afunc=never)), QUESTION, MARA))
        await waiting.wait()
        task.cancel()
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.to_thread(streetai.registry.executor.shutdown)
    with StreetAIMemory(path, embeddings=HashingEncoder()) as streetai:
        assert spoken(streetai.registry.get("mara"), "new") == SAID[:1]


def abandon(chat):
    """Leave a stream to the garbage collector."""
    left_to_collector(chat.stream(QUESTION, MARA), read=2)


def close_abandoned(_):
    """What the collector does with it."""
    gc.collect()


def leave_open(chat):
    """A stream of a loop that stands still."""
    loop = asyncio.new_event_loop()

    async def read():
        pieces = chat.astream(QUESTION, MARA)
        await anext(pieces)
        await anext(pieces)
        return pieces

    return loop, loop.run_until_complete(read())


def close_left(left):
    """What its loop does with it in the end."""
    loop, pieces = left
    loop.run_until_complete(pieces.aclose())


@pytest.mark.parametrize(("leave", "close"), [(abandon, close_abandoned), (leave_open, close_left)])
def test_closing_a_stream_waits_for_no_lock(registry, diary, leave, close):
    """If it fails, the garbage collector hangs a thread for good: it may step in where that holds one of our locks."""
    chat = StreetAIMemory(registry).wrap(ScriptedChatModel(reply=script(REPLY)))
    held = [
        registry._lock,
        registry.executor._shutdown_lock,
        registry.executor.writers._shutdown_lock,
        registry.encoder._lock,
        registry._surroundings.hot._lock,
        diary._coherent.lock,
        registry.later._lock,
    ]
    gc.disable()  # so that it is not found before
    try:
        left = leave(chat)
        # By another thread, as some may be taken twice by one. A thread closes, so that no test never ends.
        with held_elsewhere(held):
            thread = threading.Thread(target=close, args=(left,), daemon=True)
            thread.start()
            thread.join(PATIENCE)
            waits = thread.is_alive()
    finally:
        gc.enable()
    assert not waits
    if left is not None:
        left[0].close()
    registry.later.wait()
    assert spoken(diary, "new") == [SAID[0], ("assistant", "The draught")]


@pytest.mark.parametrize("way", CUTS)
async def test_a_stream_that_is_closed_is_part_of_the_next_turn(registry, way):
    """If it fails, whoever presses stop and asks again is answered as if nothing had been said."""
    held, answer = threading.Event(), script(REPLY, "Go on.")

    def answer_and_hold_up(messages):
        # Not before the model is asked: the stream itself begins only when all that was handed over is done.
        registry.later.hand(lambda: held.wait(PATIENCE) and None)
        return answer(messages)

    model = ScriptedChatModel(reply=answer_and_hold_up)
    chat = StreetAIMemory(registry).wrap(model)
    registry.later.start()

    await way(chat, QUESTION, MARA)
    threading.Timer(0.2, held.set).start()
    await ainvoke(chat, "And its length?", MARA)

    assert [message.text for message in model.prompts[-1]] == [QUESTION, "The draught", "And its length?"]


async def test_closing_the_database_keeps_a_stream_that_was_closed(tmp_path):
    """If it fails, what was said last before a program ends is lost."""
    path = tmp_path / "memory.db"
    with StreetAIMemory(path, embeddings=HashingEncoder()) as streetai:
        await CUTS[0](streetai.wrap(ScriptedChatModel(reply=script(REPLY))), QUESTION, MARA)
    with StreetAIMemory(path, embeddings=HashingEncoder()) as streetai:
        assert spoken(streetai.registry.get("mara"), "new") == [SAID[0], ("assistant", "The draught")]


async def test_making_things_does_no_io(tmp_path):
    """6.6: No file appears before something is stored; a question to an empty memory makes none either."""
    with StreetAIMemory(tmp_path / "memory.db", embeddings=HashingEncoder()) as streetai:
        chat = streetai.wrap(ScriptedChatModel(reply=script(REPLY)), session_id="s1")
        streetai.retriever("s1")
        streetai.tools("s1")

        assert list(tmp_path.iterdir()) == []
        chat.invoke(QUESTION)
        assert (tmp_path / "memory.db").exists()
