"""What is in a memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from types import EllipsisType
from typing import Any

import numpy as np

from streetai_core.aio import twin
from streetai_core.conductor import Conductor
from streetai_core.errors import InputError, StaleMemoryError
from streetai_core.index.order import oldest_first
from streetai_core.planning.words import RULES, day_of, fingerprint
from streetai_core.prompt.passages import Passage, as_asked
from streetai_core.recall.filtering import RecallFilter
from streetai_core.recall.hits import signal_key
from streetai_core.recall.looking import all_signals, all_stacks, counts
from streetai_core.recall.mapping import StackMap, stack_map
from streetai_core.recall.terse_answers import questions_of
from streetai_core.recall.timeline import HistoryEntry, sequences_with, timeline
from streetai_core.stores.base import ReadTransaction
from streetai_core.stores.types import MessageQuery
from streetai_core.text.clean import check_id
from streetai_core.types import (
    Hit,
    Message,
    Role,
    Signal,
    Stack,
)
from streetai_core.verbs.arguments import check_count, check_text
from streetai_core.verbs.stored import messages_of

_MOST = 2**63 - 1
"""Messages of a page; more than there can be, and the largest number that a database takes."""


class Looking(Conductor):
    """The verbs that look in. They change nothing."""

    def messages(
        self,
        *,
        conversation_id: str | EllipsisType | None = ...,
        roles: Iterable[Role] | None = None,
        before: str | None = None,
        after: str | None = None,
        first: int | None = None,
        last: int | None = None,
    ) -> list[Message]:
        """Stored messages in the order they were stored, exactly as they were said.

        Page by page: `last=50`, then `last=50, before=` the id of the first message of that page, and so on until a
        page is empty; forwards `first=50`, then `first=50, after=` the id of the last one.

        Args:
            conversation_id: only this conversation; `None` is the one without an id. Left out: all of them.
            roles: only these, as "user". `None`: all of them.
            before: the id of a message: only what was stored before it.
            after: the id of a message: only what was stored after it.
            first: only the first so many; not together with `last`.
            last: only the last so many.

        Raises:
            InputError: an argument cannot be used, or no message has the id of `before` or `after`.
        """
        check_count(first, "first")
        check_count(last, "last")
        if first is not None and last is not None:
            raise InputError("give first or last, not both: the first so many are others than the last")
        wanted = RecallFilter(roles=roles).roles
        query = MessageQuery(
            roles=None if wanted is None else tuple(wanted),
            first=None if first is None else min(first, _MOST),
            last=None if last is None else min(last, _MOST),
        )
        if not isinstance(conversation_id, EllipsisType):
            named = None if conversation_id is None else check_id(conversation_id, "conversation_id")
            query = replace(query, conversation_id=named, any_conversation=False)
        with self._coherent.reading() as (transaction, _):
            below, above = _sequence(transaction, before, "before"), _sequence(transaction, after, "after")
            return transaction.messages(replace(query, before=below, after=above))

    def _saying(self, texts: Iterable[str]) -> list[Message]:
        """Stored messages with one of these texts, or nearly, of those that can be recalled; no other text is read."""
        with self._coherent.reading() as (transaction, state):
            said = set() if state is None else state.words.said(set(map(fingerprint, texts)))
            return transaction.messages(MessageQuery(sequences=sorted(said)))

    def _asked_before(self, hits: Sequence[Hit]) -> dict[str, Passage]:
        """The questions that terse answers among some hits were given to, by the id of the answer's message."""
        with self._coherent.reading() as (transaction, state):
            if state is None:
                return {}
            keys = (signal_key(state, hit.signal.signal_id) for hit in hits)
            answers = sequences_with(state, [key for key in keys if key is not None])
            questions = questions_of(state, answers, self.config)
            said = messages_of(transaction, list({*questions, *questions.values()}))
            return {said[answer].message_id: as_asked(said[asked]) for answer, asked in questions.items()}

    def _has_all(self, signal_ids: Collection[str]) -> bool | None:
        """Whether all of these signals are still there: none was deleted, edited or put into quarantine.

        Returns:
            `None` if the memory itself was forgotten, or reset, since this handle was made.
        """
        try:
            with self._coherent.reading() as (_, state):
                keys = [] if state is None else [signal_key(state, one) for one in signal_ids]
                there = [key for key in keys if key is not None]
                if state is None or len(there) < len(signal_ids):
                    return False
                return state.hidden.keys().isdisjoint(sequences_with(state, there))
        except StaleMemoryError:
            return None

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
        """Counts: the published six, messages, tokens of the full history, encoder, version, and what is left to do.

        `without_vector` are signals that were stored while the encoder failed, and what means nothing to it;
        `outdated_words` messages of which an older version of the library has told by which words they are found.
        """
        with self._coherent.reading() as (_, state):
            return counts(self.memory_id, state, self.config, RULES)

    def history(self, signal: Signal | Hit | str | None = None) -> list[HistoryEntry]:
        """What happened to a signal, oldest first: each time it was boosted, demoted, refreshed, revived or edited.

        Told from the learning log. What learning did to an earlier text of the message is no part of it: an edit makes
        new signals, and their history begins with the edit.

        Args:
            signal: a signal, a hit, or the id of a signal; left out: all signals together.

        Returns:
            Empty for an id that is not known.

        Raises:
            InputError: it is none of these.
        """
        signal_id = None if signal is None else _id_of(signal)
        with self._coherent.reading() as (transaction, state):
            if state is None:
                return []
            key = None if signal_id is None else signal_key(state, signal_id)
            if signal_id is not None and key is None:
                return []
            entries = transaction.credits(key)
            sequences = sequences_with(state, {entry.key for entry in entries})
            said = {sequence: one.turn for sequence, one in messages_of(transaction, sequences).items()}
            return timeline(state, entries, said, self.config)

    def stack_map(self) -> StackMap:
        """All signals on a plane: like ones lie near each other, as far as two dimensions can show it."""
        with self._coherent.reading() as (transaction, state):
            if state is None:
                return StackMap()
            return stack_map(state, transaction.messages(MessageQuery()), self.config)

    def revisions(self, parent_turn_id: str) -> list[Message]:
        """The statements of one fact, oldest first: a message, what it replaced, and what replaced it.

        A message that changed nothing and was not changed stands alone; an unknown id gives an empty list.
        """
        check_text(parent_turn_id, "parent_turn_id")
        with self._coherent.reading() as (transaction, state):
            found = transaction.messages(MessageQuery(message_id=parent_turn_id))
            if state is None or not found:
                return found
            # What it replaced may have been deleted since.
            return _as_said(transaction.messages(MessageQuery(sequences=state.words.revisions(found[0].sequence))))

    _ahas_all = twin(_has_all)
    amessages = twin(messages)
    asignals = twin(signals)
    astacks = twin(stacks)
    astats = twin(stats)
    ahistory = twin(history)
    astack_map = twin(stack_map)
    arevisions = twin(revisions)


