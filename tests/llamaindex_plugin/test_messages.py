"""Messages as they are stored, and back."""

import json

import pytest
from llama_index.core.base.llms.types import (
    CacheControl,
    CachePoint,
    ChatMessage,
    CitableBlock,
    CitationBlock,
    DocumentBlock,
    ImageBlock,
    MessageRole,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from pydantic import ValidationError

from streetai_core import NewMessage
from streetai_core.errors import InputError
from streetai_llamaindex import StreetAIChatMemoryBuffer
from streetai_llamaindex.messages import (
    beside_text,
    copied,
    from_stored,
    message_from_json,
    message_to_json,
    to_stored,
)
from tests.llamaindex_plugin.conftest import SESSION, assistant, user

PNG = b"\x89PNG\r\n\x1a\n\x00\x01"
MESSAGES = {
    "text": user("How deep is my boat?"),
    "nothing": ChatMessage(role="assistant", blocks=[]),
    "blank": assistant(""),
    "texts": ChatMessage(role="user", blocks=[TextBlock(text="one"), TextBlock(text="two")]),
    "white space": user("  leading and trailing \n"),
    "image": ChatMessage(role="user", blocks=[TextBlock(text="look"), ImageBlock(image=PNG, detail="low")]),
    "address": ChatMessage(role="user", blocks=[ImageBlock(url="https://example.org/a.png")]),
    "document": ChatMessage(role="user", blocks=[DocumentBlock(data=b"%PDF-1.4 boat", title="logbook")]),
    "thinking": ChatMessage(
        role="assistant",
        blocks=[
            ThinkingBlock(content="hm", num_tokens=3, additional_information={"signature": "s"}),
            TextBlock(text="a"),
        ],
    ),
    "citations": ChatMessage(
        role="assistant",
        blocks=[
            CitableBlock(title="t", source="s", content="quoted"),
            CitationBlock(cited_content="c", source="s", title="t", additional_location_info={"page": 1}),
            CachePoint(cache_control=CacheControl(type="ephemeral")),
        ],
    ),
    "tool call block": ChatMessage(
        role="assistant", blocks=[ToolCallBlock(tool_call_id="c1", tool_name="depth", tool_kwargs={"harbour": "Kiel"})]
    ),
    "tool call without id": ChatMessage(role="assistant", blocks=[ToolCallBlock(tool_name="depth", tool_kwargs="{")]),
    "raw tool call": assistant(
        "",
        additional_kwargs={
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "depth", "arguments": "{}"}}]
        },
    ),
    "tool result": ChatMessage(role="tool", content="3.5 m", additional_kwargs={"tool_call_id": "c1", "name": "depth"}),
    "function": ChatMessage(role="function", content="3.5 m", additional_kwargs={"name": "depth"}),
    "model": ChatMessage(role="model", content="said by Gemini"),
    "chatbot": ChatMessage(role="chatbot", content="said by Cohere"),
    "system": ChatMessage(role="system", content="Be brief."),
    "developer": ChatMessage(role="developer", content="Be brief."),
    "name": user("I sail.", additional_kwargs={"name": "Mara"}),
    "nested": user("x", additional_kwargs={"a": {"b": [1, 2.5, None, True, "ü"]}}),
    "refusal": ChatMessage(role="assistant", blocks=[], additional_kwargs={"refusal": "I will not."}),
    "no refusal": assistant("I will.", additional_kwargs={"refusal": None}),
    "empty response": assistant("Empty Response"),
    "trace": assistant("Thought: I can answer.\nAnswer: One metre forty."),
    "trace without answer": assistant("Thought: I need a tool.\nAction: depth\nAction Input: {}"),
}


def stored(registry, *messages):
    """Store messages and read them."""
    memory = registry.get(SESSION)
    memory.add_messages([to_stored(message, SESSION) for message in messages])
    return memory.messages(conversation_id=SESSION)


