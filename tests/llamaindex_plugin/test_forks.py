"""A process that is forked while its threads use the plug-in."""

import asyncio
import os
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Event, Thread

import pytest
from llama_index.core.callbacks import CallbackManager
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.query_engine import RetrieverQueryEngine

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_llamaindex import (
    StreetAICallbackHandler,
    StreetAIChatMemoryBuffer,
    StreetAIInstrumentation,
    StreetAIMemory,
    StreetAIMemoryBlock,
)
from tests.forks import PATIENCE, child_says, every_lock, forks, held_elsewhere
from tests.llamaindex_plugin.conftest import FACT, LIMIT, QUESTION, REPLY, SESSION, assistant, said, steps, talk, user
from tests.llamaindex_plugin.engines import FRAMEWORK_WARNINGS
from tests.llamaindex_plugin.scripted import Script, ScriptedChat

pytestmark = [*forks, *FRAMEWORK_WARNINGS]


def answering(**options):
    """A model that knows the answer."""
    return ScriptedChat(script=Script(lambda _: REPLY), **options)


# LlamaIndex asks for the loop of a thread that has none.
@pytest.mark.filterwarnings("ignore:There is no current event loop:DeprecationWarning")
def test_everything_works_in_a_child_of_a_parent_that_holds_every_lock(memory, registry):
    """If it fails, a worker of a server hangs at its first request."""
    handler = StreetAICallbackHandler(memory.registry)
    manager = CallbackManager([handler])
    stored = StreetAIMemory.from_defaults(registry=registry, session_id="other", token_limit=LIMIT)
    stored.put(user("Where does my boat lie?"))
    block = StreetAIMemoryBlock(registry=registry)
    listening = StreetAIInstrumentation(memory).install()

    def query(**options):
        retriever = memory.as_retriever(similarity_top_k=2, **options)
        engine = RetrieverQueryEngine.from_args(retriever, llm=answering(**options), streaming=True)
        assert "".join(engine.query("How deep is my boat?").response_gen) == REPLY

    async def others():
        await block.aput([user("The mast is of wood."), assistant("Good.")], session_id="block")
        return await block.aget([user("Of what is the mast?")], session_id="block")

    def works():
        engine = SimpleChatEngine.from_defaults(llm=answering(), memory=memory)
        assert engine.chat(QUESTION).response == REPLY
        before = steps(memory)
        query()
        query(callback_manager=manager)
        listening.flush()
        handler.flush()
        stored.put(assistant("In Kiel."))
        assert stored.get()[-1].content == "In Kiel."
        assert asyncio.run(others()) is not None
        assert StreetAIMemory.from_dict(stored.to_dict()).get()[-1].content == "In Kiel."
        assert said(memory)[-2:] == [("user", QUESTION), ("assistant", REPLY)]
        return steps(memory) > before

    try:
        with held_elsewhere(every_lock()):
            assert child_says(works)
    finally:
        listening.uninstall()


class GatedEncoder(HashingEncoder):
    """Stops in the process that made it, where it is told to."""

    def __init__(self):
        super().__init__()
        self.process = os.getpid()
        self.stops = False
        self.begun, self.goes = Event(), Event()

    def encode(self, texts, kind="document"):
        """The vectors, in the end."""
        if self.stops and os.getpid() == self.process:
            self.begun.set()
            assert self.goes.wait(2 * PATIENCE)
        return super().encode(texts, kind)

    @contextmanager
    def stopping(self, action):
        """Have a thread that does something and is stopped in the middle of it within the block."""
        self.stops, thread = True, Thread(target=action)
        thread.start()
        try:
            assert self.begun.wait(PATIENCE)
            yield
        finally:
            self.goes.set()
            thread.join(PATIENCE)


@pytest.fixture
def gate():
    """An encoder that can be stopped."""
    return GatedEncoder()


@pytest.fixture
def gated(tmp_path, gate):
    """A memory with it that has been talked to for long."""
    with MemoryRegistry(tmp_path / "gated.db", encoder=gate) as registry:
        made = StreetAIChatMemoryBuffer.from_defaults(registry=registry, session_id=SESSION, token_limit=LIMIT)
        talk(made)
        yield made


def recalls(memory):
    """Whether a prompt for the question quotes the fact."""
    return any(FACT in (message.content or "") for message in memory.get(QUESTION))


def test_what_was_being_recalled_is_recalled_by_the_child(gate, gated):
    """The question that a worker answers again is answered from the memory."""
    with gate.stopping(lambda: gated.get(QUESTION)):
        assert child_says(lambda: recalls(gated))
    assert recalls(gated)


def test_what_was_being_stored_is_stored_by_the_parent_alone(gate, gated):
    """Once, and the child has stored its own message before."""
    before = len(said(gated))
    with gate.stopping(lambda: gated.put(user("The parent says so."))):
        assert child_says(lambda: gated.put(user("The child says so.")) or len(said(gated)) == before + 1)
    assert said(gated)[before:] == [("user", "The child says so."), ("user", "The parent says so.")]


def test_an_engine_that_was_being_closed_is_opened_again(tmp_path):
    """The child has a memory that works, though its parent was about to let go of the file."""
    goes, path = Event(), tmp_path / "closing.db"
    memory = StreetAIChatMemoryBuffer.from_defaults(path=path, embed_model=HashingEncoder(), session_id=SESSION)
    memory.put(user(FACT))
    closing = memory.registry
    # Closing waits for the workers.
    closing.executor.submit(goes.wait, 2 * PATIENCE)
    thread = Thread(target=memory.close)
    thread.start()
    for _ in range(100 * PATIENCE):
        if closing._closing:
            break
        thread.join(0.01)
    assert closing._closing
    assert child_says(lambda: said(memory) == [("user", FACT)] and memory.registry is not closing)
    goes.set()
    thread.join(PATIENCE)


def test_a_child_waits_for_no_lesson_of_its_parent(memory):
    """Its parent's worker threads are learning it."""
    listening = StreetAIInstrumentation(memory)
    listening._listener.lessons._running.add(Future())
    assert child_says(lambda: listening.flush() is None)
