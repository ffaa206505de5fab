"""What a memory has of a turn already: its beginning, if the turn takes several calls of a chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from streetai_core import Memory, NewMessage
from streetai_core.text.clean import clean
from streetai_core.types import Message


def known_of_turn(memory: Memory, conversation_id: str | None, turn: Sequence[NewMessage]) -> list[Message]:
    """The longest end of a conversation that is the beginning of a turn, with or without ids; empty if it has none.

    A loop with tools gives the question again with each call of the model, and all calls and results since.
    """
    stored = memory.messages(conversation_id=conversation_id, last=len(turn))
    for start in range(len(stored)):
        end = stored[start:]
        if all(_same(old, new) for old, new in zip(end, turn, strict=False)):
            return end
    return []


def under_known_ids(turn: Sequence[NewMessage], known: Sequence[Message]) -> list[NewMessage]:
    """The turn with the ids that its first messages are stored under, so that they are not stored again."""
    same = [replace(new, message_id=old.message_id) for new, old in zip(turn, known, strict=False)]
    return [*same, *turn[len(known) :]]


def _same(stored: Message, new: NewMessage) -> bool:
    """Whether a message is the stored one: the user's in everything, tool traffic in what was asked and answered."""
    if (stored.role, stored.content) != (new.role, clean(new.content)[0]):
        return False
    metadata = new.metadata or {}
    return stored.metadata == metadata if new.role == "user" else _traffic(stored.metadata) == _traffic(metadata)


def _traffic(metadata: Mapping[str, Any]) -> tuple[Any, Any]:
    """The calls in a message, and the call that it is the result of."""
    return metadata.get("tool_calls"), metadata.get("tool_call_id")
