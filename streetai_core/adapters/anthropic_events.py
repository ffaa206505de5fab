"""The events of a stream of Anthropic's API put together to the message that they are of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

Event = Mapping[str, Any]

_TEXT_OF_DELTA = {"text_delta": "text", "input_json_delta": "partial_json"}
"""The pieces that are put together. Thinking, signatures and citations are not needed."""


def message_of(events: Iterable[Event]) -> tuple[dict[str, Any], bool]:
    """The message that was streamed, as far as it came, and whether it came to its end."""
    message: dict[str, Any] = {}
    blocks: dict[Any, _Block] = {}
    ended = failed = False
    for event in events:
        kind, place = event.get("type"), event.get("index")
        if kind == "message_start":
            message.update(_mapping(event, "message"))
        elif kind == "content_block_start":
            blocks[place] = _Block(_mapping(event, "content_block"))
        elif kind == "content_block_delta" and place in blocks:
            blocks[place].add(_mapping(event, "delta"))
        elif kind == "content_block_stop" and place in blocks:
            blocks[place].ended = True
        elif kind == "message_delta":
            message.update(_mapping(event, "delta"))
        ended = ended or kind == "message_stop"
        failed = failed or kind == "error"
    message["content"] = [made for block in blocks.values() if (made := block.finished()) is not None]
    return message, ended and not failed


class _Block:
    """A block of content that comes in pieces.

    Args:
        start: the block as its first event has it.
    """

    def __init__(self, start: Mapping[str, Any]) -> None:
        self.ended = False
        self._start = start
        self._pieces: list[str] = []

    def add(self, delta: Mapping[str, Any]) -> None:
        """Take one more piece."""
        piece = delta.get(_TEXT_OF_DELTA.get(str(delta.get("type")), ""))
        if isinstance(piece, str):
            self._pieces.append(piece)

    def finished(self) -> dict[str, Any] | None:
        """The whole block; `None` if it did not come to its end, unless it is a text."""
        come = "".join(self._pieces)
        if self._start.get("type") == "text":
            text = self._start.get("text")
            return {**self._start, "text": (text if isinstance(text, str) else "") + come}
        if not self.ended:
            return None
        if not come:
            return dict(self._start)
        try:
            return {**self._start, "input": json.loads(come)}
        except (ValueError, RecursionError):
            return None


def _mapping(event: Event, field: str) -> Mapping[str, Any]:
    """A field that should be an object."""
    value = event.get(field)
    return value if isinstance(value, Mapping) else {}
