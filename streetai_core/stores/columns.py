"""All rows of a memory as columns: what loading reads, without an object for each row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from streetai_core.arrays import Flags, Floats, Integers
from streetai_core.stores.provenance import Quarantine
from streetai_core.stores.types import CueRow, Head, Rows, SignalRow, StackRow, WeightRow, WordsRow
from streetai_core.types import DaySpans, KeptMatrix, KeptVector, Matrix, TermCounts, TermHashes

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Coded:
    """Texts of which the same come again, shape (n,): a number for each, and what the numbers stand for."""

    codes: Integers
    values: tuple[str | None, ...]
    """Distinct, and in the order in which they first come."""

    @classmethod
    def of(cls, column: Sequence[str | None]) -> Coded:
        """The texts of a column."""
        number_of = {value: number for number, value in enumerate(dict.fromkeys(column))}
        return cls(np.fromiter(map(number_of.__getitem__, column), np.int64, len(column)), tuple(number_of))

    @classmethod
    def joined(cls, parts: Sequence[Coded]) -> Coded:
        """The texts of several columns, one after the other."""
        number_of: dict[str | None, int] = {}
        codes = [np.zeros(0, dtype=np.int64)]
        for part in parts:
            numbers = [number_of.setdefault(value, len(number_of)) for value in part.values]
            codes.append(np.array(numbers, dtype=np.int64)[part.codes])
        return cls(np.concatenate(codes), tuple(number_of))

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[str | None]:
        return map(self.values.__getitem__, self.codes.tolist())

    def are(self, value: object) -> Flags:
        """Which texts are this one, shape (n,)."""
        return self.that(lambda one: one == value)

    def that(self, fits: Callable[[str | None], bool]) -> Flags:
        """Which texts fit, shape (n,)."""
        flags: Flags = np.array([fits(one) for one in self.values], dtype=np.bool_)[self.codes]
        return flags

    def taken(self, chosen: Flags) -> Coded:
        """These rows only; `chosen` has the shape (n,)."""
        numbers, first, codes = np.unique(self.codes[chosen], return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return Coded(place[codes].astype(np.int64), tuple(self.values[number] for number in numbers[order].tolist()))


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalArrays:
    """The unchanging part of n signals, by key; every array but the vectors has the shape (n,)."""

    key: Integers
    sequence: Integers
    chunk_index: Integers
    kind: Coded
    start: Integers
    end: Integers
    block_start: Integers
    block_end: Integers
    vectors: KeptMatrix
    """Shape (n, dim), halves if all are kept so; whoever gets it may keep and change it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightArrays:
    """The changing part of n signals, by key; shape (n,)."""

    key: Integers
    base_weight: Floats
    last_used_turn: Integers
    uses: Integers
    stack: Integers


@dataclass(frozen=True, slots=True, kw_only=True)
class StackArrays:
    """n stacks, by key."""

    key: Integers
    size: Integers
    totals: Matrix
    """Shape (n, dim); whoever gets it may keep and change it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsArrays:
    """The words rows of n messages, by sequence. Terms and days of all stand one after the other."""

    sequence: Integers
    conversation_id: Coded
    name: Coded
    role: Coded
    day: Integers
    characters: Integers
    question: Integers
    """0 or 1."""
    source: Coded
    trust: Floats
    writer: Coded
    fingerprint: Integers
    rules: Integers
    term_counts: Integers
    """How many terms each has."""
    terms: TermHashes
    counts: TermCounts
    day_counts: Integers
    """How many spans of days each has."""
    days: DaySpans
    replaces: Sequence[tuple[int, ...]]

    def hidden_by(self, rules: Collection[Quarantine]) -> Flags:
        """Which rows are of messages that a rule of quarantine hides, shape (n,)."""
        hidden = np.zeros(len(self.sequence), dtype=np.bool_)
        for rule in rules:
            hidden |= self._fits(rule)
        return hidden

    def taken(self, chosen: Flags) -> WordsArrays:
        """These rows only; `chosen` has the shape (n,)."""
        rows = np.flatnonzero(chosen).tolist()
        return WordsArrays(
            sequence=self.sequence[chosen],
            conversation_id=self.conversation_id.taken(chosen),
            name=self.name.taken(chosen),
            role=self.role.taken(chosen),
            day=self.day[chosen],
            characters=self.characters[chosen],
            question=self.question[chosen],
            source=self.source.taken(chosen),
            trust=self.trust[chosen],
            writer=self.writer.taken(chosen),
            fingerprint=self.fingerprint[chosen],
            rules=self.rules[chosen],
            term_counts=self.term_counts[chosen],
            terms=self.terms[np.repeat(chosen, self.term_counts)],
            counts=self.counts[np.repeat(chosen, self.term_counts)],
            day_counts=self.day_counts[chosen],
            days=self.days[np.repeat(chosen, self.day_counts)],
            replaces=[self.replaces[row] for row in rows],
        )

    def _fits(self, rule: Quarantine) -> Flags:
        """Which rows are of messages that one rule hides, shape (n,)."""
        if rule.field == "message":
            flags: Flags = self.sequence == rule.value
            return flags
        fields = {"conversation": self.conversation_id, "source": self.source, "writer": self.writer}
        return fields[rule.field].that(rule.is_of)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A whole memory, but for messages, credits and the journal."""

    head: Head
    signals: SignalArrays
    weights: WeightArrays
    stacks: StackArrays
    words: WordsArrays
    cues: Sequence[CueRow]
    quarantine: frozenset[Quarantine]


