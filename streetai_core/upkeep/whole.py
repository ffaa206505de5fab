"""What of one memory is as it was written, put together so that it is a memory again."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

import numpy as np

from streetai_core.stores import _sqlite
from streetai_core.stores.provenance import Quarantine
from streetai_core.stores.rows import Origin
from streetai_core.stores.types import Changes, CreditRow, CueRow, Head, SignalRow, StackRow, WeightRow, WordsRow
from streetai_core.tokens import EstimatedTokens, count_stored
from streetai_core.types import Message
from streetai_core.upkeep.owners import Owner
from streetai_core.upkeep.past_indexes import read_anew
from streetai_core.upkeep.reading import BY_TABLE, read

UNKNOWN_ENCODER = "unknown (salvaged)"
"""Fingerprint of vectors whose maker cannot be read any more; `reencode` makes new ones."""


@dataclass(slots=True)
class Whole:
    """Rows of one memory, each under its checksum, that belong to each other."""

    messages: dict[int, Message] = field(default_factory=dict)
    """By sequence."""
    signals: dict[int, SignalRow] = field(default_factory=dict)
    """By key, as the following."""
    weights: dict[int, WeightRow] = field(default_factory=dict)
    stacks: dict[int, StackRow] = field(default_factory=dict)
    words: dict[int, WordsRow] = field(default_factory=dict)
    """By sequence."""
    cues: list[CueRow] = field(default_factory=list)
    credits: list[CreditRow] = field(default_factory=list)
    quarantines: list[Quarantine] = field(default_factory=list)
    damaged: dict[str, int] = field(default_factory=dict)
    """Table -> rows that were seen to be damaged."""
    made_up: int = 0
    """Weights that were lost with all that was learned in them, and are those of new signals."""

    @property
    def rows(self) -> dict[str, int]:
        """Table -> rows."""
        return {
            "messages": len(self.messages),
            "signals": len(self.signals),
            "weights": len(self.weights),
            "stacks": len(self.stacks),
            "words": len(self.words),
            "cues": len(self.cues),
            "credits": len(self.credits),
            "quarantines": len(self.quarantines),
        }

    def lost(self, owner: Owner) -> dict[str, int]:
        """Table -> rows that were there and are not any more; of stacks, which can be made anew, none."""
        rows = self.rows
        rows["weights"] -= self.made_up
        lost = {
            table: _missing(number, owner.counts.get(table), self.damaged.get(table, 0))
            for table, number in rows.items()
            if table != "stacks"
        }
        lost["weights"] = max(lost["weights"], self.made_up)
        lost["memories"] = int(not owner.is_whole)
        return {table: number for table, number in lost.items() if number}


def _missing(number: int, count: int | None, damaged: int) -> int:
    """How many rows of a table are not there any more.

    Args:
        number: of those that are.
        count: how many there should be, if that is known.
        damaged: how many were seen to be damaged, which may be a second copy of one that was saved.
    """
    # A count that is too small is damaged itself.
    return damaged if count is None or count < number else count - number


def whole_rows(connection: _sqlite.Connection, owner: Owner, path: str) -> Whole:
    """Everything of one memory that can be read and fits its checksum and the rest."""
    origin = Origin(path, owner.memory_id)
    whole = Whole()

    def all_of(table: str) -> list[Any]:
        found = read(connection, BY_TABLE[table], owner.key, origin)
        values = found.values
        if found.damaged or found.unreadable or len(values) < owner.counts.get(table, 0):
            # What was read is kept: the index has a second copy of a key that may be damaged in its row.
            again = read_anew(connection, table, owner.key, origin)
            if again is not None:
                found, values = again, [*values, *again.values]
        if found.damaged or found.unreadable:
            whole.damaged[table] = max(found.damaged, 1)
        return values

    names: set[str] = set()
    for message in all_of("messages"):
        if message.sequence not in whole.messages and message.message_id not in names:
            whole.messages[message.sequence] = message
            names.add(message.message_id)
    whole.signals = {one.key: one for one in all_of("signals") if one.sequence in whole.messages}
    whole.weights = {one.key: one for one in all_of("weights") if one.key in whole.signals}
    whole.words = {one.sequence: one for one in all_of("words") if one.sequence in whole.messages}
    whole.stacks = {one.key: one for one in all_of("stacks")}
    whole.cues = list({(one.key, one.question): one for one in all_of("cues") if one.key in whole.signals}.values())
    whole.credits = [one for one in all_of("credits") if one.key in whole.signals]
    whole.quarantines = all_of("quarantines")
    _one_dimension(whole)
    _weigh(whole)
    _restack(whole)
    return whole


def changes_of(whole: Whole, owner: Owner) -> Changes:
    """What writes these rows into a store that does not know the memory."""
    signals = sorted(whole.signals.values(), key=lambda one: one.key)
    dim = len(signals[0].vector) if signals else None
    return Changes(
        head=_head(whole, owner, dim),
        messages=[whole.messages[sequence] for sequence in sorted(whole.messages)],
        words=list(whole.words.values()),
        signals=signals,
        weights=list(whole.weights.values()),
        stacks=list(whole.stacks.values()),
        # Versions begin anew.
        cues=[replace(cue, version=0) for cue in whole.cues],
        credits=whole.credits,
        quarantined=whole.quarantines,
    )


def _one_dimension(whole: Whole) -> None:
    """Leave out stacks and cues whose length is not that of the vectors."""
    dims = {len(signal.vector) for signal in whole.signals.values()}
    whole.cues = [cue for cue in whole.cues if len(cue.vector) in dims]
    whole.stacks = {key: stack for key, stack in whole.stacks.items() if len(stack.total) in dims}


def _weigh(whole: Whole) -> None:
    """Give a signal that lost its weight that of a new one, in a stack of its own."""
    following = 1 + max([-1, *whole.stacks, *(weight.stack for weight in whole.weights.values())])
    lacking = [key for key in whole.signals if key not in whole.weights]
    whole.made_up = len(lacking)
    for number, key in enumerate(lacking):
        turn = whole.messages[whole.signals[key].sequence].turn
        whole.weights[key] = WeightRow(key=key, base_weight=1.0, last_used_turn=turn, uses=0, stack=following + number)


def _restack(whole: Whole) -> None:
    """Keep the stacks that have all their signals, and make the others anew from those that are left."""
    members: dict[int, list[int]] = defaultdict(list)
    for weight in whole.weights.values():
        members[weight.stack].append(weight.key)
    kept: dict[int, StackRow] = {}
    for stack, keys in members.items():
        old = whole.stacks.get(stack)
        if old is not None and old.size == len(keys):
            kept[stack] = old
        else:
            total = np.array([whole.signals[key].vector for key in keys]).sum(axis=0, dtype=np.float32)
            kept[stack] = StackRow(key=stack, total=total, size=len(keys))
    whole.stacks = kept


def _head(whole: Whole, owner: Owner, dim: int | None) -> Head:
    """The clocks of the memory, never behind any of its rows. Its token is new: old ids of signals fit nothing."""
    old = owner.head or Head(memory_id=owner.memory_id, token="")
    messages = whole.messages.values()
    counter = EstimatedTokens()
    complete = owner.head is not None and owner.counts.get("messages") == len(messages)
    return replace(
        old,
        memory_id=owner.memory_id,
        token=uuid4().hex[:12],
        generation=old.generation + 1,
        next_turn=max([old.next_turn, *(message.turn + 1 for message in messages)]),
        next_sequence=max([old.next_sequence, *(message.sequence + 1 for message in messages)]),
        next_signal=max([old.next_signal, *(key + 1 for key in whole.signals)]),
        next_stack=max([old.next_stack, *(key + 1 for key in whole.stacks)]),
        message_count=len(messages),
        history_tokens=old.history_tokens if complete else sum(count_stored(message, counter) for message in messages),
        encoder=None if dim is None else old.encoder or UNKNOWN_ENCODER,
        dim=dim,
    )
