"""Plain messages: `{"role": ..., "content": ...}`, one a line or all in a list, with what else is known of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import IO, Any

from streetai_core.errors import ImportFormatError
from streetai_core.transfer.files import LONGEST_LINE, enumerate_lines, parsed
from streetai_core.transfer.records import (
    Source,
    entries_of,
    fitting_id,
    hashed_id,
    list_of,
    mapping_of,
    role_of,
    text_of,
    tool_ties,
)
from streetai_core.transfer.times import read_time
from streetai_core.transfer.values import Entry, Rejected
from streetai_core.types import SOURCES, NewMessage
from streetai_core.types import Source as Origin

PROGRAM = "jsonl"

_TIME = ("created_at", "timestamp", "time")
_THREAD = ("conversation_id", "session_id", "thread_id")
"""Names under which a line may have these; the first that is there counts."""


def is_plain(value: Any) -> bool:
    """Whether a JSON value is a list with such messages."""
    return isinstance(value, list) and any(is_plain_message(one) for one in value)


def is_plain_message(value: Any) -> bool:
    """Whether a JSON value is such a message."""
    return isinstance(value, dict) and "role" in value and "content" in value


def read_plain_lines(lines: IO[str], source: Source) -> Iterator[Entry]:
    """The messages of a file with one a line; blank lines are nothing."""
    for number, line in enumerate_lines(lines, LONGEST_LINE):
        if line is None:
            yield Rejected(number, f"it has more than {LONGEST_LINE:,} characters")
        elif not line.isspace():
            yield from entries_of(number, partial(_line, line, source))


def read_plain(document: Any, source: Source) -> Iterator[Entry]:
    """The messages of a list."""
    for number, one in enumerate(list_of(document, "the file"), start=1):
        yield from entries_of(number, partial(_message, one, source))


def _line(text: str, source: Source) -> NewMessage:
    return _message(parsed(text, "it"), source)


def _message(values: Any, source: Source) -> NewMessage:
    values = mapping_of(values, "a message")
    role = role_of(values.get("role"))
    if "content" not in values:
        raise ImportFormatError("it has no content")
    content = text_of(values["content"])
    name, metadata = values.get("name"), values.get("metadata")
    if name is not None and not isinstance(name, str):
        raise ImportFormatError(f"name must be text, got {type(name).__name__}")
    moment = read_time(_first(values, _TIME), "created_at")
    conversation = source.conversation(_first(values, _THREAD))
    return NewMessage(
        content=content,
        role=role,
        conversation_id=conversation,
        name=name,
        created_at=moment,
        message_id=_id(values, conversation) or source.stable_id(PROGRAM, conversation, role, name, content, moment),
        source=_origin(values),
        trust=_trust(values),
        metadata={**_tools(values), **({} if metadata is None else mapping_of(metadata, "metadata"))} or None,
    )


def _origin(values: dict[str, Any]) -> Origin | None:
    """Where the text comes from, if that is said in our words; another program may mean anything by it."""
    return next((one for one in SOURCES if one == values.get("source")), None)


def _trust(values: dict[str, Any]) -> float | None:
    """How far the text may be believed, as `streetai show --json` writes it."""
    given = values.get("trust")
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return float(given) if 0 <= given <= 1 else None


def _tools(values: dict[str, Any]) -> dict[str, Any]:
    """What ties calls of tools to their results, where it stands beside the content, as in the calls of chat APIs."""
    given = values.get("tool_calls")
    calls = [one for one in (given if isinstance(given, list) else []) if isinstance(one, dict) and one.get("id")]
    # What names no function cannot be sent, and would make a provider refuse the whole conversation.
    return tool_ties([one for one in calls if isinstance(one.get("function"), dict)], values.get("tool_call_id"))


def _id(values: dict[str, Any], conversation: str) -> str | None:
    """A `message_id` as it stands; an `id`, which may be no more than a number, together with its conversation."""
    given = values.get("message_id")
    if isinstance(given, str) and given:
        return fitting_id(given)
    number = values.get("id")
    return hashed_id(PROGRAM, conversation, number) if isinstance(number, str | int) and number != "" else None


def _first(values: dict[str, Any], names: Iterable[str]) -> Any:
    return next((values[name] for name in names if values.get(name) is not None), None)
