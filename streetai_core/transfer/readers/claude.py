"""Claude's data export: `conversations.json`, a list of conversations with `chat_messages`; or one of them.

What was attached to a message is named in its metadata. Where the export has the text of it, as of long texts that were
pasted, that is a document which was said before the message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from streetai_core.errors import ImportFormatError
from streetai_core.text.clean import is_blank
from streetai_core.transfer.records import (
    Chat,
    Source,
    chats,
    conversations_in,
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

_MESSAGES = "chat_messages"
"""Where a conversation has its messages, by which it is known."""


def is_claude(document: Any) -> bool:
    """Whether a JSON value is such an export."""
    return bool(conversations_in(document, _MESSAGES))


def read_claude(document: Any, source: Source) -> Iterator[Entry]:
    """The messages of all conversations."""
    return chats(conversations_in(document, _MESSAGES), partial(_conversation, source))


@dataclass(frozen=True, slots=True)
class _About:
    """The conversation that messages are of."""

    number: int
    conversation_id: str
    title: object
    source: Source


@dataclass(frozen=True, slots=True)
class _Document:
    """What was attached to a message."""

    mark: str
    """Tells its id from that of the message, and of others."""
    name: str
    text: str
    """Under the name, so that it is found by that."""


def _conversation(source: Source, number: int, values: dict[str, Any]) -> Chat:
    messages = list_of(values.get(_MESSAGES), _MESSAGES)
    began = read_time(values.get("created_at"), "created_at")
    about = _About(number, source.conversation(values.get("uuid"), "uuid"), values.get("name"), source)
    said: list[Callable[[datetime | None], NewMessage]] = []
    for place, one in enumerate(messages, start=1):
        said += [partial(_message, about, place, one, document) for document in _documents(one)]
        said.append(partial(_message, about, place, one, None))
    return Chat(began, said)


def _message(about: _About, place: int, values: Any, document: _Document | None, at: datetime | None) -> NewMessage:
    """The message of an object, or a document that came with it; `at` is when it was said if it does not say it."""
    try:
        return _said(about, mapping_of(values, "it"), document, at)
    except ImportFormatError as error:
        raise ImportFormatError(f"message {place} of conversation {about.number}: {error}") from error


def _said(about: _About, values: dict[str, Any], document: _Document | None, at: datetime | None) -> NewMessage:
    role, given, thread = role_of(values.get("sender")), values.get("uuid"), about.conversation_id
    content, files, mark = (
        (_text(values), _files(values), "") if document is None else (document.text, [document.name], document.mark)
    )
    return NewMessage(
        content=content,
        role=role,
        conversation_id=thread,
        created_at=read_time(values.get("created_at"), "created_at") or at,
        message_id=fitting_id(f"{PROGRAM}:{given}{mark}")
        if given
        else about.source.stable_id(PROGRAM, thread, role, content),
        metadata=origin(PROGRAM, title=about.title, files=", ".join(files)),
        source=None if document is None else "document",
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
    return [name for kind in ("attachments", "files") for one in _listed(values, kind) if (name := _name(one))]


def _documents(values: Any) -> list[_Document]:
    """What was attached of which the export has the text."""
    attached = _listed(values, "attachments") if isinstance(values, dict) else []
    found = [(_name(one), one.get("extracted_content")) for one in attached]
    return [
        _Document(mark=f"/{number}", name=name, text=f"{name}:\n\n{text}" if name else text)
        for number, (name, text) in enumerate(found, start=1)
        if isinstance(text, str) and not is_blank(text)
    ]


def _listed(values: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """The objects of a list, if it is one."""
    listed = values.get(kind)
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _name(attached: dict[str, Any]) -> str:
    """The name of a file; "" of what has none."""
    name = attached.get("file_name")
    return name if isinstance(name, str) else ""
