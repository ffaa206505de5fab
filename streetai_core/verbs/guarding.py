"""Against poisoned content: who wrote what, hiding it, and going back to before it was there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import EllipsisType

from streetai_core.aio import twin
from streetai_core.conductor import Conductor
from streetai_core.errors import DamagedFileError, InputError, RollbackError
from streetai_core.observing.observer import observed
from streetai_core.planning.guarding import Rollback, past, plan_rollback
from streetai_core.state import MemoryState
from streetai_core.stores.base import ReadTransaction, WriteTransaction
from streetai_core.stores.provenance import Edit, JournalRow, Origins, Quarantine
from streetai_core.stores.types import Changes, MessageQuery
from streetai_core.text.clean import check_id
from streetai_core.tokens import count_message
from streetai_core.types import SOURCES, Source
from streetai_core.verbs.arguments import check_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Who wrote what in a memory, and what was edited behind the library."""

    memory_id: str
    version: int
    """0 if nothing was ever written."""
    origins: tuple[Origins, ...]
    """Messages by source and writer."""
    operations: tuple[JournalRow, ...]
    """What was done to messages since the last reset; empty if the journal cannot be read."""
    edits: tuple[Edit, ...]
    """What does not fit the journal or the seals of the rows."""
    anchor: str
    """The hash of everything done so far. Keep it where nobody who can write the database can: given to a later
    `audit`, it shows whether the journal was made anew."""

    @property
    def intact(self) -> bool:
        """Whether nothing was edited behind the library, as far as it shows."""
        return not self.edits


class Guarding(Conductor):
    """The verbs that look after what others wrote."""

    @property
    def version(self) -> int:
        """A point to go back to with `rollback`: the number of writing operations so far, 0 before the first."""
        with self._coherent.reading() as (_, state):
            return 0 if state is None else state.head.version

    def audit(self, *, anchor: str | None = None) -> Audit:
        """Who wrote what, and which messages were changed, deleted, inserted or moved behind the library.

        Found is what was done by other programs, also with checksums put right. Somebody who can write the file and
        makes all seals and the whole journal anew leaves no trace in the file; then `anchor` tells.

        Args:
            anchor: the `anchor` of an earlier audit, kept elsewhere.

        Raises:
            DamagedFileError: the memory's own row cannot be read.
        """
        if anchor is not None:
            check_text(anchor, "anchor")
        with self._around.store.reading(self.memory_id) as transaction:
            operations, edits = _operations(transaction), transaction.edits()
            known = [entry.digest for entry in operations]
            if anchor and anchor not in known:
                edits.append(Edit(kind="journal", what="the anchor is not in the journal, which was made anew"))
            head = transaction.head
            return Audit(
                memory_id=self.memory_id,
                version=0 if head is None else head.version,
                origins=tuple(transaction.origins()),
                operations=operations,
                edits=tuple(edits),
                anchor=known[-1] if known else "",
            )

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
            hidden = sum(map(rule.hides, transaction.messages(MessageQuery())))
            new = not _same(rule, state)
            return (Changes(head=state.head, quarantined=[rule]) if new else None), hidden

        with self._coherent.lock:
            return self._coherent.write(plan)[0]

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

        Returns:
            True if there was such a rule. What another rule hides stays hidden.
        """
        given = _given(source, writer, conversation, message)

        def plan(transaction: WriteTransaction, state: MemoryState) -> tuple[Changes | None, bool]:
            rule = _rule(transaction, given)
            there = [] if rule is None else _same(rule, state)
            return (Changes(head=state.head, released=there) if there else None), bool(there)

        with self._coherent.lock:
            return self._coherent.write(plan)[0]

    def quarantined(self) -> list[Quarantine]:
        """The rules that hide messages, sorted; of a single message the value is its id.

        A rule whose value was forgotten has a `salted_hash` instead. It goes on, and `release` of that value ends it.
        """
        with self._coherent.reading() as (transaction, state):
            rules = [] if state is None else sorted(state.quarantine, key=lambda rule: (rule.field, str(rule.value)))
            return [shown for rule in rules if (shown := _shown(transaction, rule)) is not None]

    @observed(lambda done: {"messages": done.messages, "signals": done.signals}, "write")
    def rollback(self, to_version: int, *, partial: bool = False) -> Rollback:
        """Undo all that was written and learned since a version: messages, weights, clocks, uses and stacks.

        The clock itself goes on, and so do versions. Rules of quarantine stay. What was deleted, or replaced by another
        text, never comes back.

        Args:
            to_version: a `version` of before.
            partial: undo what can be undone, where messages were deleted or edited since, or embedded anew.

        Raises:
            InputError: there was no such version.
            RollbackError: the memory would not be as it was; the message lists what is missing.
        """
        if isinstance(to_version, bool) or not isinstance(to_version, int) or to_version < 0:
            raise InputError(f"to_version must be a whole number from 0, got {to_version!r}")

        def plan(transaction: WriteTransaction, state: MemoryState) -> tuple[Changes | None, Rollback]:
            if to_version > state.head.version:
                raise RollbackError(f"there is no version {to_version} yet; the memory is at {state.head.version}")
            then = past(transaction.journal(), to_version)
            if not partial:
                then.check()
            going = transaction.messages(MessageQuery(sequences=sorted(then.since)))
            tokens = {one.sequence: count_message(one.content, self._around.counter) for one in going}
            changes, restored = plan_rollback(state, then, tokens, transaction.credits(), self.config)
            done = Rollback(
                to_version=to_version,
                version=state.head.version,
                messages=len(tokens),
                signals=restored,
                lost=tuple(sorted(then.changed | then.removed)),
            )
            return (changes if to_version < state.head.version else None), done

        with self._coherent.lock:
            done, state = self._coherent.write(plan)
            return replace(done, version=state.head.version)

    aversion = twin(version)
    aaudit = twin(audit)
    aquarantine = twin(quarantine)
    arelease = twin(release)
    aquarantined = twin(quarantined)
    arollback = twin(rollback)


def _operations(transaction: ReadTransaction) -> tuple[JournalRow, ...]:
    """The journal; `edits` says what is wrong with one that cannot be read."""
    try:
        return tuple(transaction.journal())
    except DamagedFileError:
        return ()


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
