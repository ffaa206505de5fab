"""What is in a memory."""

from __future__ import annotations

from types import EllipsisType
from typing import Any

from streetai_core.aio import twin
from streetai_core.conductor import (
    Conductor,
    check_count,
    check_text,
    messages_of,
)
from streetai_core.recall.hits import signal_key
from streetai_core.recall.looking import all_signals, all_stacks, counts
from streetai_core.stores.base import CreditRow, MessageQuery
from streetai_core.text.clean import check_id
from streetai_core.types import (
    Message,
    Signal,
    Stack,
)


class Looking(Conductor):
    """The verbs that look in. They change nothing."""

    def messages(self, *, conversation_id: str | EllipsisType | None = ..., last: int | None = None) -> list[Message]:
        """Stored messages in the order they were stored, exactly as they were said.

        Args:
            conversation_id: only this conversation; `None` is the one without an id. Left out: all of them.
            last: only the last so many.
        """
        check_count(last, "last")
        query = MessageQuery(last=last)
        if not isinstance(conversation_id, EllipsisType):
            if conversation_id is not None:
                check_id(conversation_id, "conversation_id")
            query = MessageQuery(conversation_id=conversation_id, any_conversation=False, last=last)
        with self._coherent.reading() as (transaction, _):
            return transaction.messages(query)

    @property
    def signals(self) -> list[Signal]:
        """All signals, in the order they were said."""
        with self._coherent.reading() as (transaction, state):
            return [] if state is None else all_signals(state, transaction.messages(MessageQuery()))

    @property
    def stacks(self) -> list[Stack]:
        """All stacks, the largest first; their signals newest first."""
        with self._coherent.reading() as (_, state):
            return [] if state is None else all_stacks(state)

    def stats(self) -> dict[str, Any]:
        """Counts: the published six, and messages, tokens of the full history, encoder and version."""
        with self._coherent.reading() as (_, state):
            return counts(self.memory_id, state, self.config)

    def history(self, signal_id: str) -> list[CreditRow]:
        """Every learning step of one signal, oldest first; empty for an unknown id."""
        check_text(signal_id, "signal_id")
        with self._coherent.reading() as (transaction, state):
            key = None if state is None else signal_key(state, signal_id)
            return [] if key is None else transaction.credits(key)

    def revisions(self, parent_turn_id: str) -> list[Message]:
        """The statements of one fact, oldest first: a message, what it replaced, and what replaced it.

        A message that changed nothing and was not changed stands alone; an unknown id gives an empty list.
        """
        check_text(parent_turn_id, "parent_turn_id")
        with self._coherent.reading() as (transaction, state):
            found = transaction.messages(MessageQuery(message_id=parent_turn_id))
            if state is None or not found:
                return found
            sequences = state.words.revisions(found[0].sequence)
            return list(messages_of(transaction, sequences).values())

    amessages = twin(messages)
    astats = twin(stats)
    ahistory = twin(history)
    arevisions = twin(revisions)
