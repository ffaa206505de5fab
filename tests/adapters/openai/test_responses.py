"""The Responses API: what only this API has."""

import json

import pytest

from streetai_core.adapters.openai import with_memory
from streetai_core.adapters.openai_responses import Responses
from tests.adapters.conformance.openai_rows import PIXEL, sdk_client
from tests.adapters.wire.answers import Answer

BERTH = "My boat lies at berth thirty-one of the old harbour."


@pytest.fixture
def client(responses, registry):
    """A client with a memory."""
    with with_memory(sdk_client(responses.url), "mara", registry=registry) as client:
        yield client


def said(client, **options):
    """What was said."""
    return [(one.role, one.content) for one in client.memory.messages(**options)]


def remember(client):
    """Something to recall, in another conversation."""
    client.memory.add_message(BERTH, role="user", conversation_id="long ago")
    for number in range(12):
        client.memory.add_message(f"Chapter {number} was dull, as always.", "user", conversation_id="long ago")


def test_a_plain_text_is_a_message(client, responses):
    """With a window, the input becomes a list."""
    client.responses.create(model="m", input=BERTH, instructions="Be brief.")
    client.responses.create(model="m", input="Where does my boat lie?", instructions="Be brief.")
    assert BERTH == responses.received[0].body["input"]
    assert [
        {"role": "user", "content": BERTH},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "Where does my boat lie?"},
    ] == responses.last.body["input"]
    assert "Be brief." == responses.last.body["instructions"]


def test_a_plain_text_stays_one_where_there_is_no_window(client, responses):
    """Only recalled text stands in front of it."""
    remember(client)
    client.responses.create(model="m", input="Where does my boat lie?")
    assert BERTH in responses.last.body["input"]
    assert responses.last.body["input"].endswith("Where does my boat lie?")


def test_parts_stay_and_recalled_text_is_one_more(client, responses):
    """Images, files and texts in their order; their bytes are not stored."""
    remember(client)
    parts = [
        {"type": "input_image", "image_url": PIXEL, "detail": "low"},
        {"type": "input_text", "text": "Where does my boat lie?"},
        {"type": "input_file", "filename": "log.pdf", "file_data": "data:application/pdf;base64,JVBERg=="},
    ]
    client.responses.create(model="m", input=[{"role": "user", "content": parts}])
    content = responses.last.body["input"][-1]["content"]
    assert parts == [part for part in content if part in parts]
    (added,) = [part for part in content if part not in parts]
    assert ("input_text", True) == (added["type"], BERTH in added["text"])
    asked = client.memory.messages(conversation_id=None)[0]
    assert ("Where does my boat lie?", ["image", "file"]) == (asked.content, asked.metadata["attachments"])


@pytest.mark.parametrize("stream", [False, True])
def test_the_provider_keeps_the_history(client, responses, stream):
    """Then there is no window, and what the provider has is not recalled; what was said elsewhere is."""
    remember(client)
    first = client.responses.create(model="m", input="My other boat Kittiwake lies at berth seven.")
    responses.received.clear()
    follow = client.responses.create(
        model="m", input="At which berth does my boat lie?", previous_response_id=first.id, stream=stream
    )
    if stream:
        list(follow)
    given = responses.last.body["input"]
    assert isinstance(given, str)
    assert BERTH in given
    assert "Kittiwake" not in given
    turn = client.memory_turn(follow)
    client.responses.create(model="m", input="And my boat Kittiwake?", previous_response_id="resp_of_another_app")
    assert "berth seven" in responses.last.body["input"]
    assert 6 == len(said(client, conversation_id=None))
    assert turn.assistant_message_id in [one.message_id for one in client.memory.messages()]


