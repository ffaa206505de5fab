"""LangChain messages as stored messages and back."""

import logging

import pytest
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)

from streetai_core import NewMessage
from streetai_core.errors import InputError
from streetai_langchain.messages import from_stored, text_of, to_stored
from tests.langchain_plugin.conftest import stored

CALL = {"name": "depth", "args": {"harbour": "Kiel", "metres": [1, 2.5]}, "id": "call_1", "type": "tool_call"}
IMAGE = {"type": "image", "url": "https://example.org/boat.png", "mime_type": "image/png"}
PICTURE = HumanMessage([{"type": "text", "text": "What boat is this?"}, IMAGE])


@pytest.mark.parametrize(
    ("message", "role"),
    [
        (HumanMessage("a"), "user"),
        (AIMessage("a"), "assistant"),
        (AIMessageChunk("a"), "assistant"),
        (SystemMessage("a"), "system"),
        (ToolMessage("a", tool_call_id="1"), "tool"),
        (FunctionMessage("a", name="f"), "tool"),
        (ChatMessage("a", role="assistant"), "assistant"),
        (ChatMessage("a", role="developer"), "developer"),
        (ChatMessage("a", role="human"), "user"),
        (ChatMessage("a", role="ai"), "assistant"),
        (ChatMessage("a", role="critic"), "user"),
    ],
)
def test_roles(message, role):
    """Every type has its role, and a chat message the one it names."""
    assert to_stored(message, None).role == role


def test_plain_text_is_not_repeated_in_the_metadata():
    """A plain message needs no more than its type; name and text have places of their own."""
    new = to_stored(HumanMessage("My boat is called Pelikan.", name="Mara"), "s1")

    assert (new.content, new.name, new.conversation_id) == ("My boat is called Pelikan.", "Mara", "s1")
    assert new.metadata == {"langchain": {"type": "human"}}


def test_tool_calls_are_stored_as_the_core_knows_them_and_once():
    """Calls and the id of a result are where the core looks for them, and nowhere else."""
    new = to_stored(AIMessage("", tool_calls=[CALL]), None)
    result = to_stored(ToolMessage("4 m", tool_call_id="call_1"), None)

    assert new.metadata == {
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "depth", "arguments": '{"harbour": "Kiel", "metres": [1, 2.5]}'},
            }
        ],
        "langchain": {"type": "ai"},
    }
    assert result.metadata == {"tool_call_id": "call_1", "langchain": {"type": "tool"}}


def test_only_what_is_said_moves_the_clock(shared):
    """6.1: Calls, with and without ids, and results do not tick; question and reply do."""
    before = shared.stats()["turn_counter"]

    stored(
        shared,
        "clock",
        HumanMessage("How deep is it?"),
        AIMessage("", tool_calls=[CALL]),
        ToolMessage("4 m", tool_call_id="call_1"),
        AIMessage("And again.", tool_calls=[{**CALL, "id": None}]),
        AIMessage("Four metres."),
    )

    assert shared.stats()["turn_counter"] == before + 2


def test_the_text_is_what_the_blocks_say(shared):
    """Signals are made of the text of a message with blocks, not of its blocks."""
    message = stored(shared, "blocks", PICTURE)[0]

    assert message.content == "What boat is this?"


def test_a_chunk_is_stored_as_the_message_it_stands_for(shared):
    """6.8: A streamed reply comes back as an ordinary message."""
    chunk = AIMessageChunk("Yes", id="run-1") + AIMessageChunk(".", id="run-1", chunk_position="last")

    assert from_stored(stored(shared, "chunk", chunk)[0]) == AIMessage("Yes.", id="run-1")


def test_a_subclass_comes_back_as_its_base(shared):
    """6.8: A class that cannot be found again, like one made in a function, becomes LangChain's own with its fields."""

    class Rated(HumanMessage):
        type: str = "rated"
        stars: int = 0

    class Radio(BaseMessage):
        type: str = "radio"

    rated, radio = stored(shared, "subclass", Rated("good", stars=5), Radio("over"))

    assert from_stored(rated) == HumanMessage("good", stars=5)
    assert from_stored(radio) == ChatMessage("over", role="radio")


