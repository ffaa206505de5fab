"""The events of a stream of Amazon's, in which Bedrock sends those of Anthropic's API: binary messages.

A message is its length, the length of its headers and a checksum of both (4 bytes each, big-endian), the headers, the
payload, and a checksum of it all. The payload is JSON, and has in `bytes`, as base64, the JSON of an event. The
checksums are the SDK's to verify: it refuses a stream whose checksums are wrong.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from streetai_core.adapters.events import Events, json_of

_PRELUDE = 12
"""Bytes before the headers."""

_CHECKSUM = 4
"""Bytes after the payload."""

_LENGTH = 4
"""Bytes of a length."""


class AmazonEvents(Events):
    """`application/vnd.amazon.eventstream`."""

    def __init__(self) -> None:
        self._begun = b""
        """What came of a message that has not ended."""

    def cut(self, chunk: bytes) -> Iterator[bytes]:
        """The next piece, cut after messages."""
        begun = len(self._begun)
        data = self._begun + chunk
        ends = [end for _, end in _spans(data)]
        self._begun = data[ends[-1] :] if ends else data
        starts = [begun, *ends]
        return (data[start:end] for start, end in zip(starts, [*ends, len(data)], strict=True) if start < end)

    def read(self, data: bytes) -> list[dict[str, Any]]:
        """The events in the payloads."""
        events = (_event(data[start:end]) for start, end in _spans(data))
        return [event for event in events if isinstance(event, dict)]


def _spans(data: bytes) -> Iterator[tuple[int, int]]:
    """Where the messages that have ended begin and end; none after a length that cannot be one."""
    start = 0
    while len(data) >= start + _PRELUDE:
        end = start + _number(data, start)
        if end < start + _PRELUDE + _CHECKSUM or end > len(data):
            return
        yield start, end
        start = end


def _event(message: bytes) -> Any:
    """The event in a message; `None` if there is none, as in one that says what went wrong."""
    headers = _number(message, _LENGTH)
    payload = json_of(message[_PRELUDE + headers : -_CHECKSUM])
    encoded = payload.get("bytes") if isinstance(payload, dict) else None
    try:
        return json_of(base64.b64decode(encoded)) if isinstance(encoded, str) else None
    except ValueError:
        return None


def _number(data: bytes, start: int) -> int:
    return int.from_bytes(data[start : start + _LENGTH], "big")
