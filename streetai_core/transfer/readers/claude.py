"""Claude's data export: `conversations.json`, a list of conversations with `chat_messages`.

Attached files are named in the metadata; their content is not part of the conversation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from streetai_core.errors import ImportFormatError
from streetai_core.transfer.records import (
    Chat,
    Source,
    chats,
    fitting_id,
    list_of,
    mapping_of,
    origin,
    role_of,
    text_of,
)
from streetai_core.transfer.times import read_time
from streetai_core.transfer.values import Entry
from streetai_core.types import NewMessage

PROGRAM = "claude"


def is_claude(document: Any) -> bool:
    """Whether a JSON value is such an export."""
    return isinstance(document, list) and any(isinstance(one, dict) and "chat_messages" in one for one in document)


def read_claude(document: Any, source: Source) -> Iterator[Entry]:
    """The messages of all conversations."""
    return chats(document, partial(_conversation, source))


@dataclass(frozen=True, slots=True)
class _About:
    """The conversation that messages are of."""

    number: int
    conversation_id: str
    title: object
    source: Source


def _conversation(source: Source, number: int, values: dict[str, Any]) -> Chat:
    messages = list_of(values.get("chat_messages"), "chat_messages")
    began = read_time(values.get("created_at"), "created_at")
    about = _About(number, source.conversation(values.get("uuid"), "uuid"), values.get("name"), source)
    return Chat(began, [partial(_message, about, place, one) for place, one in enumerate(messages, start=1)])


def _message(about: _About, place: int, values: Any, at: datetime | None) -> NewMessage:
    """The message of an object; `at` is when it was said if it does not say it."""
    try:
        return _said(about, mapping_of(values, "it"), at)
    except ImportFormatError as error:
        raise ImportFormatError(f"message {place} of conversation {about.number}: {error}") from error


def _said(about: _About, values: dict[str, Any], at: datetime | None) -> NewMessage:
    role, content = role_of(values.get("sender")), _text(values)
    given, thread = values.get("uuid"), about.conversation_id
    return NewMessage(
        content=content,
        role=role,
        conversation_id=thread,
        created_at=read_time(values.get("created_at"), "created_at") or at,
        message_id=fitting_id(f"{PROGRAM}:{given}")
        if given
        else about.source.stable_id(PROGRAM, thread, role, content),
        metadata=origin(PROGRAM, title=about.title, files=", ".join(_files(values))),
    )


def _text(values: dict[str, Any]) -> str:
    """What was said: the blocks of text; those of thinking and of tools are not."""
    blocks = values.get("content")
    said = (
        [one for one in blocks if isinstance(one, dict) and one.get("type") == "text"]
        if isinstance(blocks, list)
        else []
    )
    return text_of(said) or text_of(values.get("text"))


def _files(values: dict[str, Any]) -> list[str]:
    """Names of what was attached."""
    attached = [one for kind in ("attachments", "files") if isinstance(values.get(kind), list) for one in values[kind]]
    return [one["file_name"] for one in attached if isinstance(one, dict) and isinstance(one.get("file_name"), str)]
