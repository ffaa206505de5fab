"""An agent that answers by running code: LlamaIndex puts the results as words of the user's, which nobody has said."""

import pytest
from llama_index.core.agent.workflow import CodeActAgent

from streetai_llamaindex import StreetAIChatMemoryBuffer, StreetAIMemory
from tests.llamaindex_plugin.conftest import FACT, LIMIT, QUESTION, REPLY, SESSION, steps, talk, user
from tests.llamaindex_plugin.engines import FRAMEWORK_WARNINGS
from tests.llamaindex_plugin.scripted import Script, ScriptedChat
from tests.llamaindex_plugin.styles import STYLES

pytestmark = FRAMEWORK_WARNINGS

CODE = "I will measure it.\n<execute>print(draught())</execute>"
RESULT = "Result of executing the code given:\n\n1.40"


async def execute(code):
    """Run code, or what looks like it."""
    assert code == "print(draught())"
    return "1.40"


@pytest.mark.parametrize("kind", [StreetAIChatMemoryBuffer, StreetAIMemory])
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
async def test_results_of_code_are_no_words_of_the_user(registry, kind, style):
    """9.10: One question, one turn, one lesson from its last reply; a result is believed as one of a tool is."""
    memory = kind.from_defaults(registry=registry, session_id=SESSION, token_limit=LIMIT)
    talk(memory)
    core = registry.get(SESSION)
    clock = core.stats()["turn_counter"]
    script = Script(lambda asked: REPLY if asked[-1].content == RESULT else CODE)
    agent = CodeActAgent(code_execute_fn=execute, llm=ScriptedChat(script=script), tools=[])

    assert await style(agent, memory, QUESTION) == REPLY

    assert [FACT in str(prompt) for prompt in script.prompts] == [True, True]
    assert [(one.role, one.source, one.content) for one in core.messages(last=4)] == [
        ("user", "user", QUESTION),
        ("assistant", "assistant", CODE),
        ("user", "tool", RESULT),
        ("assistant", "assistant", REPLY),
    ]
    assert core.stats()["turn_counter"] == clock + 2
    assert memory.last_turn.query == QUESTION
    assert (memory.last_turn.reply, memory.last_turn.outcome) == (REPLY, "answered")
    assert steps(memory) > 0


async def test_what_the_user_says_next_is_the_users(registry):
    """In a run of its own, the same words as a result among them."""
    memory = StreetAIChatMemoryBuffer.from_defaults(registry=registry, session_id=SESSION)
    script = Script(lambda asked: REPLY)
    agent = CodeActAgent(code_execute_fn=execute, llm=ScriptedChat(script=script), tools=[])
    await agent.run(QUESTION, memory=memory)
    await agent.run(RESULT, memory=memory)
    memory.put_messages([user("And one more."), user("And another one.")])
    said = [(one.source, one.content) for one in registry.get(SESSION).messages(roles=["user"])]
    assert said == [("user", QUESTION), ("user", RESULT), ("user", "And one more."), ("user", "And another one.")]
