"""One memory in RAM: a copy of the store's rows as arrays, rebuilt from them at any time."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from streetai_core.config import Config
from streetai_core.dynamics.decay import effective_weights
from streetai_core.dynamics.learning import learned_weight
from streetai_core.index.centroids import CentroidIndex
from streetai_core.index.columns import Rows as RowNumbers
from streetai_core.index.columns import SignalColumns
from streetai_core.index.words import WordIndex, WordsEntry
from streetai_core.stores.base import Changes, Head, Learned, Rows, SignalRow, StackRow, WeightRow, WordsRow
from streetai_core.types import ROLES


class MemoryState:
    """Signals, weights and stacks of one memory, at one version."""

    def __init__(self, head: Head) -> None:
        """An empty memory; `head.dim` says how long its vectors are, 0 while it has none."""
        self.head = head
        self.columns = SignalColumns(head.dim or 0)
        self.stacks = CentroidIndex(head.dim or 0)
        self.words = WordIndex()

    @classmethod
    def of(cls, rows: Rows) -> MemoryState:
        """The state that a complete set of rows describes."""
        state = cls(rows.head)
        state.update(rows)
        return state

    def update(self, rows: Rows) -> None:
        """Take over what changed since this state's version."""
        self._ready(rows.head)
        self._put(rows.signals, rows.weights, rows.stacks)
        self._put_words(rows.words)
        self.head = rows.head

    def apply(self, changes: Changes, head: Head) -> None:
        """Do in RAM what the store has just committed; `head` is what it returned."""
        self._ready(head)
        gone = set(changes.deleted_messages)
        if gone:
            sequences = self.columns.column("sequence")
            self.columns.remove(self.columns.keys[np.isin(sequences, list(gone))].tolist())
            self.words.remove(gone)
        self.columns.remove(changes.deleted_signals)
        self.stacks.remove(changes.deleted_stacks)
        self._put(changes.signals, changes.weights, changes.stacks)
        self._put_words(changes.words)
        for step in changes.learned:
            self._learn(step)
        self.head = head

    def effective(
        self, rows: RowNumbers | slice, turn: int, config: Config
    ) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Effective weights of some rows at `turn`."""
        return effective_weights(
            self.columns.base[rows], self.columns.column("last_used_turn")[rows], turn, config.decay_rate
        )

    def members(self, stacks: Iterable[int]) -> RowNumbers:
        """Rows of the signals in these stacks."""
        return np.flatnonzero(np.isin(self.columns.column("stack"), list(stacks)))

    def rows_of_message(self, sequence: int) -> RowNumbers:
        """Rows of the signals of one message."""
        return np.flatnonzero(self.columns.column("sequence") == sequence)

    def _ready(self, head: Head) -> None:
        """Make room for vectors of the head's dimension, once it is known."""
        if head.dim and self.columns.dim != head.dim:
            self.columns, self.stacks = SignalColumns(head.dim), CentroidIndex(head.dim)

    def _put(self, signals: Iterable[SignalRow], weights: Iterable[WeightRow], stacks: Iterable[StackRow]) -> None:
        for signal in signals:
            self.columns.put(signal.key, signal.vector, _place(signal))
        for weight in weights:
            self.columns.weigh(
                weight.key,
                base_weight=weight.base_weight,
                last_used_turn=weight.last_used_turn,
                uses=weight.uses,
                stack=weight.stack,
            )
        for stack in stacks:
            self.stacks.put(stack.key, stack.total, stack.size)

    def _put_words(self, rows: Iterable[WordsRow]) -> None:
        for row in rows:
            self.words.put(
                WordsEntry(
                    sequence=row.sequence,
                    conversation=row.conversation_id,
                    author=row.name,
                    characters=row.characters,
                    day=row.day,
                    question=row.question,
                    role=ROLES.index(row.role),
                    terms=row.terms,
                    counts=row.counts,
                    days=row.days,
                    replaces=row.replaces,
                )
            )

    def _learn(self, step: Learned) -> None:
        row = self.columns.row(step.key)
        if row is None:
            return
        base = float(self.columns.base[row])
        self.columns.weigh(
            step.key,
            base_weight=learned_weight(base, step.factor, step.low, step.high),
            last_used_turn=max(int(self.columns.column("last_used_turn")[row]), step.last_used_turn),
            uses=int(self.columns.column("uses")[row]) + step.used,
            stack=int(self.columns.column("stack")[row]),
        )


def _place(signal: SignalRow) -> dict[str, int]:
    """The unchanging whole numbers of a signal, by column."""
    return {
        "sequence": signal.sequence,
        "chunk_index": signal.chunk_index,
        "code": int(signal.kind == "code"),
        "start": signal.start,
        "end": signal.end,
        "block_start": signal.block_start,
        "block_end": signal.block_end,
    }
