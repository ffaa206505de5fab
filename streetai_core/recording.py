"""Storing what was said, and learning from it: nobody waits for a lesson that fails, nor for the embedding of much."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from streetai_core.errors import ClosedError, MemoryBusyError, MessageConflictError, StaleMemoryError
from streetai_core.failures import fail_open
from streetai_core.memory import Memory
from streetai_core.reporting import Recalled
from streetai_core.text.clean import is_blank
from streetai_core.types import NewMessage, WeightUpdate
from streetai_core.workers import for_writing

_AT_ONCE = 8_000
"""Characters of a turn up to which it is embedded before the app gets the reply: a model on one core takes a second for
them. A history that a memory takes over, or a file that is pasted, would hold the reply for ten and more."""

_NOT_EMBEDDED = "what was said is found by its words until the next messages bring its vectors"

_STORING_FAILED = (MemoryBusyError, MessageConflictError)
"""What a second try without learning can only meet again, the first of them after as long a wait."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A turn that is stored."""

    updates: Sequence[WeightUpdate] = ()
    """What was learned from it."""
    failure: Exception | None = None
    """Why nothing could be learned, if something should have been; not reported yet."""


def record(
    memory: Memory,
    turn_id: str,
    messages: Sequence[NewMessage],
    *,
    retrieved: Iterable[Recalled] = (),
    reply: str = "",
) -> Recorded:
    """Store the messages of a turn and learn from its reply, as `Memory.record_turn`, whose arguments these are.

    A long one is embedded on another thread when it is stored, so that nobody waits for the reply meanwhile.

    A turn must not be lost because nothing can be learned from it: then it is stored without. Both tries have the same
    handle and the same ids, so a memory that was reset in between stays empty, and a first try that was stored although
    it failed is not stored again.

    Raises:
        InputError: an id or a message cannot be used.
        EncoderError: the embedding model failed; nothing was stored.
        StaleMemoryError: the memory was reset.
        StoreError: the database failed.
    """
    recalled = list(retrieved)
    embed_later = _is_long(messages)
    recorded = _recorded(memory, turn_id, messages, recalled, reply, embed_later=embed_later)
    if embed_later:
        _have_embedded(memory)
    return recorded


def store(memory: Memory, messages: Sequence[NewMessage]) -> None:
    """Store messages that nothing is learned from, as `Memory.add_messages`; long ones are embedded as by `record`.

    Raises:
        InputError: an id or a message cannot be used.
        EncoderError: the embedding model failed; nothing was stored.
        StaleMemoryError: the memory was reset.
        StoreError: the database failed.
    """
    embed_later = _is_long(messages)
    memory.add_messages(messages, embed_later=embed_later)
    if embed_later:
        _have_embedded(memory)


def _is_long(messages: Sequence[NewMessage]) -> bool:
    """Whether to embed messages takes so long that nobody should wait for it."""
    return sum(len(one.content) for one in messages) > _AT_ONCE


def _have_embedded(memory: Memory) -> None:
    """Have what is stored without vectors embedded by a worker."""
    # If the registry is being closed, whoever opens it next does it.
    with suppress(ClosedError, RuntimeError):
        for_writing(memory.executor).submit(_embed, memory)


def _recorded(
    memory: Memory,
    turn_id: str,
    messages: Sequence[NewMessage],
    recalled: Sequence[Recalled],
    reply: str,
    *,
    embed_later: bool,
) -> Recorded:
    """The turn stored, and learned from if it can be."""
    try:
        learned = memory.record_turn(turn_id, messages, retrieved=recalled, reply=reply, embed_later=embed_later)
        return Recorded(tuple(learned))
    except _STORING_FAILED:
        raise
    except Exception as failure:
        if not recalled or is_blank(reply):
            raise
        memory.record_turn(turn_id, messages, embed_later=embed_later)
        return Recorded(failure=failure)


def _embed(memory: Memory) -> None:
    """Give what is stored without vectors its vectors; nobody misses those of what was forgotten meanwhile."""
    with fail_open(_NOT_EMBEDDED, None), suppress(StaleMemoryError, ClosedError):
        memory.reencode(only_missing=True)
