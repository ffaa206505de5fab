"""What streetai_llamaindex/README.md says that LlamaIndex does is what LlamaIndex does."""

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.chat_engine import CondensePlusContextChatEngine, ContextChatEngine, SimpleChatEngine
from llama_index.core.workflow import Context

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_llamaindex import StreetAIChatMemoryBuffer
from tests import readme_models
from tests.llamaindex_plugin.engines import FRAMEWORK_WARNINGS, index
from tests.llamaindex_plugin.scripted import Script, ScriptedChat, asked, said

pytestmark = [*FRAMEWORK_WARNINGS, pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning")]

SYSTEM = "You help a sailor."
TOLD = "My boat lies at berth 31."
ASKED = "Where does my boat lie?"
CHATTER = "The weather was fine on the water today. " * 50


@pytest.fixture
def script():
    """What the model says, and what it was asked."""
    return Script(readme_models.answer)


@pytest.fixture
def llm(script):
    """The model."""
    return ScriptedChat(script=script)


@pytest.fixture
def remembering(tmp_path):
    """Makes memories of sessions in one file."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:

        def make(session="mara", **options):
            return StreetAIChatMemoryBuffer.from_defaults(registry=registry, session_id=session, **options)

        yield make


def roles(prompt):
    """The roles of a prompt."""
    return [message.role.value for message in prompt]


async def test_an_agent_ignores_the_memory_it_is_made_with(remembering, llm):
    """Who gives it there would wonder why nothing is remembered."""
    made_with, given = remembering(), remembering("ben")
    agent = FunctionAgent(llm=llm, memory=made_with)
    await agent.run(TOLD)
    assert [] == made_with.get_all()
    await agent.run(TOLD, memory=given)
    assert 2 == len(given.get_all())


async def test_a_context_keeps_its_memory(remembering, llm):
    """Who changes users in one context would mix them up."""
    first, second = remembering(), remembering("ben")
    agent = FunctionAgent(llm=llm)
    context = Context(agent)
    await agent.run(TOLD, ctx=context, memory=first)
    await agent.run(ASKED, ctx=context, memory=second)
    assert (4, 0) == (len(first.get_all()), len(second.get_all()))


async def test_an_agent_ignores_an_empty_history(remembering, llm):
    """Who begins a new chat of an agent with it would wonder why the last one is still in the window."""
    memory = remembering("mara")
    agent = FunctionAgent(llm=llm, tools=[])
    await agent.run("Where is berth 31?", memory=memory)
    await agent.run("Is it windy?", memory=memory, chat_history=[])
    assert [one.content for one in memory.get_all() if one.role == "user"] == ["Where is berth 31?", "Is it windy?"]


def test_an_engine_that_is_reset_forgets_the_session(remembering, llm):
    """Who resets a window would lose the memory unwarned."""
    memory = remembering()
    engine = SimpleChatEngine.from_defaults(llm=llm, memory=memory)
    engine.chat(TOLD)
    engine.reset()
    assert [] == remembering().get_all()
    assert "I do not know." == engine.chat(ASKED).response


@pytest.mark.parametrize(("method", "systems"), [("user", 1), ("system", 2)])
def test_a_second_system_message_comes_only_if_asked_for(remembering, llm, script, method, systems):
    """Some providers refuse two."""
    memory = remembering(insert_method=method, token_limit=300)
    engine = SimpleChatEngine.from_defaults(llm=llm, memory=memory, system_prompt=SYSTEM)
    for message in (TOLD, CHATTER, ASKED):
        answer = engine.chat(message)
    assert "Your boat is at berth 31." == answer.response
    assert systems == roles(script.prompts[-1]).count("system")


def test_condensing_engines_ask_once_more_after_a_restart(remembering, llm, script):
    """Who counts calls has to know it."""
    retriever = index().as_retriever(similarity_top_k=1)
    remembering().put_messages([asked(TOLD), said("Noted.")])
    CondensePlusContextChatEngine.from_defaults(retriever, llm=llm, memory=remembering()).chat(ASKED)
    assert 2 == len(script.prompts)
    CondensePlusContextChatEngine.from_defaults(retriever, llm=llm, memory=remembering("ben")).chat(ASKED)
    assert 3 == len(script.prompts)


def test_without_a_node_no_model_is_asked(remembering, llm, script):
    """A retriever on an empty memory leaves a user without an answer, and teaches nothing."""
    memory = remembering()
    engine = ContextChatEngine.from_defaults(memory.as_retriever(), llm=llm, memory=memory)
    assert "Empty Response" == engine.chat(ASKED).response
    assert [] == script.prompts
    assert all(signal.uses == 0 for signal in memory.registry.get("mara").signals)


def test_a_template_variable_in_a_remembered_message_is_filled(remembering, llm, script):
    """Who remembers templates reads other text than was said."""
    memory = remembering()
    memory.put_messages([asked("My template has {context_str} in it."), said("Noted.")])
    retriever = index().as_retriever(similarity_top_k=1)
    ContextChatEngine.from_defaults(retriever, llm=llm, memory=memory).chat(ASKED)
    prompt = "\n".join(message.content or "" for message in script.prompts[-1])
    assert "My template has" in prompt
    assert "{context_str}" not in prompt
    assert "{context_str}" in memory.get_all()[0].content
