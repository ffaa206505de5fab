"""The codec of Anthropic's Messages API."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.adapters.anthropic_codec import AnthropicMessages
from streetai_core.adapters.codec import Context, Reply, Request, Said, ToolCall
from tests.adapters.json_values import shaped

CODEC = AnthropicMessages()

IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
TOOL = {"name": "depth", "input_schema": {"type": "object"}}
CALL = {"type": "tool_use", "id": "call-1", "name": "depth", "input": {"of": "Skagen", "at": 3}}
CALLED = ToolCall(call_id="call-1", name="depth", arguments='{"at": 3, "of": "Skagen"}')

FIELDS = [
    "messages",
    "role",
    "content",
    "type",
    "text",
    "system",
    "thread",
    "previous_message_id",
    "id",
    "input",
    "tool_use_id",
    "index",
    "delta",
    "content_block",
    "partial_json",
    "message",
]
KINDS = ["user", "assistant", "system", "text", "tool_use", "tool_result", "image", "thinking"]
EVENTS = ["message_start", "content_block_start", "content_block_delta", "message_delta", "message_stop", "error"]


def body(*messages, **fields):
    """A request with these messages."""
    return {"model": "claude", "max_tokens": 100, "messages": list(messages), **fields}


def user(content):
    """A message of the user's."""
    return {"role": "user", "content": content}


def assistant(content):
    """A message of the model's."""
    return {"role": "assistant", "content": content}


def text(words, **more):
    """A block of text."""
    return {"type": "text", "text": words, **more}


def result(words, call="call-1"):
    """The result of a tool."""
    return {"type": "tool_result", "tool_use_id": call, "content": words}


def test_text_and_blocks_are_read_alike():
    """Several texts are joined by blank lines."""
    plain = CODEC.read_request(body(user("Where is it?")))
    blocks = CODEC.read_request(body(user([text("Where"), text("is it?")])))
    assert Request(said=(Said(role="user", text="Where is it?"),)) == plain
    assert "Where\n\nis it?" == blocks.said[0].text


@pytest.mark.parametrize("system", ["Be brief.", [text("Be brief.", cache_control={"type": "ephemeral"})]])
def test_instructions_come_from_system_and_from_messages(system):
    """Newer models take them in both places; they are not said."""
    request = CODEC.read_request(body({"role": "system", "content": "And kind."}, user("Hello"), system=system))
    assert "Be brief.\n\nAnd kind." == request.instructions
    assert ["user"] == [said.role for said in request.said]
    assert [1] == [said.position for said in request.said]


def test_thinking_is_not_said():
    """It is left where it is."""
    thinking = {"type": "thinking", "thinking": "They mean the boat.", "signature": "c2ln"}
    request = CODEC.read_request(body(user("Where?"), assistant([thinking, text("Berth 31.")]), user("Thanks.")))
    assert ["Where?", "Berth 31.", "Thanks."] == [said.text for said in request.said]


def test_a_text_with_citations_is_one_text():
    """The API cuts it where a citation begins and ends."""
    cited = [text("It is "), text("42 m", citations=[{"type": "char_location"}]), text(" deep.")]
    assert "It is 42 m deep." == CODEC.read_request(body(user("?"), assistant(cited))).said[1].text


def test_texts_on_both_sides_of_a_search_are_two():
    """The model went on after what the provider did for it."""
    searched = [text("Let me look."), {"type": "server_tool_use", "id": "s", "name": "web_search"}, text("Found.")]
    assert "Let me look.\n\nFound." == CODEC.read_request(body(user("?"), assistant(searched))).said[1].text


def test_calls_and_results():
    """Each result is said by itself, and what the user adds as well."""
    request = CODEC.read_request(
        body(
            user("How deep?"),
            assistant([text("I look."), CALL]),
            user([result([text("42"), text("m")]), text("And quickly.")]),
        )
    )
    assert (
        Said(role="user", text="How deep?"),
        Said(role="assistant", text="I look.", tool_calls=(CALLED,), position=1),
        Said(role="tool", text="42\n\nm", tool_call_id="call-1", position=2),
        Said(role="user", text="And quickly.", position=2),
    ) == request.said


def test_images_and_documents_are_told_by_kind():
    """Their bytes are not looked at."""
    request = CODEC.read_request(body(user([IMAGE, {"type": "document", "source": {}}, text("What is this?")])))
    assert (Said(role="user", text="What is this?", attachments=("image", "document")),) == request.said


def test_an_image_alone_is_said():
    """It is a message without text."""
    assert (Said(role="user", attachments=("image",)),) == CODEC.read_request(body(user([IMAGE]))).said