@pytest.mark.parametrize("name", MESSAGES)
def test_round_trip_without_loss(registry, name):
    """9.12: Images, tool calls, thinking and ids that are in the window today are in it after a restart."""
    [there] = stored(registry, MESSAGES[name])
    assert from_stored(there) == MESSAGES[name]
    assert from_stored(there).model_dump() == MESSAGES[name].model_dump()


@pytest.mark.parametrize("name", MESSAGES)
def test_json_without_loss(name):
    """9.12: A memory in RAM takes its messages along into JSON, with every pydantic."""
    written = json.loads(json.dumps(message_to_json(MESSAGES[name])))
    assert message_from_json(written) == MESSAGES[name]


@pytest.mark.parametrize(
    ("name", "role", "content"),
    [
        ("text", "user", "How deep is my boat?"),
        ("texts", "user", "one\ntwo"),
        ("thinking", "assistant", "a"),
        ("function", "tool", "3.5 m"),
        ("model", "assistant", "said by Gemini"),
        ("chatbot", "assistant", "said by Cohere"),
        ("empty response", "assistant", ""),
        ("trace", "assistant", "One metre forty."),
        ("trace without answer", "assistant", ""),
    ],
)
def test_what_can_be_recalled(name, role, content):
    """9.5: A ReAct agent's inner voice, and words that nobody said, are never quoted to the user as memories."""
    new = to_stored(MESSAGES[name], SESSION)
    assert (new.role, new.content) == (role, content)


@pytest.mark.parametrize("name", ["tool call block", "raw tool call"])
def test_tool_calls_are_where_the_core_looks(name):
    """9.9: Both forms of a tool call are known as tool traffic, so no view of the memory splits the pair."""
    new = to_stored(MESSAGES[name], SESSION)
    [call] = new.metadata["tool_calls"]
    assert (call["id"], call["function"]["name"]) == ("c1", "depth")
    assert new.ticks is False
    assert to_stored(MESSAGES["tool result"], SESSION).metadata["tool_call_id"] == "c1"


def test_an_edited_text_is_given(registry):
    """What the user corrected in the store comes back corrected, and the picture beside it stays."""
    [there] = stored(registry, MESSAGES["image"])
    registry.get(SESSION).update_message(there.message_id, "look again")
    [edited] = registry.get(SESSION).messages()
    assert from_stored(edited).blocks == [TextBlock(text="look again"), MESSAGES["image"].blocks[1]]


def test_what_is_not_json_is_named_and_left_out(registry, caplog):
    """An object of a provider's package costs neither the message nor the chat."""
    message = user("hello", additional_kwargs={"good": 1, "raw": object(), "nan": float("nan"), "bytes": b"x"})
    [there] = stored(registry, message)
    assert from_stored(there).additional_kwargs == {"good": 1, "raw": None, "nan": None, "bytes": "eA=="}
    assert "additional_kwargs.raw (object)" in caplog.text


def test_an_object_that_contains_itself(registry, caplog):
    """A cyclic value is left out; nothing recurses without end."""
    value = []
    value.append(value)
    message = user("hello")
    message.additional_kwargs["loop"] = value
    [there] = stored(registry, message)
    assert from_stored(there).additional_kwargs == {"loop": None}
    assert "additional_kwargs.loop" in caplog.text


def test_a_part_that_cannot_be_read_costs_only_itself(registry, tmp_path, caplog):
    """The file of an image was deleted meanwhile: the words and the other image are still there."""
    picture = tmp_path / "boat.png"
    picture.write_bytes(PNG)
    message = ChatMessage(
        role="user", blocks=[TextBlock(text="my boat"), ImageBlock(path=picture), ImageBlock(image=PNG)]
    )
    [there] = stored(registry, message)
    picture.unlink()
    assert from_stored(there).blocks == [message.blocks[0], message.blocks[2]]
    assert "cannot be read" in caplog.text


