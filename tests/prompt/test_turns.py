"""Roles always take turns, whatever was stored."""

from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.prompt.turns import WORDLESS, as_turns, with_question, without_tools
from streetai_core.types import ROLES, Message

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


def make_message(sequence, role, content="said", **metadata):
    """A stored message."""
    return Message(
        message_id=str(sequence),
        role=role,
        content=content,
        turn=sequence,
        sequence=sequence,
        created_at=NOW,
        metadata=metadata,
    )


VALUES = '{"boat": "Möwe", "feet": 42}'


def call(sequence, *ids, content="", arguments=VALUES):
    """An assistant message that calls tools."""
    calls = [{"id": one, "type": "function", "function": {"name": "f", "arguments": arguments}} for one in ids]
    return make_message(sequence, "assistant", content, tool_calls=calls)


def result(sequence, call_id):
    """A tool result."""
    return make_message(sequence, "tool", "42", tool_call_id=call_id)


IDS = ("a", "b", "c", "None", None)
"""Ids as they were stored: some apps keep none."""


def untied(sequence):
    """A tool result that says nothing of its call."""
    return make_message(sequence, "tool", "42")


def is_valid(turns):
    """The rule that every provider accepts."""
    roles = [turn["role"] for turn in turns]
    if not roles or roles[0] != "user" or roles[-1] != "user":
        return False
    open_calls = set()
    for before, turn in zip([None, *turns], turns, strict=False):
        if turn["role"] == "tool":
            if turn["tool_call_id"] not in open_calls:
                return False
            open_calls.discard(turn["tool_call_id"])
            continue
        if open_calls or (before is not None and before["role"] == turn["role"]):
            return False
        open_calls = {one["id"] for one in turn.get("tool_calls", ())}
    return not open_calls


@st.composite
def histories(draw):
    """Any sequence of roles, tool traffic broken in every way, blank texts included."""
    messages = []
    for sequence in range(draw(st.integers(0, 12))):
        role = draw(st.sampled_from([*ROLES, "call"]))
        content = draw(st.sampled_from(["said", "", "  ", "two\n\nlines"]))
        if role == "call":
            messages.append(
                call(sequence, *draw(st.lists(st.sampled_from(IDS), min_size=1, unique=True)), content=content)
            )
        elif role == "tool":
            messages.append(draw(st.sampled_from([result(sequence, one) for one in IDS] + [untied(sequence)])))
        else:
            messages.append(make_message(sequence, role, content))
    return messages


@given(histories())
def test_any_history_becomes_valid_turns(messages):
    """Property: valid for every provider once the new message is added."""
    assert is_valid(with_question(as_turns(messages).messages, "and now?"))


@given(histories())
def test_nothing_is_invented(messages):
    """Property: every line sent was said, by that role, but for what stands for a message without text."""
    said = {(message.role, line) for message in messages for line in message.content.split("\n\n")}
    said |= {("user", WORDLESS), ("assistant", WORDLESS), ("assistant", ""), ("assistant", VALUES)}
    for turn in as_turns(messages).messages:
        assert all((turn["role"], line.split("\n")[0]) in said for line in turn["content"].split("\n\n"))


@given(histories())
def test_no_question_that_had_a_reply_is_open(messages):
    """Property: whatever the reply was, and whether tools can be sent or not."""
    said = [one.role for one in messages if one.role in {"user", "assistant"}]
    if "user" in said and said[-1] == "assistant":
        for turns in (as_turns(messages), as_turns(without_tools(messages))):
            assert turns.messages[-1]["role"] != "user"


@given(histories())
def test_a_chat_without_tools_gets_none(messages):
    """Property: nothing of a call or a result is left, and no message without text."""
    for one in without_tools(messages):
        assert one.role != "tool"
        assert "tool_calls" not in one.metadata
        assert one.content.strip() or one.role in {"system", "developer"}


def test_neighbours_of_one_role_become_one_turn():
    """Their texts are kept apart by a blank line."""
    turns = as_turns(
        [make_message(0, "user", "one"), make_message(1, "user", "two"), make_message(2, "assistant", "three")]
    )
    assert [{"role": "user", "content": "one\n\ntwo"}, {"role": "assistant", "content": "three"}] == turns.messages


@pytest.mark.parametrize("before", [[], [("user", "one"), ("assistant", "two")]])
def test_a_reply_to_a_message_without_text_keeps_it(before):
    """Such as an image: else it would be taken for more of the reply before, or nobody would have asked for it."""
    said = [*before, ("user", " "), ("assistant", "a boat")]
    turns = as_turns([make_message(number, *one) for number, one in enumerate(said)])
    assert [*before, ("user", WORDLESS), ("assistant", "a boat")] == [
        (turn["role"], turn["content"]) for turn in turns.messages
    ]
    assert len(said) == len(turns.shown)


