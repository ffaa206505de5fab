"""Which messages go to the model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.base.llms.types import (
    ChatMessage,
    CitableBlock,
    DocumentBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from llama_index.core.memory import ChatMemoryBuffer

from streetai_llamaindex.speech import role_of
from streetai_llamaindex.transcript import numbered
from streetai_llamaindex.window import TokenCosts, fitting, from_start, shares
from tests.llamaindex_plugin.conftest import assistant, user

PNG = b"\x89PNG\r\n\x1a\n\x00\x01"


def words(text):
    """A tokenizer that a reader can follow."""
    return text.split()


@st.composite
def transcripts(draw):
    """Exchanges with and without tool steps, perhaps after instructions or a greeting, and perhaps a question."""
    messages = []
    if draw(st.booleans()):
        messages.append(ChatMessage(role=draw(st.sampled_from(["system", "assistant"])), content="be kind"))
    length = st.integers(1, 12)
    for number in range(draw(st.integers(0, 6))):
        messages.append(user(" ".join([f"q{number}"] * draw(length))))
        for step in range(draw(st.integers(0, 2))):
            call = ToolCallBlock(tool_call_id=f"c{number}.{step}", tool_name="t", tool_kwargs={"a": 1})
            messages.append(ChatMessage(role="assistant", blocks=[call]))
            messages.append(ChatMessage(role="tool", content=" ".join(["r"] * draw(length))))
        messages.append(assistant(" ".join([f"a{number}"] * draw(length))))
    if draw(st.booleans()):
        messages.append(user(" ".join(["last"] * draw(length))))
    return messages


@given(transcripts(), st.integers(0, 120), st.booleans())
def test_a_window_is_whole_exchanges_that_fit(messages, available, complete):
    """9.9: Never too long, never a tool result without its call, never an answer first, and as long as it can be."""
    lines = numbered(messages)
    costs = TokenCosts(words).of_lines(lines)
    shown = fitting(lines, costs, available, complete=complete, question=None)
    start = len(lines) - len(shown)
    assert list(shown) == lines[start:]
    if not shown:
        return
    role = role_of(shown[0].message)
    assert role == "user" or (role == "system" and start == 0 and (complete or len(lines) == 1))
    if sum(costs[start:]) > available:
        assert start == len(lines) - 1
    longer = [place for place in range(start) if role_of(lines[place].message) == "user"]
    assert all(sum(costs[place:]) > available for place in longer)


@given(transcripts(), st.integers(1, 120))
def test_a_window_of_words_is_the_stock_one(messages, limit):
    """9.9: Who changes to this memory sees the prompts that he knows, as long as there is nothing to recall.

    The stock buffer may show an answer first, if it is all that fits or was said first; and tool calls cost nothing.
    """
    spoken = [message for message in messages if role_of(message) != "tool" and message.content]
    stock = ChatMemoryBuffer.from_defaults(chat_history=list(spoken), token_limit=limit, tokenizer_fn=words).get()
    lines = numbered(spoken)
    costs = TokenCosts(words).of_lines(lines)
    shown = [line.message for line in fitting(lines, costs, limit, complete=True, question=None)]
    if stock and role_of(stock[0]) in ("user", "system"):
        assert shown == stock


@given(transcripts(), st.integers(0, 120), st.floats(0, 1))
def test_window_and_recall_share_the_limit(messages, available, ratio):
    """9.9: Recall has its share at most, a history that fits is shown whole, and together they fit."""
    lines = numbered(messages)
    costs = TokenCosts(words).of_lines(lines)
    share = shares(lines, costs, available, ratio, complete=True, question=None)
    used = sum(costs[len(lines) - len(share.window) :])
    assert share.recall <= available * ratio
    assert used + max(0, share.recall) <= available or len(share.window) <= 1
    if sum(costs) <= available:
        dropped = len(lines) - len(share.window)
        assert all(role_of(line.message) == "assistant" for line in lines[:dropped])


def test_the_question_is_never_left_out():
    """9.9: With a long prefix or a long tool result the model still hears what was asked."""
    lines = numbered([user("before"), assistant("yes"), user("the question"), assistant("a " * 50), user("other")])
    costs = TokenCosts(words).of_lines(lines)
    shown = fitting(lines, costs, 3, complete=True, question=lines[2].key)
    assert list(shown) == lines[2:]


def test_nothing_fits():
    """9.9: Of a last message that is too long the model says so itself; an answer without its question is not sent."""
    lines = numbered([user("a b c"), assistant("d e f"), user("g h i")])
    costs = TokenCosts(words).of_lines(lines)
    assert list(fitting(lines, costs, 1, complete=True, question=None)) == lines[2:]
    assert list(fitting(lines[:2], costs[:2], 1, complete=True, question=None)) == []
    assert list(fitting([], [], 1, complete=True, question=None)) == []


CALL = ToolCallBlock(tool_call_id="c1", tool_name="find", tool_kwargs={"text": "word " * 30})


@pytest.mark.parametrize(
    ("message", "least", "most"),
    [
        (user("one two three"), 3, 3),
        (ChatMessage(role="user", blocks=[TextBlock(text="one two"), TextBlock(text="three")]), 3, 3),
        (ChatMessage(role="assistant", blocks=[]), 0, 0),
        (ChatMessage(role="assistant", blocks=[CALL]), 30, 40),
        (assistant("", additional_kwargs={"tool_calls": [{"function": {"arguments": "word " * 30}}]}), 30, 40),
        (
            ChatMessage(
                role="assistant",
                blocks=[CALL],
                additional_kwargs={"tool_calls": [{"function": {"arguments": "word " * 30}}]},
            ),
            30,
            40,
        ),
        (ChatMessage(role="assistant", blocks=[ThinkingBlock(content="a b c")]), 3, 3),
        (ChatMessage(role="assistant", blocks=[ThinkingBlock(content="a", num_tokens=99)]), 99, 99),
        (ChatMessage(role="user", blocks=[ImageBlock(image=PNG)]), 256, 256),
        (ChatMessage(role="user", blocks=[DocumentBlock(data=b"x")]), 2048, 2048),
        (ChatMessage(role="user", blocks=[CitableBlock(title="t", source="s", content="a b")]), 2, 2),
    ],
)
def test_everything_is_counted(message, least, most):
    """9.9: A tool call of 3000 words does not slip into a limit of 500."""
    assert least <= TokenCosts(words).of_message(message) <= most


def test_each_message_is_counted_once():
    """9.9: Reading a long transcript again and again does not count it again and again."""
    counted = []

    def tokenizer(text):
        counted.append(text)
        return text.split()

    costs = TokenCosts(tokenizer)
    lines = numbered([user(f"message {number}") for number in range(100)])
    costs.of_lines(lines)
    assert len(counted) == 100
    costs.of_lines(numbered([user(f"message {number}") for number in range(101)]))
    assert len(counted) == 101


def test_what_came_before_stays_outside():
    """What may have been recalled does not come back into the window of the same turn."""
    lines = numbered([user("a"), assistant("b"), user("c")])
    assert list(from_start(lines, lines[2].key)) == lines[2:]
    assert list(from_start(lines, "gone")) == lines
    assert list(from_start(lines, None)) == lines