def loaded_from(rows: Rows) -> Loaded:
    """A complete set of rows as columns."""
    dim = rows.head.dim or 0
    return Loaded(
        head=rows.head,
        signals=_signals(rows.signals, dim),
        weights=_weights(rows.weights),
        stacks=_stacks(rows.stacks, dim),
        words=_words(rows.words),
        cues=rows.cues,
        quarantine=rows.quarantine,
    )


def _signals(rows: Sequence[SignalRow], dim: int) -> SignalArrays:
    return SignalArrays(
        key=_whole([row.key for row in rows]),
        sequence=_whole([row.sequence for row in rows]),
        chunk_index=_whole([row.chunk_index for row in rows]),
        kind=Coded.of([row.kind for row in rows]),
        start=_whole([row.start for row in rows]),
        end=_whole([row.end for row in rows]),
        block_start=_whole([row.block_start for row in rows]),
        block_end=_whole([row.block_end for row in rows]),
        vectors=_vectors([row.vector for row in rows], dim),
    )


def _weights(rows: Sequence[WeightRow]) -> WeightArrays:
    return WeightArrays(
        key=_whole([row.key for row in rows]),
        base_weight=np.array([row.base_weight for row in rows], dtype=np.float64),
        last_used_turn=_whole([row.last_used_turn for row in rows]),
        uses=_whole([row.uses for row in rows]),
        stack=_whole([row.stack for row in rows]),
    )


def _stacks(rows: Sequence[StackRow], dim: int) -> StackArrays:
    return StackArrays(
        key=_whole([row.key for row in rows]),
        size=_whole([row.size for row in rows]),
        totals=joined([row.total for row in rows], np.float32).reshape(len(rows), dim),
    )


def _words(rows: Sequence[WordsRow]) -> WordsArrays:
    return WordsArrays(
        sequence=_whole([row.sequence for row in rows]),
        conversation_id=Coded.of([row.conversation_id for row in rows]),
        name=Coded.of([row.name for row in rows]),
        role=Coded.of([row.role for row in rows]),
        day=_whole([row.day for row in rows]),
        characters=_whole([row.characters for row in rows]),
        question=_whole([row.question for row in rows]),
        source=Coded.of([row.source for row in rows]),
        trust=np.array([row.trust for row in rows], dtype=np.float64),
        writer=Coded.of([row.writer for row in rows]),
        fingerprint=_whole([row.fingerprint for row in rows]),
        rules=_whole([row.rules for row in rows]),
        term_counts=_whole([len(row.terms) for row in rows]),
        terms=joined([row.terms for row in rows], np.uint32),
        counts=joined([row.counts for row in rows], np.uint16),
        day_counts=_whole([len(row.days) for row in rows]),
        days=joined([row.days.ravel() for row in rows], np.int32).reshape(-1, 2),
        replaces=[row.replaces for row in rows],
    )


def joined(parts: Sequence[npt.NDArray[Number]], kind: type[Number]) -> npt.NDArray[Number]:
    """Arrays of one kind one after the other; an empty one if there is none."""
    return np.concatenate(parts) if parts else np.zeros(0, dtype=kind)


def _vectors(rows: Sequence[KeptVector], dim: int) -> KeptMatrix:
    """Vectors by row, shape (n, dim): halves if all of them are."""
    found: KeptMatrix = np.concatenate(rows) if rows else np.zeros(0, dtype=np.float32)
    return found.reshape(len(rows), dim)


def _whole(values: Sequence[int]) -> Integers:
    return np.array(values, dtype=np.int64)