def test_a_picture_that_is_deleted_while_the_chat_goes_on_is_in_no_later_prompt(registry, tmp_path, caplog):
    """An upload is kept for its turn only: each later turn has to be one that can be sent."""
    picture = tmp_path / "boat.png"
    picture.write_bytes(PNG)
    memory = StreetAIChatMemoryBuffer.from_defaults(registry=registry, session_id="mara")
    memory.put(ChatMessage(role="user", blocks=[TextBlock(text="What is this?"), ImageBlock(path=picture)]))
    memory.put(ChatMessage(role="assistant", content="A boat."))
    assert [len(message.blocks) for message in memory.get()] == [2, 1]
    picture.unlink()
    assert [message.blocks for message in memory.get("And its colour?")] == [
        [TextBlock(text="What is this?")],
        [TextBlock(text="A boat.")],
    ]
    assert "cannot be read" in caplog.text


def test_a_block_that_cannot_be_written_costs_only_itself(registry, tmp_path, caplog):
    """An image whose file was closed is left out; the question is stored all the same."""
    picture = tmp_path / "boat.png"
    picture.write_bytes(PNG)
    with picture.open("rb") as file:
        try:
            message = ChatMessage(role="user", blocks=[TextBlock(text="my boat"), ImageBlock(image=file)])
        except ValidationError as error:
            pytest.skip(f"this LlamaIndex takes no open files: {error}")
    [there] = stored(registry, message)
    assert from_stored(there).blocks == [TextBlock(text="my boat")]
    assert "cannot be written" in caplog.text


def test_messages_of_others_are_understood(registry):
    """What was stored without LlamaIndex is in the window too, tool calls included."""
    call = {"id": "c1", "type": "function", "function": {"name": "depth", "arguments": '{"harbour": "Kiel"}'}}
    registry.get(SESSION).add_messages(
        [
            NewMessage(content="How deep?", role="user", name="Mara", conversation_id=SESSION),
            NewMessage(content="", role="assistant", conversation_id=SESSION, metadata={"tool_calls": [call]}),
            NewMessage(content="3.5 m", role="tool", conversation_id=SESSION, metadata={"tool_call_id": "c1"}),
        ]
    )
    asked, called, result = map(from_stored, registry.get(SESSION).messages())
    assert (asked.content, asked.additional_kwargs) == ("How deep?", {"name": "Mara"})
    assert called.blocks == [ToolCallBlock(tool_call_id="c1", tool_name="depth", tool_kwargs={"harbour": "Kiel"})]
    assert (result.role, result.additional_kwargs) == (MessageRole.TOOL, {"tool_call_id": "c1"})


def test_arguments_nested_beyond_reading_stay_text(registry):
    """One such call would make its conversation unreadable for good."""
    deep = "[" * 100_000
    call = {"id": "c1", "type": "function", "function": {"name": "depth", "arguments": deep}}
    registry.get(SESSION).add_message("Well.", "assistant", conversation_id=SESSION, metadata={"tool_calls": [call]})
    [called] = map(from_stored, registry.get(SESSION).messages())
    assert called.blocks[-1].tool_kwargs == deep


def test_only_messages_can_be_stored():
    """A wrong argument is named, not stored."""
    with pytest.raises(InputError, match="got str"):
        to_stored("hello", SESSION)


def test_copies_share_nothing():
    """9.13: An agent that rewrites what it was handed out cannot rewrite the past."""
    message = MESSAGES["nested"]
    copy = copied(message)
    copy.blocks[0].text = "changed"
    copy.additional_kwargs["a"]["b"].append(3)
    assert message == user("x", additional_kwargs={"a": {"b": [1, 2.5, None, True, "ü"]}})


def test_what_cannot_be_copied_is_shared():
    """An object that refuses to be copied does not end the chat."""
    lock = __import__("threading").Lock()
    message = user("hello", additional_kwargs={"lock": lock})
    copy = copied(message)
    copy.blocks[0].text = "changed"
    assert (message.content, copy.additional_kwargs) == ("hello", {"lock": lock})


def test_text_beside_the_words():
    """Recalled text joins a plain question, and stands before an image as a block of its own."""
    assert beside_text(user("q"), "r") == user("r\n\nq")
    blocks = beside_text(MESSAGES["image"], "r").blocks
    assert blocks == [TextBlock(text="r"), *MESSAGES["image"].blocks]
