"""Tools that look into the memory: what they give back is not remembered as something new that was said."""

from contextvars import ContextVar

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.tools import FunctionTool, RetrieverTool
from llama_index.core.tools.function_tool import sync_to_async

from streetai_llamaindex import StreetAIChatMemoryBuffer, StreetAIMemory
from streetai_llamaindex.echoes import is_echo
from tests.llamaindex_plugin.conftest import FACT, LIMIT, QUESTION, SESSION, assistant, said, user
from tests.llamaindex_plugin.engines import FRAMEWORK_WARNINGS
from tests.llamaindex_plugin.scripted import Script, ScriptedChat, calls

pytestmark = FRAMEWORK_WARNINGS


def own_coroutine(retriever):
    """A tool that an application has written."""

    async def recall(input: str) -> str:  # noqa: A002 - the name that LlamaIndex's tool has
        """Search the memory."""
        return "\n".join(f"- {node.text} ({node.score:.2f})" for node in await retriever.aretrieve(input))

    return FunctionTool.from_defaults(async_fn=recall)


async def keeps_context():
    """Whether LlamaIndex runs a tool's function, on its thread, in the context of the run."""
    variable = ContextVar("variable", default=False)
    variable.set(True)
    return await sync_to_async(variable.get)()


def own_function(retriever):
    """One that is no coroutine."""

    def recall(input: str) -> str:  # noqa: A002 - the name that LlamaIndex's tool has
        """Search the memory."""
        return "\n".join(f"- {node.text} ({node.score:.2f})" for node in retriever.retrieve(input))

    return FunctionTool.from_defaults(recall)


def stock_tool(retriever):
    """LlamaIndex's tool for retrievers."""
    return RetrieverTool.from_defaults(retriever, name="recall", description="Search the memory.")


@pytest.fixture(params=[StreetAIChatMemoryBuffer, StreetAIMemory], ids=["buffer", "memory"])
def memory(request, registry):
    """A memory that knows the fact."""
    memory = request.param.from_defaults(registry=registry, session_id=SESSION, token_limit=LIMIT)
    memory.put_messages([user(FACT), assistant("Good to know.")])
    return memory


def model():
    """A model that looks into the memory, and then answers."""

    def reply(messages):
        if messages[-1].role.value == "tool":
            return "Shallow enough."
        return calls("recall", {"input": "draught boat"})

    return ScriptedChat(script=Script(reply))


@pytest.mark.parametrize("make_tool", [own_coroutine, own_function, stock_tool])
async def test_what_a_tool_found_is_not_remembered(memory, make_tool):
    """Each search would be found by the next one, and bring back what was forgotten meanwhile."""
    if make_tool is own_function and not await keeps_context():
        pytest.skip("this LlamaIndex runs a tool's function outside of the context of its run")
    llm = model()
    agent = FunctionAgent(llm=llm, tools=[make_tool(memory.as_retriever(similarity_top_k=3))])
    await agent.run("May I enter Husum?", memory=memory)
    result = llm.script.prompts[-1][-1].content
    assert FACT in result
    assert ("tool", "") in said(memory)
    assert result in [one.content for one in memory.get_all()]

    before = said(memory)
    memory.set(memory.get_all())
    assert said(memory) == before

    core = memory.registry.get(SESSION)
    core.delete_message(core.messages()[0].message_id)
    assert not [hit for hit in core.retrieve(QUESTION, limit=9) if "one metre forty" in hit.signal.content]


async def test_what_another_tool_says_is_remembered(memory):
    """A tool that says more than what was said before has something of its own to say."""

    def recall(input: str) -> str:  # noqa: A002 - the name that the model knows
        """Tell the depth, and what was said."""
        said_before = memory.as_retriever(similarity_top_k=1).retrieve(input)[0].text
        return f"Husum has two metres at low tide. {said_before}"

    await FunctionAgent(llm=model(), tools=[recall]).run("May I enter Husum?", memory=memory)
    assert ("tool", f"Husum has two metres at low tide. {FACT}") in said(memory)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ok", True),
        ("1. ok\n2. ok then", True),
        ("ok then (0.93)", True),
        ("ok then, sailor", False),
        ("something else", False),
        ("", False),
        ("42", False),
    ],
)
def test_is_echo(text, expected):
    """Results that happen to have a word of what was found are not lost."""
    assert is_echo(text, ["ok", "ok then"]) is expected
