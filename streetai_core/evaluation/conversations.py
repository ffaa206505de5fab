"""Recorded conversations: one JSON object a line, every line that can be used is used.

    {"role": "user", "content": "I am vegetarian.", "name": "Mara", "created_at": "2026-03-02T18:04:00+01:00",
     "conversation_id": "session-1"}

`role` and `content` are required; other keys than these five are ignored.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.resources import files
from typing import Any

from streetai_core.errors import InputError
from streetai_core.text.clean import check_id, is_blank
from streetai_core.types import ROLES, NewMessage

SAMPLE = "harbour_app"
"""Name of the conversation that comes with the library."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""What some editors write in front of UTF-8."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A line that could not be used."""

    line: int
    """Counted from 1, blank lines included."""
    reason: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was read: the messages in the order of the file, and the lines that are none."""

    messages: tuple[NewMessage, ...]
    problems: tuple[Problem, ...] = ()


def read_conversation(path: str | os.PathLike[str]) -> Conversation:
    """Read a conversation file, UTF-8 with or without a byte order mark.

    A line that cannot be used becomes a `Problem`; the lines round it are read all the same. Blank lines are ignored.

    Raises:
        InputError: the file cannot be opened or read.
    """
    try:
        with open(path, "rb") as lines:  # noqa: PTH123 - Path(...) would be one more thing that can raise
            return _read(lines)
    except OSError as error:
        raise InputError(f"cannot read the conversation {os.fspath(path)!r}: {error.strerror or error}") from error
    except (TypeError, ValueError) as error:
        raise InputError(f"{path!r} is not the path of a file: {error}") from error


def sample_conversation() -> Conversation:
    """The bundled conversation: 108 messages in five sessions, about an app, a boat, a party and a knee."""
    with (files("streetai_core.evaluation") / "samples" / f"{SAMPLE}.jsonl").open("rb") as lines:
        return _read(lines)


def _read(lines: Iterable[bytes]) -> Conversation:
    messages: list[NewMessage] = []
    problems: list[Problem] = []
    for number, line in enumerate(lines, start=1):
        text = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
        if not text.strip():
            continue
        try:
            messages.append(_message(text.rstrip()))
        except _UnusableLineError as error:
            problems.append(Problem(number, str(error)))
    return Conversation(tuple(messages), tuple(problems))


class _UnusableLineError(Exception):
    """Says why; never leaves this module."""


def _message(line: bytes) -> NewMessage:
    values = _object(line)
    role, content = values.get("role"), values.get("content")
    if "role" not in values:
        raise _UnusableLineError("it has no role")
    if not isinstance(role, str) or role not in ROLES:
        raise _UnusableLineError(f"the role must be one of {', '.join(ROLES)}, not {_short(role)}")
    if not isinstance(content, str):
        raise _UnusableLineError(f"the content must be text, not {_short(content)}")
    if is_blank(content):
        raise _UnusableLineError("the content is blank")
    name = _text(values, "name")
    return NewMessage(
        role=role,
        content=content,
        name=name or None,
        created_at=_moment(_text(values, "created_at")),
        conversation_id=_conversation_id(_text(values, "conversation_id")),
    )


def _object(line: bytes) -> dict[str, Any]:
    """The JSON object on a line."""
    try:
        values = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise _UnusableLineError(f"byte {error.start + 1} of it is not UTF-8") from error
    except RecursionError as error:
        raise _UnusableLineError("its JSON is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise _UnusableLineError(f"it is not JSON: {error.msg} (column {error.colno})") from error
    except ValueError as error:
        # A number with more digits than Python converts.
        raise _UnusableLineError("it is not JSON that can be read: a number is too long") from error
    if not isinstance(values, dict):
        raise _UnusableLineError(f"it must be a JSON object, not {_short(values)}")
    return values


def _text(values: dict[str, Any], key: str) -> str | None:
    value = values.get(key)
    if value is not None and not isinstance(value, str):
        raise _UnusableLineError(f"{key} must be text, not {_short(value)}")
    return value


def _moment(text: str | None) -> datetime | None:
    """An ISO 8601 time with its zone; UTC if it names none."""
    if text is None:
        return None
    try:
        # Python 3.10 does not know the letter for UTC.
        moment = datetime.fromisoformat(f"{text[:-1]}+00:00" if text.endswith(("Z", "z")) else text)
        aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=timezone.utc)
        aware.astimezone(timezone.utc)
    except (ValueError, OverflowError) as error:
        # Overflow: the first or last hours of the calendar, which another time zone has in a year that does not exist.
        raise _UnusableLineError(f"created_at is not an ISO 8601 date: {_short(text)}") from error
    return aware


def _conversation_id(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return check_id(text, "conversation_id")
    except InputError as error:
        raise _UnusableLineError(str(error)) from error


def _short(value: object) -> str:
    """A value for a message, in ASCII and not longer than a phrase."""
    limit = 60
    shown = {dict: "an object", list: "a list", type(None): "null", bool: "true or false"}.get(type(value))
    if shown is None:
        shown = json.dumps(value)
    return shown if len(shown) <= limit else f"{shown[:limit]}..."