def test_a_thread_goes_on():
    """Of a thread that begins the request has all; of one that goes on the provider has it."""
    assert CODEC.read_request(body(user("Hi"), thread={"type": "create"})).continues is None
    thread = {"type": "continue", "previous_message_id": "msg_1"}
    assert "msg_1" == CODEC.read_request(body(user("Hi"), thread=thread)).continues


@given(shaped(FIELDS, kinds=KINDS), st.lists(shaped(FIELDS, kinds=KINDS), max_size=4))
def test_nothing_is_too_strange_to_be_read(strange, messages):
    """What the API will refuse is for the API to refuse."""
    CODEC.read_request({"messages": strange, "system": strange, "thread": strange})
    CODEC.read_request({"messages": messages})
    CODEC.read_reply({"content": strange, "id": strange, "model": strange})


def test_the_recalled_text_goes_in_front_of_a_plain_text():
    """It stays a plain text."""
    sent = CODEC.with_context(body(user("Where is it?")), Context(question=0, recalled="[recalled]"))
    assert body(user("[recalled]\n\nWhere is it?")) == sent


def test_the_recalled_text_is_a_block_of_its_own_after_results():
    """Results come first, and cache markers stay."""
    asked = body(user([result("42"), IMAGE, text("And this?", cache_control={"type": "ephemeral"})]))
    sent = CODEC.with_context(asked, Context(question=0, recalled="[recalled]"))
    blocks = asked["messages"][0]["content"]
    assert [blocks[0], text("[recalled]"), *blocks[1:]] == sent["messages"][0]["content"]


def test_the_window_stands_after_instructions_and_before_what_is_said():
    """As it was said."""
    window = (Said(role="user", text="Hello"), Said(role="assistant", text="Hello."))
    asked = body({"role": "system", "content": "Be kind."}, user("Where is it?"))
    sent = CODEC.with_context(asked, Context(question=1, window=window))
    first, second = asked["messages"]
    assert [first, user([text("Hello")]), assistant([text("Hello.")]), second] == sent["messages"]


def test_roles_take_turns_where_window_and_request_meet():
    """Two messages of the user become one."""
    window = (Said(role="user", text="One."), Said(role="user", text="Two."))
    sent = CODEC.with_context(body(user("Three.")), Context(question=0, window=window, recalled="[recalled]"))
    assert [user([text("One."), text("Two."), text("[recalled]\n\nThree.")])] == sent["messages"]


def test_old_exchanges_are_left_out():
    """The rest stays."""
    asked = body(user("a"), assistant("b"), user("c"), assistant("d"), user("e"))
    sent = CODEC.with_context(asked, Context(question=4, left_out=frozenset({0, 1})))
    assert asked["messages"][2:] == sent["messages"]


@pytest.mark.parametrize(
    ("fields", "with_tools"),
    [
        ({"tools": [TOOL]}, True),
        ({"tools": [TOOL], "thinking": {"type": "disabled"}}, True),
        ({}, False),
        ({"tools": [TOOL], "thinking": {"type": "enabled", "budget_tokens": 1024}}, False),
        ({"tools": [TOOL], "thinking": {"type": "adaptive"}}, False),
    ],
)
def test_calls_are_in_the_window_where_the_api_takes_them(fields, with_tools):
    """Else what was said besides them is."""
    window = (
        Said(role="user", text="How deep?"),
        Said(role="assistant", text="I look.", tool_calls=(CALLED,)),
        Said(role="tool", text="42 m", tool_call_id="call-1"),
        Said(role="assistant", text="42 m."),
    )
    sent = CODEC.with_context(body(user("Thanks."), **fields), Context(question=0, window=window))
    whole = [assistant([text("I look."), CALL]), user([result("42 m")]), assistant([text("42 m.")])]
    spoken = [assistant([text("I look."), text("42 m.")])]
    said = [user([text("How deep?")]), *(whole if with_tools else spoken), user("Thanks.")]
    assert said == sent["messages"]


def test_other_fields_stay():
    """All but the messages."""
    asked = body(user("Hi"), system=[text("S", cache_control={"type": "ephemeral"})], top_k=3, stream=True)
    sent = CODEC.with_context(asked, Context(question=0, recalled="[recalled]"))
    assert {**asked, "messages": None} == {**sent, "messages": None}


