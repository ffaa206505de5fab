"""A whole history that was sent again, against what is stored: where it belongs, and what is new or changed. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from streetai_core import Message, NewMessage
from streetai_core.tool_calls import is_tool_traffic
from streetai_llamaindex.messages import said_text

_Words: TypeAlias = tuple[str, str, tuple[str, ...]]
"""Role, text without white space at its ends, and ids of tool calls: what makes two messages the same."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """What to do to make the stored transcript the one that was sent."""

    delete: Sequence[Message]
    """Stored messages that are not in it any more."""
    add: int
    """The messages from here on are new."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a history that was sent belongs."""

    conversation_id: str
    change: Alignment


def align(stored: Sequence[Message], sent: Sequence[NewMessage]) -> Alignment | None:
    """Compare a stored transcript with one that was sent.

    What is sent again is kept, with all that was learned about it. A history that goes on from the end of the stored
    one deletes nothing, also where its beginning was cut off: applications that send the last so many messages want a
    short prompt, not a short memory. A history that still has half of the stored messages in their places is the same
    one, edited: from the first difference on the stored messages are deleted and the sent ones new.

    Any other history is another conversation, and so is one that has no question of the user's in common with the
    stored one: each chat may begin with the same greeting. Where nothing sent is tool traffic, the stored tool traffic
    is passed over: clients resend what was said, not how an agent came to it.

    Returns:
        `None`: it is another conversation.
    """
    traffic = any(map(is_tool_traffic, sent))
    compared = [place for place, one in enumerate(stored) if traffic or not is_tool_traffic(one)]
    before = [_words(stored[place]) for place in compared]
    now = [_words(message) for message in sent]
    in_place = [words for words, others in zip(before, now, strict=False) if words == others]
    same = next((at for at, pair in enumerate(zip(before, now, strict=False)) if pair[0] != pair[1]), len(in_place))
    overlap = _overlap(before, now)
    if overlap == len(before) or (overlap >= same and _asks(now[:overlap])):
        return Alignment((), overlap)
    if 2 * len(in_place) < len(before) or not _asks(in_place):
        return None
    first = compared[same - 1] + 1 if same else 0
    return Alignment(stored[first:], same)


def place(conversations: Mapping[str, Sequence[Message]], current: str, sent: Sequence[NewMessage]) -> Placement | None:
    """Find the conversation of a session that a history belongs to.

    It is the one that it goes on from the end of, where there are several the one that has most of it; else the current
    one, edited. Of a conversation that is not the current one nothing is ever deleted.

    Args:
        conversations: what is stored of the session.
        current: the conversation that the window shows.
        sent: the history.

    Returns:
        `None`: it belongs to none, and begins a new one.
    """
    own = align(conversations.get(current, ()), sent)
    others = {name: align(stored, sent) for name, stored in conversations.items() if name != current}
    found = [Placement(name, one) for name, one in ((current, own), *others.items()) if one and not one.delete]
    if found:
        return max(found, key=lambda one: one.change.add)
    return None if own is None else Placement(current, own)


def is_beginning(sent: Sequence[NewMessage], spoken: Sequence[NewMessage]) -> bool:
    """Whether a transcript begins with the messages that were sent; tool traffic is passed over as by `align`."""
    traffic = any(map(is_tool_traffic, sent))
    compared = [_words(one) for one in spoken if traffic or not is_tool_traffic(one)]
    return [_words(one) for one in sent] == compared[: len(sent)]


def _overlap(before: Sequence[_Words], now: Sequence[_Words]) -> int:
    """How many messages at the end of one transcript are the beginning of the other."""
    for size in range(min(len(before), len(now)), 0, -1):
        if before[-size] == now[0] and list(before[-size:]) == list(now[:size]):
            return size
    return 0


def _asks(messages: Iterable[_Words]) -> bool:
    """Whether the user says something in them."""
    return any(role == "user" for role, _, _ in messages)


def _words(message: Message | NewMessage) -> _Words:
    metadata: Any = message.metadata or {}
    calls = metadata.get("tool_calls")
    ids = [str(call.get("id")) for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    result = metadata.get("tool_call_id")
    return message.role, said_text(message).strip(), (*ids, *([str(result)] if result else []))
