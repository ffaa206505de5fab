"""What the readers of single formats share: texts out of blocks, roles, ids that stay the same."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from functools import partial
from itertools import chain
from typing import Any, cast

from streetai_core.errors import ImportFormatError, InputError
from streetai_core.text.clean import check_id, clean, is_blank
from streetai_core.transfer.values import Blank, Entry, Record, Rejected
from streetai_core.types import NewMessage, Role

_ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "chatbot": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "developer",
    "tool": "tool",
    "function": "tool",
}
"""What other programs call the roles."""

_DIGITS = 32
"""Hex digits of a hash in an id: 128 bits."""

_LONGEST = 2 << 20
"""Characters of a message; more than any model reads, and each of them costs embedding."""

LONG_AGO = datetime.min.replace(tzinfo=timezone.utc)
"""Before all that was said."""
_AT_LAST = datetime.max.replace(tzinfo=timezone.utc)


@dataclass(slots=True)
class Source:
    """What a reader knows besides the content of the file."""

    unnamed: str
    """The conversation of messages that name none: the caller's, or one with the name of the file."""
    _seen: Counter[str] = field(default_factory=Counter)

    def conversation(self, given: object, what: str = "conversation_id") -> str:
        """The conversation of a message: what the file says, else that of messages that name none."""
        if given is not None and not isinstance(given, str | int):
            raise ImportFormatError(f"{what} must be text, got {type(given).__name__}")
        return fitting_id(str(given) if given not in {None, ""} else self.unnamed)

    def stable_id(self, program: str, *content: object) -> str:
        """An id of a message that has none: of what it says, and of how many like it came before."""
        text = json.dumps(content, sort_keys=True, default=str)
        self._seen[text] += 1
        return hashed_id(program, text, self._seen[text])


def hashed_id(program: str, *parts: object) -> str:
    """An id that is the same for the same parts."""
    return f"{program}:{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:_DIGITS]}"


def fitting_id(text: str) -> str:
    """The text if it can be an id, else a hash of it."""
    try:
        return check_id(text, "id")
    except InputError:
        return hashed_id("id", text)


def role_of(value: object) -> Role:
    """The role that another program's word means.

    Raises:
        ImportFormatError: it is no role.
    """
    found = _ROLES.get(value.lower()) if isinstance(value, str) else None
    if found is None:
        raise ImportFormatError(f"its role must be one of {', '.join(_ROLES)}, got {ascii(value)[:40]}")
    return found


def text_of(content: object) -> str:
    """The text of a content that is text, nothing, or a list of texts and blocks; pictures and the like have none.

    Raises:
        ImportFormatError: it is something else.
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise ImportFormatError(f"its content must be text or a list of blocks, got {type(content).__name__}")
    parts = [part if isinstance(part, str) else part.get("text") for part in content if isinstance(part, str | dict)]
    return "\n".join(part for part in parts if isinstance(part, str) and part)


def name_of(value: object) -> str | None:
    """An author's name; `None` where there is none."""
    return value if isinstance(value, str) and not is_blank(value) else None


def mapping_of(value: object, what: str) -> dict[str, Any]:
    """The JSON object that `value` has to be.

    Raises:
        ImportFormatError: it is something else.
    """
    if not isinstance(value, dict):
        raise ImportFormatError(f"{what} must be a JSON object, got {type(value).__name__}")
    return cast("dict[str, Any]", value)


def list_of(value: object, what: str) -> list[Any]:
    """The JSON list that `value` has to be.

    Raises:
        ImportFormatError: it is something else.
    """
    if not isinstance(value, list):
        raise ImportFormatError(f"{what} must be a list, got {type(value).__name__}")
    return value


def tool_calls(calls: Iterable[Any]) -> list[dict[str, Any]]:
    """Calls of tools in the form that chat APIs take and `prompt` sends; those without id and name are left out."""
    return [
        {
            "id": str(call["id"]),
            "type": "function",
            "function": {"name": str(call["name"]), "arguments": json.dumps(call.get("args", {}))},
        }
        for call in calls
        if isinstance(call, dict) and call.get("id") and call.get("name")
    ]


