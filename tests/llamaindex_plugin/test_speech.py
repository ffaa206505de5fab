"""What messages and inputs say."""

import pytest
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.schema import QueryBundle

from streetai_llamaindex.speech import asked_text, ends_turn, is_tool_traffic, reply_text
from tests.llamaindex_plugin.conftest import assistant, user


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("words", "words"),
        (user("words"), "words"),
        (ChatMessage(role="user", blocks=[TextBlock(text="a"), TextBlock(text="b")]), "a\nb"),
        (ChatMessage(role="user", blocks=[]), ""),
        (QueryBundle("words"), "words"),
        (None, ""),
        (7, ""),
        (["words"], ""),
    ],
)
def test_input_of_a_read(value, text):
    """9.3: Whatever a caller gives as input, the question is found or there is none; nothing raises."""
    assert asked_text(value) == text


CALL = ToolCallBlock(tool_call_id="c", tool_name="depth", tool_kwargs={})


@pytest.mark.parametrize(
    ("message", "ends", "reply"),
    [
        (assistant("One metre."), True, "One metre."),
        (ChatMessage(role="model", content="One metre."), True, "One metre."),
        (assistant("Empty Response"), True, ""),
        (assistant(""), False, ""),
        (ChatMessage(role="assistant", blocks=[]), False, ""),
        (ChatMessage(role="assistant", blocks=[TextBlock(text="I look."), CALL]), False, ""),
        (assistant("I look.", additional_kwargs={"tool_calls": [{"id": "c"}]}), False, ""),
        (assistant("Thought: hm\nAction: depth\nAction Input: {}\nObservation: 1"), False, ""),
        (
            assistant("Thought: hm\nAction: depth\nObservation: 1\nThought: ok\nAnswer: One metre.\nSafe."),
            True,
            "One metre.\nSafe.",
        ),
        (assistant("Thought: Answer: was\nAnswer: One.\nAnswer: Two."), True, "Two."),
        (assistant("Action: reef the sail early."), False, ""),
        (assistant("Thought: provoking, that question."), True, "Thought: provoking, that question."),
        (user("One metre."), False, ""),
        (ChatMessage(role="tool", content="One metre."), False, ""),
    ],
)
def test_the_reply_of_a_turn(message, ends, reply):
    """9.5: Only the assistant's final words are learned from; not tool steps, nor "Empty Response", nor a trace."""
    assert (ends_turn(message), reply_text(message)) == (ends, reply)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (ChatMessage(role="tool", content="x"), True),
        (ChatMessage(role="function", content="x"), True),
        (ChatMessage(role="assistant", blocks=[CALL]), True),
        (assistant("x"), False),
        (user("x", additional_kwargs={"tool_calls": [{"id": "c"}]}), False),
    ],
)
def test_tool_traffic(message, expected):
    """A tool's result and the call for it are told from what people say."""
    assert is_tool_traffic(message) is expected