@pytest.mark.parametrize("arguments", ["[1", "[1]", "[" * 100_000], ids=["broken", "list", "deep"])
def test_a_call_that_was_not_understood_is_sent_without_arguments(arguments):
    """The API takes nothing but an object."""
    window = (Said(role="assistant", tool_calls=(ToolCall(call_id="1", name="depth", arguments=arguments),)),)
    sent = CODEC.with_context(body(user("Hi"), tools=[TOOL]), Context(question=0, window=window))
    assert {} == sent["messages"][0]["content"][0]["input"]


@given(
    st.lists(
        st.builds(user, st.text(max_size=5) | st.lists(st.sampled_from([IMAGE, text("a"), result("b")])))
        | st.builds(assistant, st.text(max_size=5) | st.lists(st.sampled_from([text("a"), CALL]))),
        max_size=6,
    ),
    st.data(),
)
def test_the_callers_request_is_never_changed(messages, data):
    """Whatever is added to the copy."""
    asked = body(*messages, tools=[TOOL])
    before = copy.deepcopy(asked)
    places = st.integers(0, max(len(messages) - 1, 0))
    window = (Said(role="user", text="w"), Said(role="user", text="v"), Said(role="assistant", text="x"))
    shown = window[: data.draw(st.integers(0, 3))]
    context = Context(
        question=data.draw(places),
        recalled="[recalled]",
        window=shown,
        left_out=frozenset(data.draw(st.sets(places))),
    )
    CODEC.with_context(asked, context)
    assert before == asked


def test_a_whole_message():
    """Text, calls, id, and why it ended."""
    data = {
        "id": "msg_1",
        "type": "message",
        "model": "claude",
        "content": [{"type": "thinking", "thinking": "..."}, text("I look."), CALL],
        "stop_reason": "tool_use",
    }
    assert Reply(
        text="I look.",
        tool_calls=(CALLED,),
        response_id="msg_1",
        metadata={"model": "claude", "finish_reason": "tool_use"},
    ) == CODEC.read_reply(data)


def test_the_same_message_in_pieces():
    """The same."""
    events = streamed()
    assert Reply(
        text="Berth 31.",
        tool_calls=(CALLED,),
        response_id="msg_1",
        metadata={"model": "claude", "finish_reason": "tool_use"},
    ) == CODEC.read_events(events)


@pytest.mark.parametrize("read", range(len(json.dumps(CALL["input"]))))
def test_a_stream_that_was_cut_is_not_complete(read):
    """At whichever event: a text is there as far as it came, a call wholly or not at all."""
    events = streamed()[:read]
    reply = CODEC.read_events(events)
    assert not reply.complete or len(streamed()) <= read
    assert "Berth 31.".startswith(reply.text)
    assert reply.tool_calls in {(), (CALLED,)}


def test_a_stream_that_ends_in_an_error_is_not_complete():
    """What came before the error is there."""
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    assert "Berth" == CODEC.read_events([*streamed()[:7], error]).text
    assert not CODEC.read_events([*streamed(), error]).complete


def test_no_events_are_an_empty_reply():
    """Which is not complete."""
    assert Reply(complete=False) == CODEC.read_events([])


@given(
    st.lists(st.dictionaries(st.sampled_from(FIELDS), shaped(FIELDS, kinds=[*KINDS, *EVENTS]), max_size=4), max_size=4)
)
def test_no_event_is_too_strange_to_be_read(events):
    """A reply that was paid for is read as far as it can be."""
    CODEC.read_events(events)


def test_arguments_nested_beyond_reading_are_no_call():
    """What was said beside them is kept."""
    start = {"type": "content_block_start", "index": 1, "content_block": {**CALL, "input": {}}}
    deep = {"type": "input_json_delta", "partial_json": "[" * 100_000}
    read = CODEC.read_events(
        [
            {"type": "content_block_start", "index": 0, "content_block": text("Berth 31.")},
            {"type": "content_block_stop", "index": 0},
            start,
            {"type": "content_block_delta", "index": 1, "delta": deep},
            {"type": "content_block_stop", "index": 1},
        ]
    )
    assert ("Berth 31.", ()) == (read.text, read.tool_calls)


def streamed():
    """A message with thinking, text and a call, as events."""
    arguments = json.dumps(CALL["input"])
    return [
        {"type": "message_start", "message": {"id": "msg_1", "type": "message", "model": "claude", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "..."}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "c2ln"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": text("")},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Berth"}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": " 31."}},
        {"type": "content_block_stop", "index": 1},
        {"type": "content_block_start", "index": 2, "content_block": {**CALL, "input": {}}},
        {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": ""}},
        *(
            {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": part}}
            for part in (arguments[:5], arguments[5:])
        ),
        {"type": "content_block_stop", "index": 2},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]