def tool_ties(calls: Sequence[Mapping[str, Any]], answered: object) -> dict[str, Any]:
    """Metadata that tie calls of tools to their results: the calls of a message, and the one that it answers."""
    return {
        **({"tool_calls": list(calls)} if calls else {}),
        **({"tool_call_id": str(answered)} if answered else {}),
    }


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation of a file."""

    began: datetime | None
    """When its first message was said that does not say it itself."""
    said: Sequence[Callable[[datetime | None], NewMessage | None]]
    """Make its messages in order; each is given the time of the one before it."""


def entries_of(number: int, build: Callable[[], NewMessage | None]) -> Iterator[Entry]:
    """What becomes of the message that `build` makes; nothing where there is none, and it returns `None`."""
    try:
        message = build()
    except InputError as error:
        yield Rejected(number, str(error))
        return
    if message is None:
        return
    if len(message.content) > _LONGEST:
        yield Rejected(number, f"it has {len(message.content):,} characters, which are more than {_LONGEST:,}")
    elif is_blank(message.content) and not (message.metadata or {}).get("tool_calls"):
        yield Blank(number)
    else:
        yield Record(number=number, message=message)


def conversations_in(document: Any, key: str) -> list[Any]:
    """The conversations of an export, which have a key by which they are known: a list of them, or one alone."""
    found = [document] if isinstance(document, dict) else document
    return found if isinstance(found, list) and any(isinstance(one, dict) and key in one for one in found) else []


def chats(document: object, read: Callable[[int, dict[str, Any]], Chat]) -> Iterator[Entry]:
    """The messages of a list of conversations.

    Args:
        document: the list.
        read: makes a conversation of its number and its JSON object.
    """

    def entries(number: int, values: object) -> Iterator[Entry]:
        try:
            chat = read(number, mapping_of(values, "a conversation"))
        except InputError as error:
            yield Rejected(number, f"conversation {number}: {error}")
            return
        before = chat.began
        for build in chat.said:
            for entry in entries_of(number, partial(build, before)):
                yield entry
                before = (isinstance(entry, Record) and entry.message.created_at) or before

    return chain.from_iterable(entries(number, one) for number, one in enumerate(list_of(document, "the file"), 1))


def dated(entries: Sequence[Entry]) -> Iterator[Entry]:
    """The entries; a message without a time gets that of the one before it in its conversation, else of the next one.

    Many programs note when a reply came and not when the question was put, or the other way round. A message whose
    conversation has no time at all keeps none, so that it is of the moment in which it is stored.
    """
    times: dict[str | None, datetime] = {}
    for entry in reversed(entries):
        if isinstance(entry, Record) and entry.message.created_at is not None:
            times[entry.message.conversation_id] = entry.message.created_at
    for entry in entries:
        if isinstance(entry, Record):
            thread = entry.message.conversation_id
            time = entry.message.created_at or times.get(thread)
            if time is not None:
                times[thread] = time
            yield replace(entry, message=replace(entry.message, created_at=time))
        else:
            yield entry


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """The entries in the order in which they were said, for a memory takes what it is told later for newer.

    So conversations that went on at the same time come in turn. Each keeps its own order, whatever its times say; one
    without any time is of the moment in which it is stored, and comes last.
    """
    reached: dict[str | None, datetime] = {}
    said: list[tuple[datetime, Entry]] = []
    for entry in entries:
        time = LONG_AGO
        if isinstance(entry, Record):
            thread = entry.message.conversation_id
            time = max(reached.get(thread, LONG_AGO), entry.message.created_at or _AT_LAST)
            reached[thread] = time
        said.append((time, entry))
    return [entry for _, entry in sorted(said, key=lambda pair: pair[0])]


def writer_of(program: str) -> str:
    """Who wrote a message that was imported, as far as the memory can tell."""
    return f"import/{program}"


def origin(program: str, **more: object) -> Mapping[str, Any]:
    """Metadata that says where a message came from, with what else is known in plain text."""
    kept = {name: clean(value)[0] for name, value in more.items() if isinstance(value, str) and value}
    return {"imported_from": program, **kept}
