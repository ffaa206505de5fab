"""LangChain's message histories as JSON: `messages_to_dict`, and what its Redis history keeps.

The Redis history pushes new messages to the head of a list, so a dump of it, a list of JSON texts, is newest first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from streetai_core.errors import ImportFormatError
from streetai_core.transfer.files import LONGEST_LINE, parsed
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
from streetai_core.transfer.values import Entry
from streetai_core.types import NewMessage

PROGRAM = "langchain"


def is_langchain(document: Any) -> bool:
    """Whether a JSON value is such a history, or an object of histories by session."""
    if isinstance(document, dict):
        # A session may be empty, not all of them.
        histories = [one for one in document.values() if one or not isinstance(one, list)]
        return bool(histories) and all(isinstance(one, list) and is_langchain(one) for one in histories)
    return isinstance(document, list) and any(_is_message(one) for one in document)


def read_langchain(document: Any, source: Source) -> Iterator[Entry]:
    """The messages in the order in which they were said."""
    histories = document if isinstance(document, dict) else {None: document}
    number = 0
    for key, history in histories.items():
        if not isinstance(history, list):
            raise ImportFormatError(f"the history {key!r} must be a list of messages")
        thread = source.conversation(key)
        dumped = any(isinstance(one, str) for one in history)
        for one in reversed(history) if dumped else history:
            number += 1
            yield from entries_of(number, partial(read_message, one, thread, source))


def read_message(stored: Any, thread: str, source: Source, *, message_id: str | None = None) -> NewMessage:
    """The message of what `message_to_dict` made, as an object or as JSON text.

    Raises:
        ImportFormatError: it is something else.
    """
    if isinstance(stored, str):
        if len(stored) > LONGEST_LINE:
            raise ImportFormatError(f"it has more than {LONGEST_LINE:,} characters")
        stored = parsed(stored, "it")
    stored = mapping_of(stored, "a message")
    data = mapping_of(stored.get("data", stored), "data of a message")
    kind = stored.get("type") or data.get("type")
    role = role_of(data.get("role") if kind in ("chat", "ChatMessage") else _plain(kind))
    content = text_of(data.get("content"))
    return NewMessage(
        content=content,
        role=role,
        conversation_id=thread,
        name=name_of(data.get("name")),
        created_at=_time(data),
        message_id=message_id or source.stable_id(PROGRAM, thread, role, content, data.get("id")),
        metadata={**origin(PROGRAM), **_tools(data)},
    )


def _is_message(value: Any) -> bool:
    """Whether it looks like a message of LangChain."""
    if isinstance(value, str):
        try:
            value = parsed(value, "it")
        except ImportFormatError:
            return False
    return isinstance(value, dict) and isinstance(value.get("type"), str) and isinstance(value.get("data"), dict)


def _plain(kind: object) -> object:
    """The same word for "human", "HumanMessage" and "HumanMessageChunk"."""
    if not isinstance(kind, str):
        return kind
    return kind.removesuffix("Chunk").removesuffix("Message").lower()


def _time(data: Mapping[str, Any]) -> Any:
    """When it was said, if whoever stored it put that into one of the fields for such things."""
    for place in (data, data.get("additional_kwargs"), data.get("response_metadata")):
        if isinstance(place, Mapping):
            for name in ("created_at", "timestamp"):
                if isinstance(place.get(name), str | int | float):
                    return read_time(place[name], name)
    return None


def _tools(data: Mapping[str, Any]) -> dict[str, Any]:
    """What ties calls of tools to their results."""
    calls = data.get("tool_calls")
    made = tool_calls(calls) if isinstance(calls, list) else []
    return tool_ties(made, data.get("tool_call_id"))
