"""Calls that another provider's model made are sent as each provider takes them."""

import re

import pytest

from streetai_core.adapters.anthropic_codec import AnthropicMessages
from streetai_core.adapters.codec import Context, Said, ToolCall
from streetai_core.adapters.foreign_calls import fitting_call_id, fitting_tool_name
from streetai_core.adapters.openai_chat import ChatCompletions
from streetai_core.adapters.openai_responses import Responses

USER = {"role": "user", "content": "And now?"}
BODIES = {
    "chat": (ChatCompletions(), {"messages": [USER], "tools": [{}]}, "messages"),
    "responses": (Responses(), {"input": [USER], "tools": [{}]}, "input"),
    "anthropic": (AnthropicMessages(), {"messages": [USER], "tools": [{}]}, "messages"),
}
IDS = ["functions.depth:0", "chatcmpl-tool-0123456789abcdef0123456789abcdef", "call_é", ""]


def fields(value, *names):
    """What stands in a JSON value under these names, wherever, in order."""
    if isinstance(value, list):
        return [found for one in value for found in fields(one, *names)]
    if not isinstance(value, dict):
        return []
    here = [value[name] for name in names if name in value]
    return here + [found for one in value.values() for found in fields(one, *names)]


@pytest.mark.parametrize("api", BODIES)
@pytest.mark.parametrize("call_id", IDS)
def test_a_call_of_another_provider_is_sent_with_an_id_that_this_one_takes(api, call_id):
    """Anthropic refuses dots and colons, OpenAI more than 40 characters: the whole request would fail."""
    codec, body, field = BODIES[api]
    call = ToolCall(call_id=call_id, name="sea.depth", arguments="{}")
    window = (
        Said(role="user", text="How deep is it?"),
        Said(role="assistant", tool_calls=(call,)),
        Said(role="tool", text="3 m", tool_call_id=call_id),
    )
    sent = codec.with_context(body, Context(question=0, recalled="", window=window, left_out=frozenset()))[field]
    ids = fields(sent, "id", "call_id", "tool_call_id", "tool_use_id")
    assert len(ids) == 2
    assert len(set(ids)) == 1
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,40}", ids[0])
    assert fields(sent, "name") == ["sea_depth"]


@pytest.mark.parametrize("call_id", ["call_abc", "toolu_01A09q90qw90lq917835lq9", "depth-0e0333b4c9979d48-2"])
def test_an_id_that_all_take_stays(call_id):
    """So a result that the caller sends belongs to its call."""
    assert fitting_call_id(call_id) == call_id


def test_different_ids_stay_different():
    """What is not taken is not merely left out."""
    assert fitting_call_id("functions.depth:0") != fitting_call_id("functions.depth:1")


@pytest.mark.parametrize(("name", "sent"), [("depth", "depth"), ("a" * 80, "a" * 64), ("", "tool")])
def test_names_are_as_long_as_all_take_them(name, sent):
    """And never empty."""
    assert fitting_tool_name(name) == sent
