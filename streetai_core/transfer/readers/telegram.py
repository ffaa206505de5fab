"""Telegram Desktop's export as JSON: `result.json`, of one chat or of all.

Whoever writes in a chat is a user, by name; in the chat with a bot the bot is the assistant. What was forwarded is
somebody else's: a document.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
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
    name_of,
    origin,
    text_of,
)
from streetai_core.transfer.times import read_time
from streetai_core.transfer.values import Entry
from streetai_core.types import NewMessage

PROGRAM = "telegram"

_GROUPS = ("chats", "left_chats")
"""Where an export of everything has its chats."""

_FURTHEST = timedelta(hours=14)
"""Of a place's clock from UTC."""

_STEP = timedelta(minutes=15)
"""By which clocks of places differ; anything else is a slip of whoever wrote the file."""


def is_telegram(document: Any) -> bool:
    """Whether a JSON value is such an export."""
    return any(
        isinstance(one, dict) and "type" in one and "date" in one and "text" in one
        for chat in _chats(document)
        for one in (chat["messages"] if isinstance(chat, dict) and isinstance(chat.get("messages"), list) else ())
    )


def read_telegram(document: Any, source: Source) -> Iterator[Entry]:
    """The messages of all chats."""
    return chats(_chats(document), partial(_chat, source))


def _chats(document: Any) -> list[Any]:
    if not isinstance(document, dict):
        return []
    listed = [group["list"] for name in _GROUPS if isinstance(group := document.get(name), dict) and "list" in group]
    return [one for chats in listed if isinstance(chats, list) for one in chats] if listed else [document]


@dataclass(frozen=True, slots=True)
class _About:
    """The chat that messages are of."""

    number: int
    conversation_id: str
    title: object
    bot: str | None
    """The sender that is a program, if the chat is one with a bot."""
    source: Source


def _chat(source: Source, number: int, values: dict[str, Any]) -> Chat:
    given = values.get("id")
    bot = f"user{given}" if values.get("type") == "bot_chat" else None
    about = _About(number, source.conversation(given, "id"), values.get("name"), bot, source)
    messages = enumerate(list_of(values.get("messages"), "messages"), start=1)
    return Chat(None, [partial(_message, about, place, one) for place, one in messages])


def _message(about: _About, place: int, values: Any, at: datetime | None) -> NewMessage | None:
    """The message of an object; `None` for what nobody said, such as that somebody has joined."""
    try:
        values = mapping_of(values, "it")
        return _said(about, values, at) if values.get("type") == "message" else None
    except ImportFormatError as error:
        raise ImportFormatError(f"message {place} of conversation {about.number}: {error}") from error


def _said(about: _About, values: dict[str, Any], at: datetime | None) -> NewMessage:
    content, author, given, thread = _text(values), values.get("from"), values.get("id"), about.conversation_id
    return NewMessage(
        content=content,
        role="assistant" if about.bot is not None and values.get("from_id") == about.bot else "user",
        conversation_id=thread,
        name=name_of(author),
        created_at=_time(values) or at,
        message_id=about.source.stable_id(PROGRAM, thread, author, content)
        if given is None
        else fitting_id(f"{PROGRAM}:{thread}:{given}"),
        metadata=origin(PROGRAM, title=about.title, forwarded_from=values.get("forwarded_from")),
        source="document" if "forwarded_from" in values else None,
    )


def _text(values: dict[str, Any]) -> str:
    """What was said: a text, or its parts, of which those with a form, such as links, are objects."""
    parts = values.get("text")
    return "".join(map(text_of, ([part] for part in parts))) if isinstance(parts, list) else text_of(parts)


def _time(values: dict[str, Any]) -> datetime | None:
    """When it was said, in the zone of who exported it: the file has the time of that place, and that of UTC."""
    there, utc = read_time(values.get("date"), "date"), read_time(values.get("date_unixtime"), "date_unixtime")
    if there is None or utc is None:
        return utc or there
    ahead = there - utc
    return utc.astimezone(timezone(ahead)) if abs(ahead) <= _FURTHEST and not ahead % _STEP else utc
