"""Against poisoned content: who wrote what, and going back to before it was there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from streetai_core.aio import twin
from streetai_core.conductor import Conductor
from streetai_core.errors import DamagedFileError, InputError, RollbackError
from streetai_core.observing.observer import observed
from streetai_core.planning.guarding import Rollback, past, plan_rollback
from streetai_core.state import MemoryState
from streetai_core.stores.base import ReadTransaction, WriteTransaction
from streetai_core.stores.provenance import Edit, JournalRow, Origins
from streetai_core.stores.types import Changes, MessageQuery
from streetai_core.tokens import count_stored
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
            tokens = {one.sequence: count_stored(one, self._around.counter) for one in going}
            changes, restored = plan_rollback(state, then, tokens, transaction.credits(), self.config)
            done = Rollback(
                to_version=to_version,
                version=state.head.version,
                messages=len(tokens),
                signals=restored,
                lost=tuple(sorted(then.changed | then.removed)),
            )
            return (changes if to_version < state.head.version else None), done

        with self._coherent.written(plan) as (done, state):
            return replace(done, version=state.head.version)

    aversion = twin(version)
    aaudit = twin(audit)
    arollback = twin(rollback, writes=True)


def _operations(transaction: ReadTransaction) -> tuple[JournalRow, ...]:
    """The journal; `edits` says what is wrong with one that cannot be read."""
    try:
        return tuple(transaction.journal())
    except DamagedFileError:
        return ()
