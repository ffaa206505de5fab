"""A session that is erased while a chat is under way stays erased: its late reply is not stored in what comes after."""

import asyncio

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.llms import MessageRole

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import StaleMemoryError
from streetai_llamaindex import StreetAIChatMemoryBuffer, StreetAIMemory
from tests.llamaindex_plugin.conftest import FACT, REPLY, SESSION, assistant, said, steps, user
from tests.llamaindex_plugin.engines import ENGINES, FRAMEWORK_WARNINGS, question
from tests.llamaindex_plugin.scripted import Script, ScriptedChat, calls
from tests.llamaindex_plugin.styles import STYLES, chat

pytestmark = FRAMEWORK_WARNINGS

QUESTION = question("What is the draught of my boat", "a1")

TELL_THE_QUESTION = [engine for engine in ENGINES if engine.name != "CondenseQuestionChatEngine"]
"""That one says nothing to the memory before the reply is there."""


def own(memory, path):
    """The application resets the memory that it chats with."""
    memory.reset()


def by_registry(memory, path):
    """Another part of the application resets the session."""
    memory.registry.reset(SESSION)


def by_process(memory, path):
    """Another process erases it, or all that looks like one."""
    with MemoryRegistry(path, encoder=HashingEncoder()) as other:
        other.forget(SESSION)


ERASURES = [own, by_registry, by_process]


def erasing(erase, memory, path):
    """Answers, the first time after the session was erased."""
    pending = [erase]

    def answer(asked):
        if pending:
            pending.pop()(memory, path)
        return REPLY

    return answer


@pytest.fixture(params=[StreetAIChatMemoryBuffer, StreetAIMemory])
def told(request, registry):
    """A memory with a fact in it, and what it reports."""
    failures = []
    memory = request.param.from_defaults(registry=registry, session_id=SESSION, on_error=failures.append)
    memory.set([user(FACT), assistant("Good to know.")])
    return memory, failures


@pytest.mark.parametrize("erase", ERASURES)
@pytest.mark.parametrize("engine", TELL_THE_QUESTION, ids=str)
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
async def test_a_late_reply_is_not_stored(told, tmp_path, engine, style, erase):
    """9.11: Neither it nor its question; the app has it all the same, and goes on in the session that begins anew."""
    memory, failures = told
    if engine.condenses:
        memory.set([])
    script = Script(engine.script(erasing(erase, memory, tmp_path / "memory.db")))
    built = engine.build(memory, script)
    assert REPLY in await style(built, memory, QUESTION)
    assert said(memory) == []
    assert {type(error) for error in failures} == {StaleMemoryError}
    reported = len(failures)
    await chat(built, memory, QUESTION)
    assert [role for role, _ in said(memory) if role != "tool"][:1] == ["user"]
    assert said(memory)[0] == ("user", QUESTION)
    assert REPLY in said(memory)[-1][1]
    assert FACT not in "\n".join(message.content or "" for message in script.prompts[-1])
    assert len(failures) == reported


@pytest.mark.parametrize("erase", ERASURES)
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
async def test_a_tool_that_erases_the_session(told, tmp_path, style, erase):
    """9.11: As when the user asks for it: the agent reads the memory after it, and reports what it has done."""
    memory, _ = told

    def forget() -> str:
        """Forget everything."""
        erase(memory, tmp_path / "memory.db")
        return "It is done."

    def reply(messages):
        done = messages[-1].role == MessageRole.TOOL
        return "All is forgotten." if done else calls("forget", {})

    script = Script(reply)
    agent = FunctionAgent(tools=[forget], llm=ScriptedChat(script=script))
    assert await style(agent, memory, "Forget everything.") == "All is forgotten."
    assert said(memory) == []
    script.reply = lambda _: "Hello."
    await style(agent, memory, "Who am I?")
    assert said(memory) == [("user", "Who am I?"), ("assistant", "Hello.")]


@pytest.mark.parametrize("erase", ERASURES)
@pytest.mark.parametrize("engine", TELL_THE_QUESTION[:5], ids=str)
async def test_what_is_asked_again_after_an_erasure_is_stored(told, tmp_path, engine, erase):
    """9.6, 9.11: The try before it failed."""
    memory, failures = told
    lost = [ConnectionError("no line")]

    def answer(asked):
        if lost:
            raise lost.pop()
        return REPLY

    script = Script(engine.script(answer))
    built = engine.build(memory, script)
    with pytest.raises(ConnectionError):
        await chat(built, memory, QUESTION)
    erase(memory, tmp_path / "memory.db")
    await chat(built, memory, QUESTION)
    assert said(memory) == [("user", QUESTION), ("assistant", REPLY)]
    assert FACT not in "\n".join(message.content or "" for message in script.prompts[-1])
    assert failures == []
    assert steps(memory) == 0


@pytest.mark.parametrize("erase", ERASURES)
async def test_a_stream_that_goes_on_after_an_erasure(told, tmp_path, erase):
    """9.11: The reader resets the session when the first word is there."""
    memory, _ = told
    built = ENGINES[0].build(memory, Script(lambda _: REPLY))
    response = await built.astream_chat(QUESTION)
    words = response.async_response_gen()
    first = await anext(words)
    await asyncio.to_thread(erase, memory, tmp_path / "memory.db")
    assert first + "".join([word async for word in words]) == REPLY
    await response._await_task() if hasattr(response, "_await_task") else await asyncio.sleep(0)
    assert said(memory) == []


def test_a_turn_that_is_over_keeps_no_handle(told, tmp_path):
    """9.11: What another process erases afterwards is nothing to whoever asks for the memory next."""
    memory, failures = told
    memory.put(user(QUESTION))
    memory.get()
    memory.put(assistant(REPLY))
    by_process(memory, tmp_path / "memory.db")
    memory.registry.get(SESSION).add_message("Hello again.", role="user")
    assert said(memory) == [("user", "Hello again.")]
    assert failures == []
