"""Who calls a memory, when and with what: the facts about LlamaIndex that the rest of these tests stand on.

The memory is LlamaIndex's own, with a record of its calls. If a new version calls otherwise, this is where it shows.
"""

import inspect
from contextlib import contextmanager
from contextvars import ContextVar

import pytest
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.memory import ChatMemoryBuffer

from tests.llamaindex_plugin.engines import ENGINES, FRAMEWORK_WARNINGS, MODES, question
from tests.llamaindex_plugin.scripted import Script, calls_of
from tests.llamaindex_plugin.styles import CUTS, STYLES, abandoned

pytestmark = FRAMEWORK_WARNINGS

ANSWER = "The draught of your boat is one metre forty."
ASKED = question("What is the draught of my boat", "q1")

_inside = ContextVar("inside a recorded call", default=False)


def recorded(name):
    """A method of the stock buffer that notes its calls."""
    verb = getattr(ChatMemoryBuffer, name)
    if inspect.iscoroutinefunction(verb):

        async def call(self, *arguments, **named):
            with noted(self, name, arguments, named):
                return await verb(self, *arguments, **named)

    else:

        def call(self, *arguments, **named):
            with noted(self, name, arguments, named):
                return verb(self, *arguments, **named)

    return call


class Recorded(ChatMemoryBuffer):
    """The stock buffer, with a record of the calls from outside; those it makes to itself are not noted."""

    _calls: list = PrivateAttr(default_factory=list)

    get, aget = recorded("get"), recorded("aget")
    put, aput = recorded("put"), recorded("aput")
    put_messages, aput_messages = recorded("put_messages"), recorded("aput_messages")
    set, aset = recorded("set"), recorded("aset")


@contextmanager
def noted(memory, name, arguments, named):
    """Note a call, unless it comes from inside another one; asynchronous twins go by the name of their verb."""
    if not _inside.get():
        memory._calls.append(f"{name.removeprefix('a')}({', '.join([*shown(arguments), *shown_named(named)])})")
    token = _inside.set(True)
    try:
        yield
    finally:
        _inside.reset(token)


def shown(arguments):
    """Messages by their roles."""
    return [brief(message) for one in arguments for message in (one if isinstance(one, list) else [one])]


def shown_named(named):
    """The question by what it is, other arguments by their names."""
    return ["question" if value == ASKED else name for name, value in named.items()]


def brief(message):
    """A message by its role, `assistant` with a `+` if it calls a tool."""
    return message.role.value + ("+" if calls_of(message) else "")


def row(name):
    """A row of the table by its name."""
    return next(engine for engine in ENGINES + MODES if engine.name == name)


SIMPLE = ["put(user)", "get(initial_token_count)", "put(assistant)"]
CONTEXT = ["get(question)", "put(user)", "put(assistant)"]
AGENT = ["put(user)", "get()"]

TABLE = [
    ("SimpleChatEngine", 0, SIMPLE),
    ("SimpleChatEngine, completion model", 0, SIMPLE),
    ("ContextChatEngine", 0, CONTEXT),
    ("ContextChatEngine, completion model", 0, CONTEXT),
    ("CondensePlusContextChatEngine", 0, CONTEXT),
    ("CondenseQuestionChatEngine", 0, CONTEXT),
    ("as_chat_engine('best')", 0, CONTEXT),
    ("FunctionAgent", 0, [*AGENT, "put_messages(assistant)", "get()"]),
    ("FunctionAgent", 1, [*AGENT, "get(question)", "put_messages(assistant+, tool, assistant)", "get()"]),
    (
        "FunctionAgent",
        2,
        [
            *AGENT,
            "get(question)",
            "get(question)",
            "put_messages(assistant+, tool, assistant+, tool, assistant)",
            "get()",
        ],
    ),
    ("ReActAgent", 0, [*AGENT, "put(assistant)", "get()"]),
    ("ReActAgent", 2, [*AGENT, "get(question)", "get(question)", "put(assistant)", "get()"]),
    ("AgentWorkflow", 1, [*AGENT, "get(question)", "put_messages(assistant+, tool, assistant)", "get()"]),
    (
        "AgentWorkflow with handoff",
        1,
        [
            *AGENT,
            "put_messages(assistant+, tool)",
            "get(question)",
            "get(question)",
            "put_messages(assistant+, tool, assistant)",
            "get()",
        ],
    ),
]


def built(name, steps=0, **options):
    """An engine over a recorded memory, the memory and the script."""
    engine = row(name)
    memory = Recorded.from_defaults(token_limit=3000)
    script = Script(engine.script(lambda _: ANSWER, **({"steps": steps} if steps else {})), **options)
    return engine.build(memory, script), memory, script


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
@pytest.mark.parametrize(("name", "steps", "expected"), TABLE, ids=[f"{name}-{steps}" for name, steps, _ in TABLE])
async def test_calls(name, steps, expected, style):
    """Each engine calls the memory in the order that the turn ledger was made for."""
    engine, memory, _ = built(name, steps)
    assert await style(engine, memory, ASKED) == ANSWER
    assert memory._calls == expected


@pytest.mark.parametrize("style", CUTS, ids=lambda style: style.__name__)
@pytest.mark.parametrize("name", ["SimpleChatEngine", "ContextChatEngine", "CondenseQuestionChatEngine"])
async def test_closing_a_stream_waits_for_the_reply(name, style):
    """A reader that closes the stream after one word leaves the whole reply in the memory."""
    engine, memory, _ = built(name)
    assert await style(engine, memory, ASKED) == "The"
    assert [(message.role.value, message.content) for message in memory.get_all()] == [
        ("user", ASKED),
        ("assistant", ANSWER),
    ]


@pytest.mark.parametrize("style", CUTS, ids=lambda style: style.__name__)
async def test_a_cancelled_run_leaves_the_question_alone(style):
    """A cancelled run of an agent has put the user's message and nothing else."""
    engine, memory, _ = built("FunctionAgent", stall_after=1)
    assert await style(engine, memory, ASKED) == "The"
    assert [message.role.value for message in memory.get_all()] == ["user"]


async def test_a_loop_that_ends_leaves_the_question_alone():
    """The reply of a stream whose event loop ends first never reaches the memory."""
    engine, memory, _ = built("ContextChatEngine", stall_after=1)
    assert await abandoned(engine, memory, ASKED) == "The"
    assert [message.role.value for message in memory.get_all()] == ["user"]
