"""Streams that the garbage collector ends: it steps in anywhere, also where a thread has one of our locks."""

import pytest
from llama_index.core import Settings
from llama_index.core.callbacks import CallbackManager
from llama_index.core.query_engine import RetrieverQueryEngine

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_llamaindex import StreetAICallbackHandler, StreetAIChatMemoryBuffer, StreetAIInstrumentation
from tests.collector import CollectingClock, collected_under, left_to_collector
from tests.llamaindex_plugin.conftest import QUESTION, REPLY, SESSION, steps, talk, user
from tests.llamaindex_plugin.engines import FRAMEWORK_WARNINGS
from tests.llamaindex_plugin.scripted import Script, ScriptedChat

pytestmark = FRAMEWORK_WARNINGS


def parts(memory, manager):
    """A retriever and a model with callbacks."""
    model = ScriptedChat(script=Script(lambda _: REPLY), callback_manager=manager)
    return memory.as_retriever(similarity_top_k=2, callback_manager=manager), model


@pytest.fixture(params=["instrumentation", "callbacks"])
def hearing(request, memory, monkeypatch):
    """What a handler hears that is attached."""
    if request.param == "callbacks":
        handler = StreetAICallbackHandler(memory)
        monkeypatch.setattr(Settings, "_callback_manager", CallbackManager([handler]))
        yield handler._hearing
        return
    listening = StreetAIInstrumentation(memory).install()
    yield listening._listener.hearing
    listening.uninstall()


def test_it_may_step_in_where_a_thread_notes_what_was_said(memory, hearing, no_collector):
    """If it fails, this thread waits for itself for ever."""

    def abandon():
        retriever, model = parts(memory, Settings.callback_manager)
        engine = RetrieverQueryEngine.from_args(retriever, llm=model, streaming=True)
        left_to_collector(engine.query(QUESTION).response_gen)

    abandon()
    assert len(hearing._calls) == 1
    assert collected_under(hearing._lock)
    assert len(hearing._calls) == 0


def test_what_it_ends_in_the_middle_of_a_write_is_learned_afterwards(tmp_path, no_collector):
    """The memory cannot be written to where it is being written to; the clock is asked in there."""
    clock, errors = CollectingClock(), []
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder(), clock=clock) as registry:
        memory = StreetAIChatMemoryBuffer.from_defaults(registry=registry, session_id=SESSION)
        talk(memory)
        handler = StreetAICallbackHandler(memory, on_error=errors.append)
        manager = CallbackManager([handler])
        retriever, model = parts(memory, manager)

        def abandon():
            with manager.as_trace("query"):
                retriever.retrieve(QUESTION)
                model.chat([user(QUESTION)])
                left_to_collector(model.stream_chat([user("And in feet?")]))

        abandon()
        clock.collects = True
        registry.get(SESSION).add_message("The wind is from the west.", "user")
        handler.flush()
        assert (clock.collects, steps(memory), errors) == (False, 2, [])
