"""Storing a turn and learning from it: in one transaction, and if it cannot be learned from, stored all the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from streetai_core.errors import MemoryBusyError, MessageConflictError
from streetai_core.memory import Memory
from streetai_core.reporting import Recalled
from streetai_core.text.clean import is_blank
from streetai_core.types import NewMessage, WeightUpdate

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
    try:
        return Recorded(tuple(memory.record_turn(turn_id, messages, retrieved=recalled, reply=reply)))
    except _STORING_FAILED:
        raise
    except Exception as failure:
        if not recalled or is_blank(reply):
            raise
        memory.record_turn(turn_id, messages)
        return Recorded(failure=failure)