@pytest.mark.parametrize("said", [["", "one"], ["one", ""], ["", "", "one", ""]])
def test_a_message_without_text_says_nothing_beside_others(said):
    """Nor where no reply follows on it."""
    messages = [make_message(number, "user", one) for number, one in enumerate(said)]
    assert [{"role": "user", "content": "one"}] == as_turns(messages).messages
    assert ["one", "two"] == [
        turn["content"] for turn in as_turns([*messages, make_message(4, "assistant", "two")]).messages
    ]
    assert [] == as_turns([make_message(0, "user", ""), make_message(1, "user", "")]).messages


def test_a_leading_answer_is_set_apart():
    """It cannot be a turn, and is not lost either."""
    greeting = make_message(0, "assistant", "Hello!")
    turns = as_turns([greeting, make_message(1, "user", "Hi")])
    assert (greeting,) == turns.leading
    assert [{"role": "user", "content": "Hi"}] == turns.messages


def test_tool_exchanges_stay_whole():
    """A call with both results is kept; a call that misses one goes, and a lone result too."""
    start = make_message(0, "user", "compute")
    good = [call(1, "a", "b"), result(2, "b"), result(3, "a"), make_message(4, "assistant", "done")]
    assert ["user", "assistant", "tool", "tool", "assistant"] == [
        turn["role"] for turn in as_turns([start, *good]).messages
    ]
    broken = as_turns([start, call(1, "a", "b", content="wait"), result(2, "b"), make_message(3, "user", "well?")])
    assert ["compute", "wait", "well?"] == [turn["content"] for turn in broken.messages]
    assert not any("tool_calls" in turn for turn in broken.messages)
    assert ["user"] == [turn["role"] for turn in as_turns([start, result(1, "a")]).messages]


def test_an_unanswered_message_is_joined_with_the_new_one():
    """Two user messages in a row are one to most providers."""
    assert [{"role": "user", "content": "wait\n\nand now?"}] == with_question(
        [{"role": "user", "content": "wait"}], "and now?"
    )


@pytest.mark.parametrize("answer", [untied(1), result(1, None), result(1, "None")])
def test_a_call_without_an_id_is_not_sent(answer):
    """If it fails, one such message in a conversation makes every prompt of it an error."""
    turns = as_turns([make_message(0, "user"), call(1, None, content="let me see"), answer]).messages
    assert [turn["role"] for turn in turns] == ["user", "assistant"]
    assert "tool_calls" not in turns[1]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (call(1, "a"), VALUES),
        (call(1, "a", arguments='{"boat": "M\\u00f6we", "feet": 42}'), VALUES),
        (call(1, "a", arguments={"boat": "Möwe", "feet": 42}), VALUES),
        (call(1, "a", "b"), f"{VALUES}\n{VALUES}"),
        (call(1, None), VALUES),
        (call(1, "a", arguments="{}"), WORDLESS),
        (call(1, "a", arguments='{"boat":'), '{"boat":'),
        (make_message(1, "assistant", "", tool_calls=["a"]), WORDLESS),
        (make_message(1, "assistant", " "), WORDLESS),
    ],
)
def test_a_reply_without_text_answers_its_question(reply, words):
    """A structured answer, which is a call that no result follows, an image: it is not asked once more."""
    turns = as_turns([make_message(0, "user", "Which boat?"), reply, make_message(2, "user", "And whose?")])
    assert ["Which boat?", words, "And whose?"] == [turn["content"] for turn in turns.messages]
    assert ["user", "assistant", "user"] == [turn["role"] for turn in turns.messages]
    assert not any("tool_calls" in turn for turn in turns.messages)
    assert 3 == len(turns.shown)


@pytest.mark.parametrize("silent", [call(2, "a"), make_message(2, "assistant", "")])
def test_a_reply_without_text_says_nothing_beside_words(silent):
    """Before them or behind them; behind results of tools it is the last word."""
    start, words = make_message(0, "user", "Which boat?"), make_message(3, "assistant", "The Möwe.")
    for reply in ([silent, words], [make_message(1, "assistant", "The Möwe."), silent], [silent, silent, words]):
        assert ["Which boat?", "The Möwe."] == [turn["content"] for turn in as_turns([start, *reply]).messages]
    used = as_turns([start, call(1, "b"), result(2, "b"), silent]).messages
    assert ["user", "assistant", "tool", "assistant"] == [turn["role"] for turn in used]
    assert [] == as_turns([silent]).messages


def test_what_a_call_gives_is_said_once():
    """It may be stored as the text of the message, to be found; with the call it would stand there twice."""
    turns = as_turns([make_message(0, "user"), call(1, "a", content=VALUES), result(2, "a")]).messages
    assert ["", VALUES] == [turns[1]["content"], turns[1]["tool_calls"][0]["function"]["arguments"]]
    assert VALUES == as_turns([make_message(0, "user"), call(1, "a", content=VALUES)]).messages[1]["content"]


def test_a_chat_without_tools_has_what_was_said_beside_them():
    """Of an exchange that ends a turn it has what the model called the tool with."""
    start = make_message(0, "user", "Which boat?")
    used = [call(1, "a"), result(2, "a"), make_message(3, "assistant", "The Möwe.")]
    assert ["Which boat?", "The Möwe."] == [one.content for one in without_tools([start, *used])]
    assert ["Which boat?", VALUES] == [one.content for one in without_tools([start, *used[:2]])]
