"""The codec of the Gemini API."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.adapters.codec import Context, Reply, Said, ToolCall
from streetai_core.adapters.gemini_codec import GeminiContents
from tests.adapters.json_values import shaped

CODEC = GeminiContents()

TOOLS = [{"functionDeclarations": [{"name": "depth"}]}]

FIELDS = [
    "contents",
    "role",
    "parts",
    "text",
    "thought",
    "functionCall",
    "functionResponse",
    "inlineData",
    "name",
    "args",
    "response",
    "candidates",
    "content",
    "finishReason",
    "promptFeedback",
    "blockReason",
    "error",
]
KINDS = ["user", "model", "STOP"]


def user(*parts):
    """A content of the user's."""
    return {"role": "user", "parts": [text(part) if isinstance(part, str) else part for part in parts]}


def model(*parts):
    """A content of the model's."""
    return {**user(*parts), "role": "model"}


def text(words, **more):
    """A part with text."""
    return {"text": words, **more}


def call(name="depth", call_id=None, **arguments):
    """A part that calls a function."""
    return {"functionCall": {"name": name, "args": arguments, **({"id": call_id} if call_id else {})}}


def result(words, name="depth", call_id=None):
    """A part with the response of a function."""
    return {"functionResponse": {"name": name, "response": {"result": words}, **({"id": call_id} if call_id else {})}}


def piece(*parts, finish=None):
    """A response, or a piece of one."""
    reason = {} if finish is None else {"finishReason": finish}
    return {"candidates": [{"content": model(*parts), **reason}], "responseId": "r1", "modelVersion": "gemini"}


def read(*contents):
    """What is said in a request."""
    return CODEC.read_request({"contents": list(contents)}).said


def test_texts_of_the_user_are_joined_by_blank_lines():
    """And instructions are read beside them."""
    request = CODEC.read_request({"contents": [user("Where", "is it?")], "systemInstruction": user("Be brief.")})
    assert (Said(role="user", text="Where\n\nis it?"),) == request.said
    assert "Be brief." == request.instructions


def test_a_reply_that_was_streamed_is_one():
    """A chat keeps it in pieces, each a content."""
    said = read(user("Where?"), model("Berth "), model("31."), model(""), user("Thanks."))
    assert ["Where?", "Berth 31.", "Thanks."] == [one.text for one in said]
    assert [0, 1, 4] == [one.position for one in said]


def test_thoughts_are_not_said():
    """They are left where they are."""
    assert "Berth 31." == read(user("?"), model(text("They mean the boat.", thought=True), "Berth 31."))[1].text


def test_texts_on_both_sides_of_code_are_two():
    """The model went on after what the provider did for it."""
    assert (
        "I compute.\n\n42." == read(user("?"), model("I compute.", {"executableCode": {"code": "6*7"}}, "42."))[1].text
    )


@pytest.mark.parametrize("name", ["mimeType", "mime_type"])
def test_files_are_told_by_kind(name):
    """In the spelling of the API and in that of its SDK."""
    files = [{"inlineData": {name: "image/png"}}, {"fileData": {name: "application/pdf"}}]
    assert (Said(role="user", text="What is this?", attachments=("image", "file")),) == read(
        user(*files, "What is this?")
    )


def test_calls_and_responses_with_ids():
    """Of a response that is one text the text is said, of others the JSON."""
    structured = {"functionResponse": {"id": "b", "name": "depth", "response": {"m": 42}}}
    calls = model("I look.", call(call_id="a", at=1), call(call_id="b"))
    said = read(user("How deep?"), calls, user(result("42 m", call_id="a"), structured, "And quickly."))
    assert ("a", "b") == tuple(one.call_id for one in said[1].tool_calls)
    assert [("tool", "a", "42 m"), ("tool", "b", '{"m": 42}'), ("user", None, "And quickly.")] == [
        (one.role, one.tool_call_id, one.text) for one in said[2:]
    ]


def test_calls_without_ids_are_tied_to_their_responses():
    """By name and order; what is called with other arguments has another id, in the reply as in the next request."""
    first, second = call(at=1), call(at=2)
    said = read(user("?"), model(first), user(result("1")), model(second, second), user(result("2"), result("3")))
    ids = [one.call_id for said_one in said for one in said_one.tool_calls]
    assert 3 == len(set(ids))
    assert ids == [one.tool_call_id for one in said if one.role == "tool"]
    assert ids[0] == CODEC.read_reply(piece(first)).tool_calls[0].call_id
    assert ids[1:] == [one.call_id for one in CODEC.read_events([piece(second), piece(second)]).tool_calls]


def test_the_recalled_text_is_a_part_of_its_own_after_responses():
    """In the user's content, in front of what the user says."""
    asked = {"contents": [user(result("42"), "And this?")], "tools": TOOLS}
    sent = CODEC.with_context(asked, Context(question=0, recalled="[recalled]"))
    assert {**asked, "contents": [user(result("42"), "[recalled]", "And this?")]} == sent


def test_the_window_stands_in_front():
    """Roles take turns, also where it meets the request."""
    window = (Said(role="user", text="One."), Said(role="assistant", text="Two."), Said(role="user", text="Three."))
    sent = CODEC.with_context({"contents": [user("Four.")]}, Context(question=0, window=window, recalled="[recalled]"))
    assert [user("One."), model("Two."), user("Three.", "[recalled]", "Four.")] == sent["contents"]


