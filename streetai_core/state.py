"""One memory in RAM: a copy of the store's rows as arrays, rebuilt from them at any time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import numpy as np

from streetai_core.arrays import RowNumbers
from streetai_core.config import Config
from streetai_core.dynamics.decay import effective_weights
from streetai_core.dynamics.learning import learned_weight
from streetai_core.errors import StoreError
from streetai_core.index.alignment import Alignment, aligned, extended
from streetai_core.index.centroids import CentroidIndex
from streetai_core.index.columns import SignalColumns
from streetai_core.index.cues import CueIndex
from streetai_core.index.filling import WordsColumns, WordsEntry
from streetai_core.index.words import WordIndex
from streetai_core.stores.base import ReadTransaction
from streetai_core.stores.columns import Coded, Loaded, SignalArrays, WeightArrays, WordsArrays
from streetai_core.stores.provenance import Provenance, Quarantine
from streetai_core.stores.types import (
    Changes,
    CueRow,
    Head,
    Learned,
    MessageQuery,
    Rows,
    SignalRow,
    StackRow,
    WeightRow,
    WordsRow,
)
from streetai_core.stores.values import CUES_KEPT
from streetai_core.types import ROLES, SOURCES, Message

Value = TypeVar("Value")

_READ = 1024
"""Messages that are read at a time for what is kept of them, so that few texts are in RAM."""

_WORN = 256
"""Rows of messages that are gone which are not worth reading a memory anew: a megabyte or two, and so many deletions
cost far more than to read what is left."""


class MemoryState:
    """Signals, weights and stacks of one memory, at one version."""

    def __init__(self, head: Head) -> None:
        """An empty memory; `head.dim` says how long its vectors are, 0 while it has none."""
        self.head = head
        self.columns = SignalColumns(head.dim or 0)
        self._stacks: CentroidIndex | None = CentroidIndex(head.dim or 0)
        """`None`: not read yet, in a memory that came from an image."""
        self._transaction: ReadTransaction | None = None
        self.words = WordIndex()
        self.cues = CueIndex(head.dim or 0)
        self.quarantine: frozenset[Quarantine] = frozenset()
        """Rules that hide messages."""
        self.hidden: dict[int, int] = {}
        """Fingerprints of the texts of the hidden messages that could be recalled otherwise, by sequence. Their words
        are in no index, so that for recall it is as if they had been deleted; their signals are still in their stacks,
        and what helped to answer their questions is still known."""
        self._metadata: dict[int, Mapping[str, Any]] = {}
        """Of messages whose metadata were asked for, by sequence."""
        self._said_at: dict[int, datetime] = {}
        """Of messages whose moment was asked for, by sequence."""
        self._alignment: Alignment | None = None
        self._aligned: tuple[object, ...] = ()

    @classmethod
    def of(cls, rows: Rows) -> MemoryState:
        """The state that a complete set of rows describes."""
        state = cls(rows.head)
        state.update(rows)
        return state

    @classmethod
    def loaded(cls, loaded: Loaded) -> MemoryState:
        """The state that a whole memory as columns describes, the same as that of its rows."""
        state = cls(loaded.head)
        state.quarantine = loaded.quarantine
        state._fill_signals(loaded.signals, loaded.weights)
        state._put_cues(loaded.cues)
        stacks, words = loaded.stacks, loaded.words
        state.stacks.put_all(stacks.key.tolist(), stacks.totals, stacks.size.tolist())
        if loaded.quarantine:
            hidden = words.hidden_by(loaded.quarantine)
            texts = words.fingerprint[hidden].tolist()
            state.hidden.update(zip(words.sequence[hidden].tolist(), texts, strict=True))
            words = words.taken(~hidden)
        state.words.fill(_entries(words))
        return state

    @classmethod
    def of_indexes(
        cls, head: Head, columns: SignalColumns, words: WordIndex, cues: CueIndex, alignment: Alignment
    ) -> MemoryState:
        """The state of a whole memory whose indexes are there; the stacks are read when they are asked for."""
        state = cls(head)
        state.columns, state.words, state.cues, state._stacks = columns, words, cues, None
        state._alignment, state._aligned = alignment, (columns, columns.moves, words, words.moves)
        return state

    @property
    def stacks(self) -> CentroidIndex:
        """The stacks.

        Raises:
            StoreError: they are not in RAM, and there is no transaction to read them in.
        """
        if self._stacks is None:
            if self._transaction is None:
                raise StoreError("stacks that are not in RAM can be read inside a transaction only")
            found = self._transaction.stacks()
            stacks = CentroidIndex(self.columns.dim)
            stacks.put_all(found.key.tolist(), found.totals, found.size.tolist())
            self._stacks = stacks
        return self._stacks

    def read_in(self, transaction: ReadTransaction | None) -> None:
        """What is not in RAM can be read in this transaction, of the same version; `None`: it has ended."""
        self._transaction = transaction
        self.columns.read_by(None if transaction is None else transaction.vectors)

    def said_at(self, sequences: Sequence[int]) -> dict[int, datetime]:
        """When messages were said, by sequence; of those that are there. An edit leaves it as it is.

        Raises:
            StoreError: some were not asked for yet, and there is no transaction to read them in.
        """
        return self._read_once(self._said_at, sequences, lambda message: message.created_at)

    def metadata_of(self, sequences: Sequence[int]) -> dict[int, Mapping[str, Any]]:
        """The metadata of messages, by sequence; of those that are there. An edit leaves them as they are.

        Raises:
            StoreError: some were not asked for yet, and there is no transaction to read them in.
        """
        return self._read_once(self._metadata, sequences, lambda message: message.metadata)

    def _read_once(
        self, kept: dict[int, Value], sequences: Sequence[int], value: Callable[[Message], Value]
    ) -> dict[int, Value]:
        """What no edit changes of messages, by sequence; what is not kept of it yet is read, and kept."""
        unread = [sequence for sequence in sequences if sequence not in kept]
        for start in range(0, len(unread), _READ):
            if self._transaction is None:
                raise StoreError("what is not in RAM of messages can be read inside a transaction only")
            some = MessageQuery(sequences=unread[start : start + _READ])
            kept |= {one.sequence: value(one) for one in self._transaction.messages(some)}
        return {sequence: kept[sequence] for sequence in sequences if sequence in kept}

    def update(self, rows: Rows) -> None:
        """Take over what changed since this state's version."""
        self._ready(rows.head)
        self.quarantine = rows.quarantine
        self._put(rows.signals, rows.weights, rows.stacks)
        self._put_words(rows.words)
        self._put_cues(rows.cues)
        self.head = rows.head

    def apply(self, changes: Changes, head: Head) -> None:
        """Do in RAM what the store has just committed; `head` is what it returned."""
        self._ready(head)
        gone = set(changes.deleted_messages)
        if gone:
            sequences = self.columns.column("sequence")
            self._remove_signals(self.columns.keys[np.isin(sequences, list(gone))].tolist())
            self.words.remove(gone)
            for sequence in gone:
                self.hidden.pop(sequence, None)
                self._metadata.pop(sequence, None)
                self._said_at.pop(sequence, None)
        self._remove_signals(changes.deleted_signals)
        self.cues.remove(changes.deleted_cues)
        if self._stacks is not None:
            self._stacks.remove(changes.deleted_stacks)
        self._put(changes.signals, changes.weights, changes.stacks)
        self._put_words(changes.words)
        self._put_cues(changes.cues, head.version)
        for step in changes.learned:
            self._learn(step)
        self.head = head

    @property
    def is_worn(self) -> bool:
        """Whether most of what the word index holds is of messages that are gone: read anew, it takes half the room."""
        gone = self.words.size - len(self.words)
        return gone > max(_WORN, len(self.words))

    def hides(self, row: Provenance) -> bool:
        """Whether a message, or the words row of one, is in quarantine."""
        return any(rule.hides(row) for rule in self.quarantine)

    @property
    def may_be_hidden(self) -> set[int]:
        """Sequences among which all messages in quarantine are: those of which it is known, and what has no words.

        Calls of tools have none, so that nothing in RAM tells who wrote them. Some are of messages that are gone.
        """
        if len(self.words) + len(self.hidden) == self.head.message_count:
            return set(self.hidden)
        words = self.words.column("sequence")[self.words.alive]
        return set(np.setdiff1d(np.arange(self.head.next_sequence), words, assume_unique=True).tolist())

    @property
    def shown(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which signals are not in quarantine, shape (n,)."""
        return ~np.isin(self.columns.column("sequence"), list(self.hidden))

    def effective(
        self, rows: RowNumbers | slice, turn: int, config: Config
    ) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Effective weights of some rows at `turn`."""
        return effective_weights(
            self.columns.base[rows], self.columns.column("last_used_turn")[rows], turn, config.decay_rate
        )

    @property
    def alignment(self) -> Alignment:
        """Signals by message. Only what was added since the last question is looked at, if nothing else changed."""
        columns, words, before = self.columns, self.words, self._alignment
        # The indexes themselves are in it: a new one may have seen as few moves as the old one.
        seen = (columns, columns.moves, words, words.moves)
        same = before is not None and self._aligned == seen and before.is_whole
        if before is None or not same:
            at = words.rows_of(columns.column("sequence"))
            before = aligned(at, columns.column("chunk_index"), words.size)
        elif len(before.at) < len(columns) or before.messages < words.size:
            new = slice(len(before.at), None)
            at = words.rows_of(columns.column("sequence")[new])
            longer = extended(before, at, columns.column("chunk_index")[new], words.size)
            if longer is None:
                every = words.rows_of(columns.column("sequence"))
                longer = aligned(every, columns.column("chunk_index"), words.size)
            before = longer
        self._alignment, self._aligned = before, seen
        return before

    def members(self, stacks: Iterable[int]) -> RowNumbers:
        """Rows of the signals in these stacks."""
        return np.flatnonzero(np.isin(self.columns.column("stack"), list(stacks)))

    def rows_of_message(self, sequence: int) -> RowNumbers:
        """Rows of the signals of one message."""
        return np.flatnonzero(self.columns.column("sequence") == sequence)

    def _ready(self, head: Head) -> None:
        """Make room for vectors of the head's dimension, once it is known."""
        if head.dim and self.columns.dim != head.dim:
            self.columns, self._stacks = SignalColumns(head.dim), CentroidIndex(head.dim)
            self.cues = CueIndex(head.dim)

    def _fill_signals(self, signals: SignalArrays, weights: WeightArrays) -> None:
        """Take over the signals of a whole memory."""
        place = {
            "sequence": signals.sequence,
            "chunk_index": signals.chunk_index,
            "code": signals.kind.are("code").astype(np.int64),
            "start": signals.start,
            "end": signals.end,
            "block_start": signals.block_start,
            "block_end": signals.block_end,
        }
        self.columns.fill(signals.key, signals.vectors, place)
        changing = {"last_used_turn": weights.last_used_turn, "uses": weights.uses, "stack": weights.stack}
        self.columns.weigh_all(weights.key, weights.base_weight, changing)

    def _put(self, signals: Iterable[SignalRow], weights: Iterable[WeightRow], stacks: Iterable[StackRow]) -> None:
        signals, stacks = list(signals), list(stacks)
        self.columns.put_all(
            [signal.key for signal in signals],
            [signal.vector for signal in signals],
            [_place(signal) for signal in signals],
        )
        for weight in weights:
            self.weigh(weight)
        if self._stacks is not None:
            # Those that are not read yet are read as they are then.
            self._stacks.put_all(
                [stack.key for stack in stacks], [stack.total for stack in stacks], [stack.size for stack in stacks]
            )

    def _put_cues(self, cues: Sequence[CueRow], version: int = 0) -> None:
        for cue in cues:
            self.cues.put((cue.key, cue.question), cue.version or version, cue.vector)
        self.cues.keep_newest(CUES_KEPT)

    def _remove_signals(self, keys: Collection[int]) -> None:
        self.columns.remove(keys)
        if keys and len(self.cues):
            self.cues.remove_of(keys)

    def weigh(self, weight: WeightRow) -> None:
        """Set what learning changes of a signal that is there."""
        self.columns.weigh(
            weight.key,
            base_weight=weight.base_weight,
            last_used_turn=weight.last_used_turn,
            uses=weight.uses,
            stack=weight.stack,
        )

    def _put_words(self, rows: Iterable[WordsRow]) -> None:
        shown: list[WordsRow] = []
        for row in rows:
            if self.hides(row):
                self.words.remove([row.sequence])
                self.hidden[row.sequence] = row.fingerprint
            else:
                shown.append(row)
        self.words.put_all([_entry(row) for row in shown])

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


def _entry(row: WordsRow) -> WordsEntry:
    """A words row as the index takes it."""
    return WordsEntry(
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
        source=SOURCES.index(row.source),
        trust=row.trust,
        fingerprint=row.fingerprint,
        rules=row.rules,
    )


def _entries(words: WordsArrays) -> WordsColumns:
    """Words rows as the index takes them."""
    return WordsColumns(
        sequence=words.sequence,
        conversation=words.conversation_id.codes,
        conversations=words.conversation_id.values,
        author=words.name.codes,
        authors=words.name.values,
        columns={
            "characters": words.characters,
            "day": words.day,
            "question": words.question,
            "role": _places(words.role, ROLES),
            "source": _places(words.source, SOURCES),
            "fingerprint": words.fingerprint,
            "rules": words.rules,
        },
        trust=words.trust,
        term_counts=words.term_counts,
        terms=words.terms,
        counts=words.counts,
        day_counts=words.day_counts,
        days=words.days,
        replaces=words.replaces,
    )


def _places(texts: Coded, known: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Where each text stands among those that are known, shape (n,)."""
    places = {text: place for place, text in enumerate(known)}
    return np.array([places[text or ""] for text in texts.values], dtype=np.int64)[texts.codes]


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
