"""Against poisoned content: hiding it, and bringing it back."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import EllipsisType

from streetai_core.aio import twin
from streetai_core.conductor import Conductor
from streetai_core.errors import InputError, StreetAIError
from streetai_core.observing.observer import observed
from streetai_core.planning.releasing import plan_links, released_by
from streetai_core.state import MemoryState
from streetai_core.stores.base import ReadTransaction, WriteTransaction
from streetai_core.stores.provenance import Quarantine
from streetai_core.stores.types import Changes, MessageQuery
from streetai_core.text.clean import check_id
from streetai_core.types import SOURCES, Source
from streetai_core.verbs.arguments import check_text
from streetai_core.verbs.stored import messages_of, replacing_in

_log = logging.getLogger(__name__)

_SOME = 32
"""Messages that are linked in one transaction, some tenths of a second: whoever else stores waits for it."""


class Hiding(Conductor):
    """The verbs that hide what others wrote."""

    @observed(lambda hidden: {"messages": hidden}, "write")
    def quarantine(
        self,
        *,
        source: Source | None = None,
        writer: str | None = None,
        conversation: str | EllipsisType | None = ...,
        message: str | None = None,
    ) -> int:
        """Hide messages from recall, learning and the verbatim window, as if they had been deleted. Give exactly one.

        Messages that are written later are hidden too. `release` brings all of them back as they were; `messages`,
        `signals` and `audit` go on showing them.

        Args:
            source: where texts come from.
            writer: who wrote them.
            conversation: the id of a conversation; `None` is the one without an id.
            message: the id of one message.

        Returns:
            How many messages are there now that this hides; 0, and nothing is done, for an unknown message.

        Raises:
            InputError: none or several were given, or one that cannot be used.
        """
        given = _given(source, writer, conversation, message)

        def plan(transaction: WriteTransaction, state: MemoryState) -> tuple[Changes | None, int]:
            rule = _rule(transaction, given)
            if rule is None:
                return None, 0
            hidden = sum(map(rule.hides, transaction.messages(_among(rule))))
            new = not _same(rule, state)
            return (Changes(head=state.head, quarantined=[rule]) if new else None), hidden

        with self._coherent.written(plan) as (done, _):
            return done

    @observed(lambda released: {"rules": int(released)}, "write")
    def release(
        self,
        *,
        source: Source | None = None,
        writer: str | None = None,
        conversation: str | EllipsisType | None = ...,
        message: str | None = None,
    ) -> bool:
        """Take one rule of `quarantine` back; arguments are the same.

        What comes back is linked with what was said meanwhile, and replaced by it, as if it had never been hidden, but
        that how rare its words are is told by today: that is found in steps, each of which stays, some ten milliseconds
        for each message.

        Returns:
            True if there was such a rule. What another rule hides stays hidden.
        """
        given = _given(source, writer, conversation, message)

        def plan(transaction: WriteTransaction, state: MemoryState) -> tuple[Changes | None, list[int] | None]:
            rule = _rule(transaction, given)
            there = [] if rule is None else _same(rule, state)
            if not there:
                return None, None
            return Changes(head=state.head, released=there), released_by(there, state, transaction.words)

        with self._coherent.written(plan) as (released, _):
            pass
        if released is None:
            return False
        try:
            self._link_all(released)
        except StreetAIError:
            _log.warning("not all that came back from quarantine is linked with what was said since", exc_info=True)
        return True

    def _link_all(self, released: Sequence[int]) -> None:
        """Link messages that were hidden, by their sequences, with others, in steps."""
        if not released:
            return
        self._find_common()
        for first in range(0, len(released), _SOME):
            self._link(released[first : first + _SOME])

    def _link(self, released: Sequence[int]) -> None:
        """Link some of them, in a transaction."""

        def plan(transaction: WriteTransaction, state: MemoryState) -> tuple[Changes | None, None]:
            # Somebody may have deleted or hidden them meanwhile.
            messages = messages_of(transaction, [one for one in released if one in state.words])
            replacing = replacing_in(transaction, state, self._common(state))
            return plan_links(state, messages, replacing=replacing, words=transaction.words), None

        with self._coherent.written(plan):
            pass

    def quarantined(self) -> list[Quarantine]:
        """The rules that hide messages, sorted; of a single message the value is its id.

        A rule whose value was forgotten has a `salted_hash` instead. It goes on, and `release` of that value ends it.
        """
        with self._coherent.reading() as (transaction, state):
            rules = [] if state is None else sorted(state.quarantine, key=lambda rule: (rule.field, str(rule.value)))
            return [shown for rule in rules if (shown := _shown(transaction, rule)) is not None]

    aquarantine = twin(quarantine, writes=True)
    arelease = twin(release, writes=True)
    aquarantined = twin(quarantined)


def _given(
    source: str | None, writer: str | None, conversation: str | EllipsisType | None, message: str | None
) -> Quarantine:
    """The one argument that was given, as a rule; of a message with its id.

    Raises:
        InputError: none, several, or one that cannot be used.
    """
    named: Mapping[str, str | None] = {
        **({} if source is None else {"source": source}),
        **({} if writer is None else {"writer": writer}),
        **({} if isinstance(conversation, EllipsisType) else {"conversation": conversation}),
        **({} if message is None else {"message": message}),
    }
    if len(named) != 1:
        raise InputError(f"give exactly one of source, writer, conversation and message, got {len(named)}")
    if source is not None and source not in SOURCES:
        raise InputError(f"source must be one of {', '.join(SOURCES)}, got {source!r}")
    if writer is not None:
        return Quarantine(field="writer", value=check_id(writer, "writer"))
    if message is not None:
        check_text(message, "message")
        return Quarantine(field="message", value=message)
    if source is not None:
        return Quarantine(field="source", value=source)
    value = named["conversation"]
    return Quarantine(field="conversation", value=None if value is None else check_id(value, "conversation"))


def _rule(transaction: ReadTransaction, given: Quarantine) -> Quarantine | None:
    """The rule as it is kept; `None` for a message that is not there."""
    if given.field != "message":
        return given
    found = transaction.messages(MessageQuery(message_id=str(given.value)))
    return Quarantine(field="message", value=found[0].sequence) if found else None


def _among(rule: Quarantine) -> MessageQuery:
    """The messages that a rule as the caller gave it may hide: others wait while they are read."""
    if isinstance(rule.value, int):
        return MessageQuery(sequences=[rule.value])
    if rule.field == "conversation":
        return MessageQuery(conversation_id=rule.value, any_conversation=False)
    return MessageQuery()


def _same(rule: Quarantine, state: MemoryState) -> list[Quarantine]:
    """The rules of a memory that hide the same, by its value or by the salted hash of one that was forgotten."""
    if rule.field == "message":
        return [rule] if rule in state.quarantine else []
    return [one for one in state.quarantine if one.field == rule.field and one.is_of(_text(rule))]


def _text(rule: Quarantine) -> str | None:
    """The value of a rule that is not of a message."""
    return None if rule.value is None else str(rule.value)


def _shown(transaction: ReadTransaction, rule: Quarantine) -> Quarantine | None:
    """The rule as the caller gave it; `None` if its message was deleted."""
    if rule.field != "message" or not isinstance(rule.value, int):
        return rule
    found = transaction.messages(MessageQuery(sequences=[rule.value]))
    return replace(rule, value=found[0].message_id) if found else None