@pytest.mark.parametrize("with_tools", [True, False])
def test_calls_are_in_the_window_of_a_request_with_tools(with_tools):
    """Else what was said besides them is."""
    calls = (ToolCall(call_id="x", name="depth", arguments='{"at": 1}'),)
    window = (
        Said(role="user", text="How deep?"),
        Said(role="assistant", text="I look.", tool_calls=calls),
        Said(role="tool", text="42 m", tool_call_id="x"),
        Said(role="assistant", text="42 m."),
    )
    body = {"contents": [user("Thanks.")], **({"tools": TOOLS} if with_tools else {})}
    whole = [model("I look.", call(at=1)), user(result("42 m")), model("42 m.")]
    between = whole if with_tools else [model("I look.", "42 m.")]
    sent = CODEC.with_context(body, Context(question=0, window=window))
    assert [user("How deep?"), *between, user("Thanks.")] == sent["contents"]


def test_what_is_nested_beyond_reading_is_sent_as_text():
    """A function may have answered anything, and the API takes nothing but objects."""
    deep = '{"at": ' * 100_000
    calls = (ToolCall(call_id="x", name="depth", arguments=deep),)
    window = (Said(role="assistant", tool_calls=calls), Said(role="tool", text=deep, tool_call_id="x"))
    body = {"contents": [user("Thanks.")], "tools": TOOLS}
    sent = CODEC.with_context(body, Context(question=0, window=window))
    assert {} == sent["contents"][0]["parts"][0]["functionCall"]["args"]
    assert [deep] == list(sent["contents"][1]["parts"][0]["functionResponse"]["response"].values())


def test_old_exchanges_are_left_out():
    """The rest stays."""
    contents = [user("a"), model("b"), user("c"), model("d"), user("e")]
    sent = CODEC.with_context({"contents": contents}, Context(question=4, left_out=frozenset({0, 1})))
    assert contents[2:] == sent["contents"]


def test_a_whole_response():
    """Text, calls, id, and why it ended."""
    reply = CODEC.read_reply(piece(text("Hm.", thought=True), "I look.", call(call_id="a", at=1), finish="STOP"))
    assert (
        Reply(
            text="I look.",
            tool_calls=(ToolCall(call_id="a", name="depth", arguments='{"at": 1}'),),
            response_id="r1",
            metadata={"model": "gemini", "finish_reason": "STOP"},
        )
        == reply
    )


def test_a_stream_is_complete_with_its_reason():
    """And not before."""
    pieces = [piece("Ber"), piece("th 31"), piece(".", finish="STOP")]
    assert ("Berth 31.", True) == _told(CODEC.read_events(pieces))
    assert ("Berth 31", False) == _told(CODEC.read_events(pieces[:2]))
    assert ("Berth 31.", False) == _told(CODEC.read_events([*pieces, {"error": {"code": 500}}]))
    assert ("Berth", False) == _told(CODEC.read_events([piece("Berth", finish="CONTINUATION")]))
    assert ("", False) == _told(CODEC.read_events([]))


def test_a_question_that_is_refused_has_an_empty_reply():
    """With the reason."""
    reply = CODEC.read_reply({"promptFeedback": {"blockReason": "SAFETY"}})
    assert ("", True) == _told(reply)
    assert {"finish_reason": "SAFETY"} == reply.metadata


@given(shaped(FIELDS, kinds=KINDS), st.lists(shaped(FIELDS, kinds=KINDS), max_size=4))
def test_nothing_is_too_strange_to_be_read(strange, several):
    """What the API will refuse is for the API to refuse, and a reply that was paid for is read as far as it can be."""
    CODEC.read_request({"contents": strange, "systemInstruction": strange})
    CODEC.read_request({"contents": several})
    CODEC.read_reply({"candidates": strange, "promptFeedback": strange})
    CODEC.read_events([{"candidates": [one]} for one in several])


@given(
    st.lists(
        st.builds(user, st.sampled_from(["a", result("b")])) | st.builds(model, st.sampled_from(["a", call(at=1)])),
        max_size=6,
    ),
    st.data(),
)
def test_the_callers_request_is_never_changed(contents, data):
    """Whatever is added to the copy."""
    asked = {"contents": contents, "tools": TOOLS}
    before = copy.deepcopy(asked)
    places = st.integers(0, max(len(contents) - 1, 0))
    window = (Said(role="user", text="w"), Said(role="user", text="v"), Said(role="assistant", text="x"))
    context = Context(
        question=data.draw(places),
        recalled="[recalled]",
        window=window[: data.draw(st.integers(0, 3))],
        left_out=frozenset(data.draw(st.sets(places))),
    )
    CODEC.with_context(asked, context)
    assert before == asked


def _told(reply):
    return reply.text, reply.complete


def test_a_picture_that_a_function_gives_is_kept():
    """With its exchange: the memory has no pictures."""
    picture = {"inlineData": {"mimeType": "image/png", "data": "iVBO"}}
    given = {"functionResponse": {"name": "look", "response": {}, "parts": [picture]}}
    said = CODEC.read_request({"contents": [{"role": "user", "parts": [given]}]}).said
    assert [("tool", ("image",))] == [(one.role, one.attachments) for one in said]
