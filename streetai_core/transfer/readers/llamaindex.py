"""LlamaIndex's chat store, as `SimpleChatStore.persist` writes it: `{"store": {key: [messages]}}`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from streetai_core.transfer.records import (
    Source,
    entries_of,
    mapping_of,
    name_of,
    origin,
    role_of,
    text_of,
    tool_calls,
    tool_ties,
)
from streetai_core.transfer.times import read_time
from streetai_core.transfer.values import Entry, Rejected
from streetai_core.types import NewMessage

PROGRAM = "llamaindex"


def is_llamaindex(document: Any) -> bool:
    """Whether a JSON value is such a store."""
    return isinstance(document, dict) and isinstance(document.get("store"), dict)


def read_llamaindex(document: Any, source: Source) -> Iterator[Entry]:
    """The messages of all keys; a key is a conversation."""
    number = 0
    for key, messages in mapping_of(mapping_of(document, "the file").get("store"), "store").items():
        thread = source.conversation(key)
        if not isinstance(messages, list):
            number += 1
            yield Rejected(number, f"the messages of {key!r} must be a list, got {type(messages).__name__}")
            continue
        for one in messages:
            number += 1
            yield from entries_of(number, partial(_message, one, thread, source))


def _message(values: Any, thread: str, source: Source) -> NewMessage:
    values = mapping_of(values, "a message")
    role = role_of(values.get("role"))
    # Older versions kept the text in `content`, newer ones in `blocks`.
    content = text_of(values["blocks"] if values.get("blocks") else values.get("content"))
    more = values.get("additional_kwargs")
    more = more if isinstance(more, dict) else {}
    return NewMessage(
        content=content,
        role=role,
        conversation_id=thread,
        name=name_of(more.get("name")),
        created_at=read_time(more.get("created_at") or more.get("timestamp"), "timestamp"),
        message_id=source.stable_id(PROGRAM, thread, role, content),
        metadata={**origin(PROGRAM), **_tools(values, more)},
    )


def _tools(values: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """What ties calls of tools to their results: calls are among the blocks, or in the provider's own form."""
    blocks = values.get("blocks")
    calls = [
        {"id": one.get("tool_call_id"), "name": one.get("tool_name"), "args": one.get("tool_kwargs")}
        for one in (blocks if isinstance(blocks, list) else [])
        if isinstance(one, dict) and one.get("block_type") == "tool_call"
    ]
    given = more.get("tool_calls")
    made = tool_calls(calls) or [
        one for one in (given if isinstance(given, list) else []) if isinstance(one, dict) and one.get("id")
    ]
    return tool_ties(made, more.get("tool_call_id"))
