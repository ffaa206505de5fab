"""A run that is cancelled when its reply is there, while no thread is free to store it."""

import asyncio
import threading
from contextlib import asynccontextmanager

import pytest
from langchain.agents import create_agent
from langchain_classic.chains import ConversationChain
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables.history import RunnableWithMessageHistory

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_core.workers import for_writing
from streetai_langchain import StreetAIMemory
from tests.event_loop import PATIENCE, all_busy
from tests.langchain_plugin.conftest import QUESTION, REPLY, spoken
from tests.langchain_plugin.scripted import ScriptedChatModel

SESSION = {"configurable": {"session_id": "new", "user_id": "mara"}}
SAID = [("user", QUESTION), ("assistant", REPLY)]
PROMPT = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{input}")])

pytestmark = [
    pytest.mark.filterwarnings("ignore:The class `ConversationChain` was deprecated"),
    pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated"),
]


async def wrapped(streetai, model):
    """`memory.wrap`."""
    await streetai.wrap(model).ainvoke(QUESTION, SESSION)


async def streamed(streetai, model):
    """The same, read to its end."""
    async for _ in streetai.wrap(model).astream(QUESTION, SESSION):
        pass


async def agent(streetai, model):
    """Middleware of an agent that keeps no state from which the next turn could store it."""
    agent = create_agent(model, [], middleware=[streetai.middleware()])
    await agent.ainvoke({"messages": [("user", QUESTION)]}, SESSION)


async def classic(streetai, model):
    """`memory=` of a classic chain."""
    await ConversationChain(llm=model, memory=streetai.classic("new", user_id="mara")).ainvoke({"input": QUESTION})


async def history(streetai, model):
    """A transcript."""
    chain = RunnableWithMessageHistory(
        PROMPT | model,
        lambda session_id: streetai.chat_history(session_id, user_id="mara"),
        input_messages_key="input",
        history_messages_key="history",
    )
    await chain.ainvoke({"input": QUESTION}, SESSION)


RUNS = [wrapped, streamed, agent, classic, history]


@asynccontextmanager
async def cut_when_replied(registry, monkeypatch, run):
    """Cancel a run when the model has answered and its turn waits behind busy threads, which go on when told to.

    Yields:
        The event that tells them.
    """
    executor = for_writing(registry.executor)
    busy, done, replied = threading.Semaphore(0), threading.Event(), threading.Event()
    loop, queued, submit = asyncio.get_running_loop(), asyncio.Event(), executor.submit

    def other_work():
        busy.release()
        done.wait()

    def reply(_):
        for _ in range(executor.threads):
            executor.submit(other_work)
        assert all(busy.acquire(timeout=PATIENCE) for _ in range(executor.threads))
        replied.set()
        return REPLY

    def watched(*args):
        waiting = submit(*args)
        if replied.is_set():
            loop.call_soon_threadsafe(queued.set)
        return waiting

    monkeypatch.setattr(executor, "submit", watched)
    task = asyncio.ensure_future(run(StreetAIMemory(registry), ScriptedChatModel(reply=reply)))
    try:
        # What is queued behind the busy threads is the turn.
        await asyncio.wait_for(queued.wait(), PATIENCE)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        yield done
    finally:
        done.set()


@pytest.mark.parametrize("run", RUNS)
async def test_a_turn_that_has_had_its_reply_is_stored(registry, monkeypatch, run):
    """Who has read the reply hangs up; on a busy server all threads may have something else to do just then."""
    async with cut_when_replied(registry, monkeypatch, run):
        pass
    await asyncio.to_thread(registry.executor.shutdown)

    assert spoken(registry.get("mara"), "new") == SAID


@pytest.mark.parametrize("run", RUNS)
async def test_it_is_stored_if_the_database_is_closed_meanwhile(registry, tmp_path, monkeypatch, run):
    """A server that ends cancels what runs, and closes its memories at once."""
    async with cut_when_replied(registry, monkeypatch, run) as done:
        shutdown = registry.executor.shutdown

        def going_on(**options):
            done.set()  # no earlier: it is being closed
            shutdown(**options)

        monkeypatch.setattr(registry.executor, "shutdown", going_on)
        await asyncio.to_thread(registry.close)

    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder()) as again:
        assert spoken(again.get("mara"), "new") == SAID


@pytest.mark.parametrize("run", [wrapped, streamed])
async def test_what_was_asked_is_stored_if_it_is_cancelled_before_the_recall(registry, run):
    """On a busy server questions wait for a thread, and who hangs up meanwhile has asked all the same."""
    with all_busy(registry.executor) as waits:
        task = asyncio.ensure_future(run(StreetAIMemory(registry), ScriptedChatModel(reply=lambda _: REPLY)))
        await asyncio.wait_for(waits.wait(), PATIENCE)
        task.cancel()
        await asyncio.sleep(0)  # it is told, and hands over what was asked
    with pytest.raises(asyncio.CancelledError):
        await task

    assert spoken(registry.get("mara"), "new") == SAID[:1]
