"""What was recalled for a turn, and is erased while the turn goes on."""

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MessageRole
from llama_index.core.memory import Memory

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_llamaindex import StreetAIChatMemoryBuffer, StreetAIMemory, StreetAIMemoryBlock
from tests.llamaindex_plugin.conftest import FACT, LIMIT, QUESTION, REPLY, SESSION, assistant, talk, texts, user
from tests.llamaindex_plugin.engines import FRAMEWORK_WARNINGS
from tests.llamaindex_plugin.scripted import Script, ScriptedChat, calls
from tests.llamaindex_plugin.styles import STYLES, chat

pytestmark = FRAMEWORK_WARNINGS


def deleted(memory):
    """One message is forgotten."""
    memory.forget(message=fact_in(memory))


def hidden(memory):
    """One message is put into quarantine."""
    memory.quarantine(message=fact_in(memory))


def edited(memory):
    """One message says something else now."""
    memory.update_message(fact_in(memory), "My boat is blue.")


def erased(memory):
    """All is forgotten."""
    memory.forget(everything=True)


def fact_in(memory):
    """The id of the message with the fact."""
    return next(one.message_id for one in memory.messages() if one.content == FACT)


def in_process(path, erase):
    """By another process, or all that looks like one."""
    with MemoryRegistry(path, encoder=HashingEncoder()) as other:
        erase(other.get(SESSION))


def is_shown(prompt):
    """Whether a prompt has the fact."""
    return any(FACT in (message.content or "") for message in prompt)


@pytest.fixture(params=[StreetAIChatMemoryBuffer, StreetAIMemory])
def talked(request, registry):
    """A memory whose window has outgrown the fact."""
    memory = request.param.from_defaults(registry=registry, session_id=SESSION, token_limit=LIMIT)
    talk(memory)
    return memory


@pytest.mark.parametrize("erase", [deleted, hidden, edited])
async def test_a_retry_does_not_send_what_was_erased_since(talked, tmp_path, erase):
    """9.11: The first try, which failed, had it; its turn goes on, and recalls what is still there."""
    lost = [ConnectionError("no line")]

    def answer(asked):
        if lost:
            raise lost.pop()
        return REPLY

    script = Script(answer)
    built = SimpleChatEngine.from_defaults(llm=ScriptedChat(script=script), memory=talked)
    with pytest.raises(ConnectionError):
        await chat(built, talked, QUESTION)
    assert is_shown(script.prompts[0])
    in_process(tmp_path / "memory.db", erase)

    await chat(built, talked, QUESTION)

    assert not is_shown(script.prompts[1])
    assert FACT not in talked.last_turn.recalled_text
    assert texts(talked.get_all())[-2:] == [("user", QUESTION), ("assistant", REPLY)]


@pytest.mark.parametrize("erase", [deleted, hidden, edited, erased])
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
async def test_what_a_tool_erases_is_in_no_later_prompt_of_the_run(talked, tmp_path, style, erase):
    """9.11: The prompt before the tool had it, the one after it has it not."""

    def remove() -> str:
        """Remove what the user wants to have removed."""
        in_process(tmp_path / "memory.db", erase)
        return "It is done."

    script = Script(lambda asked: REPLY if asked[-1].role == MessageRole.TOOL else calls("remove", {}))
    agent = FunctionAgent(tools=[remove], llm=ScriptedChat(script=script))

    await style(agent, talked, QUESTION)

    assert [is_shown(prompt) for prompt in script.prompts] == [True, False]


async def test_what_is_still_there_is_recalled_once(talked, tmp_path):
    """What is erased beside it changes nothing: the copies of the turn stay the very same."""
    core = talked.registry.get(SESSION)
    core.add_message("The parrot is called Rio.", "user", message_id="parrot", conversation_id="another")
    talked.put(user(QUESTION))
    before = talked.get(QUESTION)
    assert is_shown(before)

    in_process(tmp_path / "memory.db", lambda memory: memory.forget(message="parrot"))

    assert [id(message) for message in talked.get(QUESTION)] == [id(message) for message in before]
    talked.put(assistant(REPLY))


async def test_a_block_recalls_anew_too(registry, tmp_path):
    """In LlamaIndex's own memory, read twice in a turn."""
    block = StreetAIMemoryBlock(registry=registry, session_id=SESSION, name="long_term", token_limit=LIMIT)
    await block.aput([user(FACT), assistant("Good to know.")])
    memory = Memory.from_defaults(session_id=SESSION, memory_blocks=[block])
    await memory.aput(user(QUESTION))
    assert is_shown(await memory.aget())

    in_process(tmp_path / "memory.db", deleted)

    assert not is_shown(await memory.aget())
    await memory.sql_store._async_engine.dispose()
