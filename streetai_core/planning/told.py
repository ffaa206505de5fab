"""What the text of a new message tells: worked out before anything is locked, so that others can write meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

from streetai_core.dynamics.trust import default_trust, source_of
from streetai_core.planning.news import Anew, said_anew
from streetai_core.planning.replacing import Wanted, wanted_by
from streetai_core.planning.words import words_row
from streetai_core.stores.types import WordsRow
from streetai_core.types import Message, NewMessage


@dataclass(frozen=True, slots=True)
class Told:
    """What can be said of a message before it has a place in a memory."""

    row: WordsRow
    """Its words row, as if nothing had been said before."""
    wanted: Wanted
    """What those have that it may replace."""
    anew: Anew
    """What it says anew."""


def told(new: NewMessage) -> Told:
    """What a message tells that is checked, and has a time.

    Raises:
        InputError: it was said outside the years 1 to 9999 in UTC.
    """
    return told_by(message_of(new, "", turn=0, sequence=0))


def told_by(message: Message) -> Told:
    """What the text of a message that has a place tells.

    Raises:
        InputError: it was said outside the years 1 to 9999 in UTC.
    """
    return Told(words_row(message), wanted_by(message), said_anew(message))


def message_of(new: NewMessage, message_id: str, *, turn: int, sequence: int, sanitised: bool = False) -> Message:
    """The stored form of a message that has a time."""
    if new.created_at is None:
        raise ValueError("a message without a time")
    source = new.source or source_of(new.role)
    return Message(
        message_id=message_id,
        role=new.role,
        content=new.content,
        turn=turn,
        sequence=sequence,
        conversation_id=new.conversation_id,
        name=new.name,
        created_at=new.created_at,
        metadata=new.metadata or {},
        sanitised=sanitised,
        source=source,
        trust=default_trust(source) if new.trust is None else new.trust,
        writer=new.writer,
    )
