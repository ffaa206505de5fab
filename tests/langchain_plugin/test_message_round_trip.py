"""Every message comes back from the database equal."""

from uuid import uuid4

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    message_to_dict,
    messages_from_dict,
)

from streetai_langchain.messages import from_stored
from tests.langchain_plugin.conftest import stored

CALL = {"name": "depth", "args": {"harbour": "Kiel", "metres": [1, 2.5]}, "id": "call_1", "type": "tool_call"}
BROKEN_CALL = {"name": "depth", "args": "{", "id": "call_2", "error": "not JSON", "type": "invalid_tool_call"}
IMAGE = {"type": "image", "url": "https://example.org/boat.png", "mime_type": "image/png"}

TABLE = {
    "human": HumanMessage("Is it deep enough?"),
    "named human with an id": HumanMessage("Is it?", name="Mara", id="human-1"),
    "empty human": HumanMessage(""),
    "blank human": HumanMessage(" \n"),
    "several lines": HumanMessage("one\r\n\ttwo\u2028three \N{SAILBOAT}"),
    "text and image": HumanMessage([{"type": "text", "text": "What boat is this?"}, IMAGE]),
    "image alone": HumanMessage([IMAGE]),
    "strings and blocks": HumanMessage(["one", {"type": "text", "text": "two", "annotations": [{"type": "citation"}]}]),
    "non-standard block": AIMessage([{"type": "non_standard", "value": {"provider": [1, None, True]}}]),
    "reasoning block": AIMessage([{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "Yes."}]),
    "extra field": HumanMessage("hello", mood="glad", nothing=None),
    "ai": AIMessage("Yes.", id="lc_run--1"),
    "ai with everything": AIMessage(
        "Let me see.",
        id="msg_1",
        name="skipper",
        tool_calls=[CALL, {**CALL, "id": "call_3", "args": {}}],
        invalid_tool_calls=[BROKEN_CALL],
        additional_kwargs={"refusal": None, "nested": {"deep": [{"er": 1}]}},
        response_metadata={"model_name": "m", "output_version": "v1", "logprobs": {"content": [-0.5]}},
        usage_metadata={
            "input_tokens": 5,
            "output_tokens": 2,
            "total_tokens": 7,
            "input_token_details": {"cache_read": 3},
        },
    ),
    "ai with blocks and calls": AIMessage(
        [{"type": "text", "text": "See:"}, {"type": "tool_use", "id": "call_1", "name": "depth", "input": {"a": 1}}],
        tool_calls=[CALL],
    ),
    "call without id": AIMessage("", tool_calls=[{**CALL, "id": None}]),
    "calls as the provider gave them": AIMessage(
        "",
        additional_kwargs={
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]
        },
    ),
    "refusal in blocks": AIMessage([{"type": "refusal", "refusal": "I will not."}], id="lc_run--2"),
    "refusal beside the content": AIMessage("", additional_kwargs={"refusal": "I will not."}),
    "system": SystemMessage("Be brief.", id="system-1"),
    "tool": ToolMessage("4 m", tool_call_id="call_1", name="depth"),
    "failed tool with artifact": ToolMessage(
        "no such harbour", tool_call_id="call_1", status="error", artifact={"rows": [[1, 2.5], ["a", None]]}
    ),
    "tool with blocks": ToolMessage([{"type": "text", "text": "4 m"}, IMAGE], tool_call_id="call_1"),
    "function": FunctionMessage("4 m", name="depth"),
    "chat with a known role": ChatMessage("Be brief.", role="developer"),
    "chat with another role": ChatMessage("I object.", role="critic", name="Anna"),
}


@pytest.mark.parametrize("name", TABLE)
def test_every_message_comes_back_equal(shared, name):
    """6.8: What is read is what was stored, and what LangChain's own round trip gives."""
    message = TABLE[name]

    back = from_stored(stored(shared, name, message)[0])

    assert back == message
    assert back == messages_from_dict([message_to_dict(message)])[0]
    assert type(back) is type(message)


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(TEXTS, JSON, max_size=3)
BLOCKS = st.fixed_dictionaries({"type": st.just("text"), "text": TEXTS}) | OBJECTS
COMMON = {
    "content": TEXTS | st.lists(TEXTS | BLOCKS, max_size=3),
    "name": st.none() | TEXTS,
    "id": st.none() | st.uuids().map(str),
    "additional_kwargs": OBJECTS,
    "response_metadata": OBJECTS,
}
CALLS = st.fixed_dictionaries({"name": TEXTS, "args": OBJECTS, "id": st.none() | TEXTS})
MESSAGES = st.one_of(
    st.builds(HumanMessage, **COMMON),
    st.builds(SystemMessage, **COMMON),
    st.builds(ChatMessage, **COMMON, role=TEXTS | st.sampled_from(["user", "assistant", "tool"])),
    st.builds(FunctionMessage, **{**COMMON, "name": TEXTS}),
    st.builds(ToolMessage, **COMMON, tool_call_id=TEXTS, artifact=JSON, status=st.sampled_from(["success", "error"])),
    st.builds(AIMessage, **COMMON, tool_calls=st.lists(CALLS, max_size=2)),
)


@example(messages=[FunctionMessage("31", name=""), HumanMessage("Berth?", name=" ")])
@given(messages=st.lists(MESSAGES, max_size=3, unique_by=lambda message: message.id or id(message)))
@settings(max_examples=60)
def test_any_messages_come_back_equal(shared, messages):
    """6.8: The round trip through a database loses nothing, whatever a message holds."""
    # A conversation of its own for each example, also for a repeated one.
    back = [from_stored(message) for message in stored(shared, uuid4().hex, *messages)]

    assert back == messages


def test_a_field_that_its_own_class_refuses_costs_no_other(shared, caplog):
    """LangChain gives a reply from its cache a usage that has only a cost, past its own checks."""
    message = AIMessage("Yes.", id="lc_run--7", response_metadata={"model": "m"})
    message.usage_metadata = {"total_cost": 0}
    whole = AIMessage("Yes.", id="lc_run--7", response_metadata={"model": "m"})

    assert whole == from_stored(stored(shared, "cached", message)[0])
    assert "usage_metadata" in caplog.text