def test_a_tool_loop_of_results_only(client, responses):
    """Each step follows on the response before it, and says nothing of the user's: still one turn."""
    remember(client)
    responses.answers += [
        Answer("", calls=(("call_1", "tide", {"harbour": "Kiel"}),)),
        Answer("Berth thirty-one has 2 m."),
    ]
    first = client.responses.create(model="m", input="Has my boat water at its berth?")
    results = [{"type": "function_call_output", "call_id": "call_1", "output": "2 m"}]
    last = client.responses.create(model="m", input=results, previous_response_id=first.id)
    assert results == responses.last.body["input"]
    assert [
        ("user", "Has my boat water at its berth?"),
        ("assistant", ""),
        ("tool", "2 m"),
        ("assistant", "Berth thirty-one has 2 m."),
    ] == said(client, conversation_id=None)
    turns = [client.memory_turn(one) for one in (first, last)]
    assert turns[0].turn_id == turns[1].turn_id
    assert turns[1].updates
    assert not turns[0].updates


def test_a_tool_loop_of_results_only_where_all_calls_have_one_id(client, responses):
    """Also where two results say the same."""
    call = ("0", "tide", {"harbour": "Kiel"})
    responses.answers += [Answer("", calls=(call,)), Answer("", calls=(call,)), Answer("", calls=(call, call))]
    responses.answers.append(Answer("There are two metres."))
    last = client.responses.create(model="m", input="Tell me when there are two metres.")
    for outputs in (["rising"], ["rising"], ["1 m", "2 m"]):
        results = [{"type": "function_call_output", "call_id": "0", "output": output} for output in outputs]
        last = client.responses.create(model="m", input=results, previous_response_id=last.id)
    assert [text for role, text in said(client) if role == "tool"] == ["rising", "rising", "1 m", "2 m"]
    assert [role for role, _ in said(client)] == [
        "user",
        *(["assistant", "tool"] * 2),
        *["assistant", "tool", "tool"],
        "assistant",
    ]


SCREEN = {"type": "computer_screenshot", "image_url": PIXEL}
RAN = [{"stdout": "31", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("result", "text"),
    [
        ({"type": "shell_call_output", "call_id": "call_1", "output": RAN}, "31"),
        ({"type": "local_shell_call_output", "call_id": "call_1", "output": "31"}, "31"),
        ({"type": "apply_patch_call_output", "call_id": "call_1", "status": "completed"}, ""),
        ({"type": "computer_call_output", "call_id": "call_1", "output": SCREEN}, ""),
        ({"type": "mcp_approval_response", "approval_request_id": "call_1", "approve": True}, "true"),
        ({"type": "tool_search_output", "call_id": "call_1", "execution": "client", "tools": []}, ""),
    ],
)
def test_what_the_app_does_for_a_tool_of_the_apis_is_part_of_the_turn(client, responses, result, text, stream):
    """The reply to a result that came alone was not stored, and nothing was learned from it."""
    remember(client)
    tool = result["type"].removesuffix("_call_output").removesuffix("_response").removesuffix("_output")
    responses.answers += [Answer("", calls=(("call_1", tool, {"type": "exec"}),)), Answer("Berth thirty-one.")]
    first = client.responses.create(model="m", input="Which berth has my boat?")
    options = {"model": "m", "input": [result], "previous_response_id": first.id}
    last = client.responses.create(**options, stream=stream)
    if stream:
        list(last)
    assert [result] == responses.last.body["input"]
    assert [
        ("user", "Which berth has my boat?"),
        ("assistant", ""),
        ("tool", text),
        ("assistant", "Berth thirty-one."),
    ] == said(client, conversation_id=None)
    assert client.memory_turn(last).turn_id == client.memory_turn(first).turn_id
    assert client.memory_turn(last).updates


def test_a_search_for_tools_that_the_provider_runs_is_no_call_of_the_apps():
    """It says nothing of who does it, or that the server does."""
    call = {"type": "tool_search_call", "call_id": "s1", "execution": "server", "arguments": {"q": "tides"}}
    found = {"type": "tool_search_output", "call_id": "s1", "tools": []}
    spoken = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Two metres."}]}
    reply = Responses().read_reply({"id": "r", "status": "completed", "output": [call, found, spoken]})
    assert (reply.text, reply.tool_calls) == ("Two metres.", ())


def chapters(client, responses, before=(), kept=lambda response: [dict(one) for one in response.to_dict()["output"]]):
    """Talk until old exchanges are left out, each request with all before it; what the last one sent."""
    history = list(before)
    for number in range(8):
        responses.answers.append(Answer(f"Chapter {number} " + "was dull, as always. " * 30))
        history.append({"role": "user", "content": f"Read chapter {number} to me."})
        history += kept(client.responses.create(model="m", input=history))
    return responses.last.body["input"]


def test_what_was_compacted_is_always_sent(client, responses):
    """It stands for what was said before, which is nowhere else."""
    compacted = {"type": "compaction", "id": "cmp_1", "encrypted_content": "Everything."}
    sent = chapters(client, responses, [compacted])
    assert sent[0] == compacted
    assert len(sent) < 12


def test_what_a_request_only_names_is_a_reply(client, responses):
    """The user's messages between such items are not all said anew with each request."""
    sent = chapters(client, responses, kept=lambda one: [{"type": "item_reference", "id": one.output[0].id}])
    assert len(sent) == 15
    assert [role for role, _ in said(client)] == ["user", "assistant"] * 8


def test_a_picture_that_a_tool_gives_is_kept():
    """With its exchange: the memory has no pictures."""
    output = [{"type": "input_image", "image_url": PIXEL}]
    items = [
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": output},
    ]
    assert ("image",) == Responses().read_request({"input": items}).said[1].attachments


def test_a_shell_that_the_provider_runs_is_no_call_of_the_apps():
    """Its output is in the same reply, which is the last one."""
    call = {"type": "shell_call", "call_id": "s1", "action": {"commands": ["ls"]}}
    spoken = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "One file."}]}
    output = [call, {"type": "shell_call_output", "call_id": "s1", "output": RAN}, spoken]
    reply = Responses().read_reply({"id": "r", "status": "completed", "output": output})
    assert (reply.text, reply.tool_calls, reply.complete) == ("One file.", (), True)


