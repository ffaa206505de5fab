"""Replies without text: structured answers, which are calls that no result follows on, and what a model makes."""

import pytest
from llama_index.core.llms import ChatMessage, ImageBlock
from llama_index.llms.openai.utils import to_openai_message_dicts

from streetai_core.prompt.turns import WORDLESS
from streetai_llamaindex import StreetAIChatMemoryBuffer, StreetAIMemory
from streetai_llamaindex.exchanges import with_whole_exchanges
from streetai_llamaindex.transcript import line_of
from tests.adapters.wire import openai_chat_api
from tests.llamaindex_plugin.conftest import SESSION, assistant, said, user
from tests.llamaindex_plugin.engines import ENGINES, FRAMEWORK_WARNINGS
from tests.llamaindex_plugin.scripted import Script, calls, calls_of
from tests.llamaindex_plugin.styles import STYLES

pytestmark = FRAMEWORK_WARNINGS

HEADERS = {"authorization": "none"}
VALUES = '{"draught": "one metre forty"}'


def answer(number, *, in_kwargs=False):
    """A structured answer."""
    return calls("boat", {"draught": "one metre forty"}, number, in_kwargs=in_kwargs)


def result(text, call):
    """The result of a call."""
    return ChatMessage(role="tool", content=text, additional_kwargs={"tool_call_id": call})


def faults(messages):
    """What OpenAI finds wrong with messages, as LlamaIndex sends them."""
    return openai_chat_api.faults(HEADERS, {"model": "m", "messages": to_openai_message_dicts(messages)})


@pytest.fixture(params=[StreetAIChatMemoryBuffer, StreetAIMemory])
def memory(request, registry):
    """A memory of either kind."""
    return request.param.from_defaults(registry=registry, session_id=SESSION)


@pytest.mark.parametrize("in_kwargs", [False, True])
@pytest.mark.parametrize("asks", ["put", "get"])
def test_structured_answers_are_shown_as_words(memory, in_kwargs, asks):
    """9.9: An app that has its answers by calls puts them as they are; a provider takes what comes back."""
    for number in range(3):
        question = f"What is the draught of boat {number}?"
        if asks == "put":
            memory.put(user(question))
        shown = memory.get(question) if asks == "get" else memory.get()
        assert faults(shown or [user(question)]) == []
        assert [VALUES] * number == [one.content for one in shown if one.role == "assistant"]
        assert not any(calls_of(one) for one in shown)
        if asks == "get":
            memory.put(user(question))
        memory.put(answer(number, in_kwargs=in_kwargs))
    assert all(calls_of(one) for one in memory.get_all() if one.role == "assistant")


def test_an_exchange_may_still_go_on(memory):
    """9.9: A loop of one's own reads the memory between a call and its result."""
    memory.put(user("What is the draught?"))
    memory.put(answer(0))
    assert calls_of(memory.get()[-1])
    memory.put(result("one metre forty", "call-boat-0"))
    assert [one.role.value for one in memory.get()] == ["user", "assistant", "tool"]
    assert faults(memory.get()) == []


def test_what_stands_for_a_call():
    """Its words, what else it has, what it called with, or that it has no text."""
    image = ImageBlock(image=b"x", image_mimetype="image/png")
    two = ChatMessage(role="assistant", blocks=[*answer(0).blocks, *answer(1).blocks])
    cases = {
        "Wait.": ChatMessage(role="assistant", blocks=[*assistant("Wait.").blocks, *answer(0).blocks]),
        f"{VALUES}\n{VALUES}": two,
        WORDLESS: calls("boat", {}),
        None: ChatMessage(role="assistant", blocks=[image, *answer(0).blocks]),
    }
    for words, message in cases.items():
        lines = [line_of(str(key), one) for key, one in enumerate([user("a"), message, result("r", "x"), user("b")])]
        whole = with_whole_exchanges(lines, over=False)
        if message is two:
            assert [one.message.content for one in whole] == ["a", words, "b"]
        else:
            assert whole == lines
        without = [one for one in lines if one.message.role != "tool"]
        assert [one.message.content for one in with_whole_exchanges(without, over=False)] == ["a", words, "b"]
        assert not any(calls_of(one.message) for one in with_whole_exchanges(without, over=False))
        assert calls_of(message)


@pytest.mark.parametrize("engine", ENGINES[:1] + ENGINES[2:3], ids=str)
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
async def test_what_a_model_makes_ends_its_turn(memory, engine, style):
    """9.5: The same words are another question after it; LlamaIndex keeps no image of a stream."""
    image = ChatMessage(role="assistant", blocks=[ImageBlock(image=b"x", image_mimetype="image/png")])
    built = engine.build(memory, Script(lambda _: image))
    if "stream" in style.__name__:
        memory.put(user("Draw my boat."))
        memory.put(image)
        memory.put(user("Draw my boat."))
        memory.put(image)
    else:
        for _ in range(2):
            await style(built, memory, "Draw my boat.")
    assert said(memory) == [("user", "Draw my boat."), ("assistant", "")] * 2
    assert memory.last_turn.outcome == "answered"
    assert memory.registry.get(SESSION).stats()["turn_counter"] == 4
