"""A whole history that was sent again, against what is stored of it: what is new, and what was changed. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from streetai_core import Message, NewMessage
from streetai_llamaindex.messages import is_stored_tool_traffic

_Words: TypeAlias = tuple[str, str, tuple[str, ...]]
"""Role, text without white space at its ends, and ids of tool calls: what makes two messages the same."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """What to do to make the stored transcript the one that was sent."""

    delete: Sequence[Message]
    """Stored messages that are not in it any more."""
    add: int
    """The messages from here on are new."""


def align(stored: Sequence[Message], sent: Sequence[NewMessage]) -> Alignment:
    """Compare a stored transcript with one that was sent.

    What is sent again is kept, with all that was learned about it. From the first difference on the stored messages
    are deleted and the sent ones new. But a history whose beginning was cut off deletes nothing: applications that send
    the last so many messages want a short prompt, not a short memory. Where nothing sent is tool traffic, the stored
    tool traffic is passed over: clients resend what was said, not how an agent came to it.
    """
    traffic = any(map(_is_traffic, sent))
    compared = [place for place, one in enumerate(stored) if traffic or not is_stored_tool_traffic(one)]
    before = [_words(stored[place]) for place in compared]
    now = [_words(message) for message in sent]
    same = next((at for at, pair in enumerate(zip(before, now, strict=False)) if pair[0] != pair[1]), None)
    if same is None and len(now) >= len(before):
        return Alignment((), len(before))
    same = min(len(before), len(now)) if same is None else same
    overlap = _overlap(before, now)
    if overlap > same:
        return Alignment((), overlap)
    first = compared[same - 1] + 1 if same else 0
    return Alignment(stored[first:], same)


def is_beginning(sent: Sequence[NewMessage], spoken: Sequence[NewMessage]) -> bool:
    """Whether a transcript begins with the messages that were sent; tool traffic is passed over as by `align`."""
    traffic = any(map(_is_traffic, sent))
    compared = [_words(one) for one in spoken if traffic or not _is_traffic(one)]
    return [_words(one) for one in sent] == compared[: len(sent)]


def _overlap(before: Sequence[_Words], now: Sequence[_Words]) -> int:
    """How many messages at the end of one transcript are the beginning of the other."""
    for size in range(min(len(before), len(now)), 0, -1):
        if before[-size] == now[0] and list(before[-size:]) == list(now[:size]):
            return size
    return 0


def _is_traffic(message: NewMessage) -> bool:
    return message.role == "tool" or bool((message.metadata or {}).get("tool_calls"))


def _words(message: Message | NewMessage) -> _Words:
    metadata: Any = message.metadata or {}
    calls = metadata.get("tool_calls")
    ids = [str(call.get("id")) for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    result = metadata.get("tool_call_id")
    return message.role, message.content.strip(), (*ids, *([str(result)] if result else []))