def test_what_the_sdk_returns_can_be_sent_back(client, responses):
    """The items of a response, reasoning and all, are the history of the next request."""
    items = [{"role": "user", "content": "Is there water in Kiel?"}]
    responses.answers += [Answer("Wait.", calls=(("call_1", "tide", {"harbour": "Kiel"}),)), Answer("Two metres.")]
    first = client.responses.create(model="m", input=items)
    items += [one.model_dump(exclude_none=True) for one in first.output]
    items.append({"type": "function_call_output", "call_id": "call_1", "output": json.dumps({"metres": 2})})
    client.responses.create(model="m", input=items)
    assert ["user", "assistant", "tool", "assistant"] == [role for role, _ in said(client)]
    (call,) = client.memory.messages()[1].metadata["tool_calls"]
    assert {"harbour": "Kiel"} == json.loads(call["function"]["arguments"])


def test_a_conversation_of_the_providers(client, responses):
    """The same as with a response that is followed on."""
    client.responses.create(model="m", input="My boat Kittiwake lies at berth seven.", conversation="conv_1")
    client.responses.create(model="m", input="Where does Kittiwake lie?", conversation={"id": "conv_1"})
    assert "Where does Kittiwake lie?" == responses.last.body["input"]


def test_a_response_in_the_background_is_left_alone(client, responses):
    """Its reply comes to another call."""
    client.responses.create(model="m", input=BERTH, background=True)
    assert said(client) == []
    assert BERTH == responses.last.body["input"]


def test_a_response_at_its_limit_is_complete_and_a_failed_one_is_not(client, responses):
    """By its status."""
    responses.answers += [Answer("So far", stop="incomplete"), Answer("Nothing", stop="failed")]
    client.responses.create(model="m", input="Tell me about the boat.")
    client.responses.create(model="m", input="Go on.")
    assert [False, True] == [
        bool(one.metadata.get("partial")) for one in client.memory.messages() if one.role != "user"
    ]
