"""A conversation as steps: exchanges for the chain, and messages that are only stored."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from streetai_core import Memory, Message, NewMessage
from streetai_core.errors import InputError
from streetai_core.text.clean import clean


@dataclass(frozen=True, slots=True)
class Exchange:
    """A user message and the assistant message that follows it in the same conversation: one call of the chain."""

    number: int
    """Which user turn of the file this is, from 1."""
    question: NewMessage
    reply: NewMessage


@dataclass(frozen=True, slots=True)
class Aside:
    """Any other message: it is stored as it is."""

    message: NewMessage


Step: TypeAlias = Exchange | Aside


def steps(messages: Sequence[NewMessage], stored: Sequence[bool]) -> list[Step]:
    """What is left to play, in the order of the file.

    Args:
        messages: the whole file.
        stored: for each message whether the memory has it already.

    Returns:
        Exchanges keep their number in the file. A reply whose question is stored already becomes an aside.
    """
    replies = _replies(messages)
    answers = set(replies.values())
    left: list[Step] = []
    number = 0
    for position, message in enumerate(messages):
        reply = replies.get(position)
        number += reply is not None
        if reply is not None and not stored[position]:
            left.append(Exchange(number, message, messages[reply]))
        elif reply is not None and not stored[reply]:
            left.append(Aside(messages[reply]))
        elif reply is None and position not in answers and not stored[position]:
            left.append(Aside(message))
    return left


def already_stored(messages: Sequence[NewMessage], memory: Memory) -> list[bool]:
    """For each message of a file whether an earlier run has stored it.

    Each conversation of the memory has to begin as it does in the file; it may be longer than in the file.

    Raises:
        InputError: the memory holds another conversation under one of the ids.
    """
    transcripts: dict[str | None, list[Message]] = defaultdict(list)
    for there in memory.messages():
        transcripts[there.conversation_id].append(there)
    places: Counter[str | None] = Counter()
    flags = []
    for message in messages:
        place, transcript = places[message.conversation_id], transcripts[message.conversation_id]
        places[message.conversation_id] += 1
        flags.append(place < len(transcript))
        if flags[-1] and (transcript[place].role, transcript[place].content) != (
            message.role,
            clean(message.content)[0],
        ):
            raise InputError(
                f"the memory {memory.memory_id!r} in the database is of another conversation: "
                f"message {place + 1} of {message.conversation_id or 'the conversation'} differs from the file. "
                "Choose another file with --db, or give --fresh to forget it and play from the start."
            )
    return flags


def _replies(messages: Sequence[NewMessage]) -> dict[int, int]:
    """Position of a user message -> position of the assistant message next to it in its conversation."""
    last: dict[str | None, int] = {}
    replies: dict[int, int] = {}
    for position, message in enumerate(messages):
        before = last.get(message.conversation_id)
        if before is not None and message.role == "assistant" and messages[before].role == "user":
            replies[before] = position
        last[message.conversation_id] = position
    return replies
