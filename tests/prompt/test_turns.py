"""Roles always take turns, whatever was stored."""

from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.prompt.turns import WORDLESS, as_turns, with_question
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


def call(sequence, *ids, content=""):
    """An assistant message that calls tools."""
    calls = [{"id": one, "type": "function", "function": {"name": "f", "arguments": "{}"}} for one in ids]
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
    said.add(("user", WORDLESS))
    for turn in as_turns(messages).messages:
        assert all((turn["role"], line) in said for line in turn["content"].split("\n\n"))


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
    assert ["user"] == [turn["role"] for turn in as_turns([start, call(1, "a", "b"), result(2, "b")]).messages]
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
