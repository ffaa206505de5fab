"""Stored messages, as verbs need them inside a transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from streetai_core.planning.replacing import Replacing
from streetai_core.recall.hits import signal_key
from streetai_core.recall.looking import check_there, signals_of
from streetai_core.state import MemoryState
from streetai_core.stores.base import ReadTransaction
from streetai_core.stores.types import MessageQuery
from streetai_core.types import Message


def messages_named(transaction: ReadTransaction, ids: Iterable[str]) -> dict[str, Message]:
    """Those messages that are there, by id."""
    return {name: found[0] for name in ids if (found := transaction.messages(MessageQuery(message_id=name)))}


def messages_of(transaction: ReadTransaction, sequences: Sequence[int]) -> dict[int, Message]:
    """Messages with their texts, by sequence.

    Raises:
        DamagedFileError: one of them is not there.
    """
    if not sequences:
        return {}
    found = {message.sequence: message for message in transaction.messages(MessageQuery(sequences=sequences))}
    check_there(found, sequences)
    return found


def replacing_in(transaction: ReadTransaction, state: MemoryState, common: float) -> Replacing:
    """Finds what new messages replace in a memory; `common` is what all vectors of its encoder have in common."""
    return Replacing(state, lambda sequences: messages_of(transaction, sequences), common)


def texts_of(state: MemoryState, messages: Iterable[Message]) -> dict[int, str]:
    """Signal key -> text to embed, in the order they were said."""
    texts: dict[int, str] = {}
    for message in messages:
        for signal in signals_of(state, message):
            key = signal_key(state, signal.signal_id)
            if key is not None:
                texts[key] = signal.content
    return texts
