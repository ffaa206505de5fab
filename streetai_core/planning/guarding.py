"""The plan that takes a memory back to a version: what was written since goes, what was learned since is undone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from streetai_core.config import Config
from streetai_core.errors import RollbackError
from streetai_core.placement import left_total
from streetai_core.state import MemoryState
from streetai_core.stores.journal import numbers_in
from streetai_core.stores.provenance import JournalRow
from streetai_core.stores.types import Changes, CreditRow, StackRow, WeightRow
from streetai_core.types import Vector

_LISTED = 20
"""Messages that an error lists; it says how many more there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What the journal tells of a version."""

    version: int
    since: frozenset[int]
    """Sequences of the messages written later that are still there."""
    changed: frozenset[int]
    """Of older messages, those that got another text later."""
    removed: frozenset[int]
    """Of older messages, those that were deleted later."""
    problems: tuple[str, ...]
    """What else cannot be brought back, as sentences."""

    def check(self) -> None:
        """Refuse to go back where that would not be exact.

        Raises:
            RollbackError: naming what is gone.
        """
        gone = [f"message {one} was deleted" for one in sorted(self.removed)]
        gone += [f"message {one} was given another text" for one in sorted(self.changed)]
        told = "; ".join([*self.problems, *gone[:_LISTED]])
        if not told:
            return
        more = f"; and {len(gone) - _LISTED} more" if len(gone) > _LISTED else ""
        raise RollbackError(
            f"the memory cannot go back to version {self.version} exactly: {told}{more}. What was deleted or replaced "
            "never comes back; partial=True undoes the rest"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollback:
    """What going back to a version has done."""

    to_version: int
    version: int
    """The version of the memory now; it never goes back."""
    messages: int
    """Messages that were taken away, because they were written later."""
    signals: int
    """Signals whose weight, clock and uses are those of then."""
    lost: tuple[int, ...] = ()
    """Sequences of messages that were deleted or given another text since then, and stay so."""


def past(journal: Sequence[JournalRow], version: int) -> Past:
    """What the journal tells of a version.

    Raises:
        RollbackError: the memory was reset since.
    """
    before = [entry for entry in journal if entry.version <= version]
    after = [entry for entry in journal if entry.version > version]
    if any(entry.event == "reset" for entry in after):
        raise RollbackError(f"the memory was reset after version {version}; nothing of before is left")
    boundary = before[-1].next_sequence if before else 0
    since: set[int] = set()
    changed: set[int] = set()
    removed: set[int] = set()
    for entry in after:
        since |= numbers_in(entry.added)
        changed |= {number for number in numbers_in(entry.changed) if number < boundary}
        gone = numbers_in(entry.removed)
        since -= gone
        removed |= {number for number in gone if number < boundary}
    return Past(
        version=version,
        since=frozenset(since),
        changed=frozenset(changed - removed),
        removed=frozenset(removed),
        problems=tuple(_problems(after, version)),
    )


def plan_rollback(
    state: MemoryState, then: Past, tokens: Mapping[int, int], log: Iterable[CreditRow], config: Config
) -> tuple[Changes, int]:
    """Take messages and lessons back that are newer than a version. The clock does not go back.

    Args:
        state: the memory as it is.
        then: the version to go back to.
        tokens: sequence -> cost in the full history, of the messages that go.
        log: the learning log.
        config: how stacks are summed up.

    Returns:
        The changes, and how many weights they restore.
    """
    columns = state.columns
    gone = np.isin(columns.column("sequence"), list(tokens))
    weights = _weights(state, set(columns.keys[gone].tolist()), log, then.version)
    stacks = set(columns.column("stack")[gone].tolist())
    if config.centroid == "decayed":
        stacks |= {weight.stack for weight in weights}
    rows, empty = _summed_up(state, gone, sorted(stacks), weights, config)
    changes = Changes(
        head=replace(
            state.head,
            message_count=state.head.message_count - len(tokens),
            history_tokens=max(0, state.head.history_tokens - sum(tokens.values())),
        ),
        weights=weights,
        stacks=rows,
        deleted_messages=sorted(tokens),
        deleted_signals=columns.keys[gone].tolist(),
        deleted_stacks=empty,
        deleted_cues=state.cues.since(then.version),
        event="rollback",
        target=then.version,
    )
    return changes, len(weights)


def _problems(after: Iterable[JournalRow], version: int) -> Iterable[str]:
    """Operations since a version that nothing undoes."""
    for entry in after:
        if entry.event == "reencode":
            yield f"all signals were embedded anew in version {entry.version}"
        if entry.event == "rollback" and entry.target is not None and entry.target < version:
            yield f"version {entry.version} went back to {entry.target}, so that {version} itself was undone"


def _weights(state: MemoryState, gone: set[int], log: Iterable[CreditRow], version: int) -> list[WeightRow]:
    """The weights that signals had at a version, of those that have learned since: what their first step found."""
    first: dict[int, CreditRow] = {}
    for entry in log:
        if entry.version > version and entry.key not in gone and entry.key in state.columns:
            first.setdefault(entry.key, entry)
    stack = state.columns.column("stack")
    return [
        WeightRow(
            key=key,
            base_weight=entry.old_weight,
            last_used_turn=entry.old_last_used_turn,
            uses=entry.old_uses,
            stack=int(stack[state.columns.rows([key])[0]]),
        )
        for key, entry in first.items()
    ]


def _summed_up(
    state: MemoryState,
    gone: np.ndarray[tuple[int], np.dtype[np.bool_]],
    stacks: Sequence[int],
    weights: Sequence[WeightRow],
    config: Config,
) -> tuple[list[StackRow], list[int]]:
    """Stacks as the sums of the signals that are left in them, and those that nobody is left in."""
    left = MemoryState(state.head)
    left.columns = state.columns.taken(np.flatnonzero(~gone & np.isin(state.columns.column("stack"), stacks)))
    for weight in weights:
        if weight.key in left.columns:
            left.weigh(weight)
    rows: list[StackRow] = []
    empty: list[int] = []
    for key in stacks:
        members = left.members([key])
        if len(members):
            rows.append(StackRow(key=key, total=_total(left, key, config), size=len(members)))
        else:
            empty.append(key)
    return rows, empty


def _total(left: MemoryState, key: int, config: Config) -> Vector:
    """The sum that the centroid of a stack is the direction of."""
    if config.centroid == "decayed":
        return left_total(left, key, config, left.head.next_turn)
    members = left.members([key])
    in_order = members[np.argsort(left.columns.keys[members])]
    total: Vector = left.columns.vectors_of(in_order).sum(axis=0, dtype=np.float32)
    return total
