"""The async twins: the same turns, and a loop that is never blocked."""

import asyncio
import inspect
import threading
from contextvars import copy_context

import pytest
from llama_index.core.instrumentation.dispatcher import instrument_tags
from llama_index.core.memory import ChatMemoryBuffer

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_llamaindex import StreetAIChatMemoryBuffer
from tests.llamaindex_plugin.conftest import QUESTION, QUOTED, REPLY, SESSION, assistant, said, steps, talk, user


class Threads(HashingEncoder):
    """The hashing encoder, which remembers the threads it ran on and can be made to wait."""

    def __init__(self):
        super().__init__()
        self.threads = set()
        self.gate = threading.Event()
        self.gate.set()

    def embed(self, texts, kind):
        """Wait until it may go on, and embed."""
        self.threads.add(threading.current_thread())
        assert self.gate.wait(timeout=30)
        return super().embed(texts, kind)


@pytest.fixture
def encoder():
    """The encoder of `memory`."""
    return Threads()


@pytest.fixture
def memory(tmp_path, encoder):
    """A memory that has been talked to for long."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=encoder) as registry:
        memory = StreetAIChatMemoryBuffer.from_defaults(registry=registry, session_id=SESSION, token_limit=400)
        talk(memory)
        encoder.threads.clear()
        yield memory


def test_every_method_has_its_own_twin():
    """9.15: No twin is upstream's, for those run the sync method where context variables are lost."""
    for name in ("get", "get_all", "put", "put_messages", "set", "reset"):
        for one in (name, f"a{name}"):
            assert getattr(StreetAIChatMemoryBuffer, one).__module__.startswith("streetai_llamaindex")
        assert inspect.iscoroutinefunction(getattr(StreetAIChatMemoryBuffer, f"a{name}"))
        assert set(inspect.signature(getattr(ChatMemoryBuffer, name)).parameters) <= set(
            inspect.signature(getattr(StreetAIChatMemoryBuffer, name)).parameters
        )


async def test_a_turn(memory, encoder):
    """9.15: The async turn is the sync turn, and no embedding is made on the loop's thread."""
    await memory.aput(user(QUESTION))
    shown = await memory.aget()
    assert QUOTED in shown[-1].content
    assert shown == memory.get()
    await memory.aput_messages([assistant(REPLY)])
    assert (memory.last_turn.outcome, steps(memory)) == ("answered", len(memory.last_turn.hits))
    assert (await memory.aget_all())[-2:] == [user(QUESTION), assistant(REPLY)]
    assert threading.current_thread() not in encoder.threads
    await memory.aset([user("one")])
    assert memory.get_all() == [user("one")]
    await memory.areset()
    assert await memory.aget_all() == []


async def test_the_loop_goes_on_while_the_engine_works(memory, encoder):
    """9.15: A slow model holds up the chat that waits for it, and nothing else."""
    encoder.gate.clear()
    writing = asyncio.create_task(memory.aput(user(QUESTION)))
    reading = asyncio.create_task(memory.aget("Which wind came on day 3?"))
    await asyncio.sleep(0)
    assert not writing.done()
    assert not reading.done()
    encoder.gate.set()
    await asyncio.gather(writing, reading)
    assert said(memory)[-1] == ("user", QUESTION)


async def test_get_first_in_tasks_at_once(memory):
    """9.7: Three async engines ask at once, get before put: each reply is judged against its own recall."""
    questions = [QUESTION, "Which wind came on day 3?", "Was day 5 a rough one?"]
    asked, everyone = [], asyncio.Event()

    async def chat(question):
        await memory.aget(input=question)
        asked.append(question)
        if len(asked) == len(questions):
            everyone.set()
        await everyone.wait()
        await memory.aput(user(question))
        await memory.aput(assistant(f"About {question} I am sure."))
        return memory.conversation.turns.own()

    turns = await asyncio.gather(*map(chat, questions))
    assert [(turn.question, turn.reply) for turn in turns] == [(one, f"About {one} I am sure.") for one in questions]
    assert all(turn.hits for turn in turns)
    assert steps(memory) == sum(len(turn.hits) for turn in turns)


async def test_runs_without_a_shared_context(memory):
    """9.7: Agents' steps share the tag of their run only; replies of three runs find their questions."""
    questions = {"r1": QUESTION, "r2": "Which wind came on day 3?", "r3": "Was day 5 a rough one?"}

    async def step(run, call, *arguments):
        """One step, in a context of its own."""

        async def inside():
            with instrument_tags({"llamaindex.run_id": run}):
                return await call(*arguments), memory.conversation.turns.own()

        return await asyncio.create_task(inside())

    for run, question in questions.items():
        await step(run, memory.aput, user(question))
    for run, question in questions.items():
        shown, _ = await step(run, memory.aget)
        assert sum(question in str(message.content) for message in shown) == 1
    for run in reversed(questions):
        _, turn = await step(run, memory.aput_messages, [assistant(f"The answer of {run}.")])
        assert (turn.question, turn.reply) == (questions[run], f"The answer of {run}.")
    for run in questions:
        _, turn = await step(run, memory.aget)
        assert turn.reply == f"The answer of {run}."


async def test_a_cancelled_put_is_carried_out(memory, encoder):
    """9.19: The client disconnects while the reply is being stored: it is stored."""
    await memory.aput(user(QUESTION))
    encoder.gate.clear()
    task = asyncio.create_task(memory.aput(assistant(REPLY)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    encoder.gate.set()
    assert await memory.aget_all()
    for _ in range(1000):
        if said(memory)[-1] == ("assistant", REPLY):
            break
        await asyncio.to_thread(memory.flush)
    assert said(memory)[-1] == ("assistant", REPLY)


def test_a_loop_for_each_call(memory):
    """A script that runs each call in a loop of its own still has one turn."""
    asyncio.run(memory.aput(user(QUESTION)))
    assert QUOTED in asyncio.run(memory.aget())[-1].content
    asyncio.run(memory.aput(assistant(REPLY)))
    assert (memory.last_turn.outcome, steps(memory)) == ("answered", len(memory.last_turn.hits))
    asyncio.run(memory.aput(user("Which wind came on day 3?")))
    asyncio.run(memory.aput(assistant("The one from the north-west.")))
    assert memory.last_turn.reply == "The one from the north-west."


def test_a_stream_that_ends_late(memory):
    """9.19: The thread that writes a streamed reply comes after the next question: it is learned from by its own."""
    memory.put(user(QUESTION))
    memory.get()
    writer, first = copy_context(), memory.conversation.turns.own()
    memory.put(user("Which wind came on day 3?"))
    memory.get()
    second = memory.conversation.turns.own()
    thread = threading.Thread(target=writer.run, args=(memory.put, assistant(REPLY)))
    thread.start()
    thread.join()
    assert (first.reply, first.outcome, second.outcome) == (REPLY, "answered", "open")
    memory.put(assistant("The one from the north-west."))
    assert second.reply == "The one from the north-west."