def test_an_id_is_stored_once_per_conversation_and_text(shared):
    """6.2: Adding a message again is harmless; the same id elsewhere or with another text is another message."""
    reply = AIMessage("Yes.", id="msg_7")
    stored(shared, "once", reply)

    assert len(stored(shared, "once", reply, reply)) == 1
    assert len(stored(shared, "elsewhere", reply)) == 1
    assert len(stored(shared, "once", AIMessage("No.", id="msg_7"))) == 2
    assert len(stored(shared, "once", HumanMessage("Yes."), HumanMessage("Yes."))) == 4


def test_an_edited_text_is_what_is_read(shared):
    """An edit in the core shows in LangChain's message, also where that has blocks."""
    blocks, plain = stored(shared, "edited", PICTURE, HumanMessage("old", id="e1"))
    shared.update_message(blocks.message_id, "What ship is this?")
    shared.update_message(plain.message_id, "new")

    first, second = shared.messages(conversation_id="edited")

    assert from_stored(first).content == "What ship is this?"
    assert from_stored(second) == HumanMessage("new", id="e1")


def test_messages_of_others_are_read_by_their_role(shared):
    """What the core or another adapter stored is a LangChain message too, with the stored id."""
    shared.add_messages(
        [
            NewMessage(content="Hi", role="user", name="Mara", conversation_id="other", message_id="o1"),
            NewMessage(
                content="",
                role="assistant",
                conversation_id="other",
                message_id="o2",
                metadata={
                    "tool_calls": [
                        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}},
                        {"id": "c2", "type": "function", "function": {"name": "f", "arguments": "{"}},
                        {"id": "c3", "type": "function", "function": {"name": "f", "arguments": "[" * 100_000}},
                        "nonsense",
                    ]
                },
            ),
            NewMessage(
                content="4", role="tool", conversation_id="other", message_id="o3", metadata={"tool_call_id": "c1"}
            ),
            NewMessage(content="Be brief.", role="developer", conversation_id="other", message_id="o4"),
        ]
    )

    assert [from_stored(message) for message in shared.messages(conversation_id="other")] == [
        HumanMessage("Hi", name="Mara", id="o1"),
        AIMessage("", id="o2", tool_calls=[{"name": "f", "args": {"a": 1}, "id": "c1"}]),
        ToolMessage("4", id="o3", tool_call_id="c1"),
        SystemMessage("Be brief.", id="o4"),
    ]


@pytest.mark.parametrize("payload", [{"type": "hologram"}, {"data": {}}, {"type": "ai", "data": {"tool_calls": 5}}])
def test_a_part_that_cannot_be_read_costs_only_itself(shared, caplog, payload):
    """A damaged or newer LangChain part is reported, and the text is still there."""
    shared.add_message("Yes.", "assistant", conversation_id=str(payload), metadata={"langchain": payload})

    with caplog.at_level(logging.WARNING, logger="streetai_langchain"):
        back = from_stored(shared.messages(conversation_id=str(payload))[0])

    assert isinstance(back, AIMessage)
    assert back.content == "Yes."
    assert len(caplog.records) == 1


@pytest.mark.parametrize("value", ["text", {"type": "human"}, RemoveMessage(id="1"), None])
def test_only_messages_can_be_stored(value):
    """6.7: Anything that says nothing is refused."""
    with pytest.raises(InputError, match="only messages that say something"):
        to_stored(value, None)


@pytest.mark.parametrize("content", [None, 5, {"type": "text", "text": "a"}])
@pytest.mark.parametrize("kind", [HumanMessage, AIMessage])
def test_a_content_that_was_set_is_looked_at(kind, content):
    """6.7: LangChain looks at it only when it makes a message; what it is then was an error of Python's."""
    message = kind("a")
    message.content = content
    for read in (text_of, lambda one: to_stored(one, None)):
        with pytest.raises(InputError, match=f"content of a {kind.__name__} must be text or content blocks, got"):
            read(message)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        (AIMessage([{"type": "text", "text": "a"}, IMAGE]), "a"),
        (AIMessage([{"type": "refusal", "refusal": "a"}, IMAGE]), "a"),
        (AIMessage("", additional_kwargs={"refusal": "a"}), "a"),
        (AIMessage("b", additional_kwargs={"refusal": None}), "b"),
        ([HumanMessage("a"), AIMessage(""), AIMessage("b")], "a\n\nb"),
        ([{"type": "text", "text": "a"}, IMAGE], "a"),
        ([1, 2], "[1, 2]"),
        (5, "5"),
    ],
)
def test_text_of_chain_values(value, text):
    """The text of whatever a chain takes and returns."""
    assert text_of(value) == text
