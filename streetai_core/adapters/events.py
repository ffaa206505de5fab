"""The events of a stream, read from its bytes: server-sent ones, as nearly all providers have them."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

_END_OF_EVENT = re.compile(rb"\n\n|\r\n\r\n|\r\r")
"""An empty line ends an event."""

_END_OF_STREAM = "[DONE]"
"""What OpenAI, and those that speak its protocol, send as the data of the last event."""


_LONGEST_END = 4
"""Bytes of the longest way to end an event."""


class Events(ABC):
    """The form in which a stream has its events. One object reads one stream."""

    @abstractmethod
    def cut(self, chunk: bytes) -> Iterator[bytes]:
        """The next piece of the stream, cut after each event that ends in it."""

    @abstractmethod
    def read(self, data: bytes) -> list[dict[str, Any]]:
        """The JSON of the events that ended in `data`, the stream so far. What is no JSON object is left out."""


class ServerSentEvents(Events):
    """`text/event-stream`."""

    def __init__(self) -> None:
        self._before = b""

    def cut(self, chunk: bytes) -> Iterator[bytes]:
        """The next piece, cut after empty lines."""
        before = self._before
        self._before = (before + chunk)[1 - _LONGEST_END :]
        return at_events(chunk, before)

    def read(self, data: bytes) -> list[dict[str, Any]]:
        """What the events have as `data:`."""
        return events_of(data)


def at_events(chunk: bytes, before: bytes = b"") -> Iterator[bytes]:
    """A piece of a stream, cut after each event that ends in it.

    Args:
        chunk: the piece.
        before: what came before it; an event may end with its last bytes and the first ones of the piece.
    """
    tail = before[1 - _LONGEST_END :]
    start = 0
    for found in _END_OF_EVENT.finditer(tail + chunk):
        end = found.end() - len(tail)
        if end > start:
            yield chunk[start:end]
            start = end
    if start < len(chunk):
        yield chunk[start:]


def events_of(data: bytes) -> list[dict[str, Any]]:
    """The JSON of the events that ended in `data`; an empty one for `[DONE]`. What is no JSON object is left out."""
    events: list[dict[str, Any]] = []
    text = data.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    # What comes after the last empty line has not ended.
    for block in text.split("\n\n")[:-1]:
        payload = "\n".join(line[5:].removeprefix(" ") for line in block.split("\n") if line.startswith("data:"))
        if payload.strip() == _END_OF_STREAM:
            events.append({})
        elif isinstance(event := json_of(payload), dict):
            events.append(event)
    return events


def json_of(text: str | bytes) -> Any:
    """The JSON value in a text; `None` if there is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