def _as_said(messages: Sequence[Message]) -> list[Message]:
    """Messages, in the order in which they came, in that in which they were said: an old history may come late."""
    sequences = np.array([message.sequence for message in messages], dtype=np.int64)
    days = np.array([day_of(message) for message in messages], dtype=np.int64)
    return [messages[place] for place in oldest_first(sequences, days)]


def _sequence(transaction: ReadTransaction, message_id: str | None, what: str) -> int | None:
    """Where a message stands.

    Raises:
        InputError: naming `what`; there is none of this id.
    """
    if message_id is None:
        return None
    check_text(message_id, what)
    found = transaction.messages(MessageQuery(message_id=message_id))
    if not found:
        # An empty page would be taken for the end.
        raise InputError(f"{what}: there is no message {message_id!r} (any more); give the id of one that is stored")
    return found[0].sequence


def _id_of(signal: Signal | Hit | str) -> str:
    """The id of a signal.

    Raises:
        InputError: it is neither a signal, nor a hit, nor text.
    """
    known = signal.signal if isinstance(signal, Hit) else signal
    if isinstance(known, Signal):
        return known.signal_id
    if not isinstance(known, str):
        raise InputError(f"signal must be a Signal, a Hit or the id of a signal, got {type(signal).__name__}")
    return known
