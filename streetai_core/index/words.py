"""The messages of one memory by their words: BM25 of each alone and together with its neighbours.

    score = sum over the question's terms of idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean length))
    idf = ln(1 + (n - df + 0.5) / (df + 0.5))

Robertson and Zaragoza 2009, with the idf of Lucene, which is never negative. Scores are divided by the sum of the
question's idf, so that they mean the same for short and long questions: 0 is no word in common, 1 is about one mention
of each.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from streetai_core.index.postings import Postings
from streetai_core.types import DaySpans, TermCounts, TermHashes

K1 = 0.9
B = 0.4
"""Better than the usual 1.2 and 0.75 on short messages, where a word said twice says little more than once."""

_FIRST_CAPACITY = 64
"""Rows that a new memory has room for; doubled whenever it is full."""

_NONE = -1
"""No row."""

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]
Integers = npt.NDArray[np.int64]
Number = TypeVar("Number", bound=np.generic)

_COLUMNS = (
    "sequence",
    "conversation",
    "author",
    "length",
    "characters",
    "day",
    "question",
    "role",
    "timed",
    "previous",
    "following",
)


@dataclass(frozen=True, slots=True)
class WordScores:
    """How well the words of each message fit a question; arrays of shape (n,), 0 where nothing fits."""

    own: Floats
    """By the message's own words."""
    around: Floats
    """By the words of the message and of the two beside it in its conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsEntry:
    """One message as the index takes it."""

    sequence: int
    conversation: str | None
    author: str | None
    characters: int
    day: int
    question: bool
    role: int = 0
    """Any number for each role."""
    terms: TermHashes
    counts: TermCounts
    days: DaySpans
    """Shape (m, 2): first and last day of each time that the text speaks of."""
    replaces: Sequence[int] = ()


class WordIndex:
    """Terms, authors, days and neighbours by row; rows are never reused, removed ones are masked."""

    def __init__(self) -> None:
        self._count = 0
        self._integers = {name: np.full(_FIRST_CAPACITY, _NONE, dtype=np.int64) for name in _COLUMNS}
        self._alive = np.zeros(_FIRST_CAPACITY, dtype=np.bool_)
        self._row_of: dict[int, int] = {}
        self._postings = Postings()
        self._conversations: dict[str | None, int] = {}
        self._last_of: dict[int, int] = {}
        self._authors: dict[str, int] = {}
        self._spans = (array("q"), array("q"), array("q"))
        self._replaces: dict[int, tuple[int, ...]] = {}
        self._rows_by_sequence = np.full(_FIRST_CAPACITY, _NONE, dtype=np.int64)

    def __len__(self) -> int:
        """Messages that are there."""
        return len(self._row_of)

    def __contains__(self, sequence: int) -> bool:
        return sequence in self._row_of

    @property
    def size(self) -> int:
        """Rows, those of removed messages included: the length of every array."""
        return self._count

    @property
    def alive(self) -> Flags:
        """Whether each row is of a message that is there, shape (n,)."""
        return self._alive[: self._count]

    @property
    def authors(self) -> dict[str, int]:
        """The number of each author's name."""
        return self._authors

    @property
    def conversations(self) -> int:
        """How many conversations there ever were."""
        return len(self._conversations)

    def numbers_of(self, conversations: Iterable[str | None]) -> list[int]:
        """The numbers of those conversations that there are."""
        return [self._conversations[one] for one in conversations if one in self._conversations]

    def column(self, name: str) -> Integers:
        """One column, shape (n,); -1 is none.

        They are sequence, conversation, author, length (in terms), characters, day, role, question and timed (0 or 1),
        previous and following (the rows of the neighbours in the conversation).
        """
        return self._integers[name][: self._count]

    def rows_of(self, sequences: Integers) -> Rows:
        """The row of each message, -1 for one that is not there."""
        found = np.full(len(sequences), _NONE, dtype=np.intp)
        known = sequences < len(self._rows_by_sequence)
        found[known] = self._rows_by_sequence[sequences[known]]
        return found

    def put(self, entry: WordsEntry) -> None:
        """Add a message, or replace what is known of it; its place in the conversation stays."""
        old = self._row_of.get(entry.sequence)
        if self._count == len(self._alive):
            self._grow()
        row = self._count
        self._count += 1
        self._fill(row, entry)
        if old is None:
            self._join_conversation(row)
        else:
            self._take_place(row, old)
        self._postings.add(row, entry.terms, entry.counts)

    def remove(self, sequences: Iterable[int]) -> None:
        """Forget messages; unknown ones are ignored."""
        for sequence in sequences:
            row = self._row_of.pop(sequence, None)
            if row is None:
                continue
            self._alive[row] = False
            self._rows_by_sequence[sequence] = _NONE
            self._replaces.pop(row, None)
            self._bridge(row)

    def replacements(self) -> list[tuple[int, int]]:
        """(row of the newer message, row of the one that it replaces), for those where both are there."""
        return [
            (newer, self._row_of[sequence])
            for newer, replaced in self._replaces.items()
            for sequence in replaced
            if sequence in self._row_of
        ]

    def revisions(self, sequence: int) -> list[int]:
        """Sequences of the messages that a message replaced, itself, and those that replaced it, oldest first."""
        column = self._integers["sequence"]
        links = [(int(column[newer]), int(column[older])) for newer, older in self.replacements()]
        found, todo = {sequence}, [sequence]
        while todo:
            one = todo.pop()
            beside = {other for pair in links if one in pair for other in pair} - found
            found |= beside
            todo.extend(beside)
        return sorted(found)

    def replaced(self) -> set[int]:
        """Sequences of the messages whose statement a later one has replaced."""
        sequence = self._integers["sequence"]
        return {int(sequence[older]) for _, older in self.replacements()}

    def speaks_of(self, first: int, last: int) -> Flags:
        """Which rows speak of a time that touches the days from `first` to `last`, or were said then; shape (n,)."""
        day = self.column("day")
        found = (day >= first) & (day <= last)
        rows, starts, ends = (np.array(values, dtype=np.int64) for values in self._spans)
        found[rows[(starts <= last) & (ends >= first)]] = True
        return found & self.alive

    def rows_with(self, term: int) -> Rows:
        """The rows that have a term, by its hash."""
        rows, _ = self._postings.find(term)
        return rows[self._alive[rows]]

    def scores(self, terms: Iterable[int], length: int = 0) -> WordScores:
        """BM25 of every row for a question.

        A message that is the question itself, asked before, lends its words to what follows it, its answer, and not to
        what stands before it.

        Args:
            terms: hashes of the question's terms.
            length: how many terms it has, repetitions counted.
        """
        own, around = np.zeros(self._count), np.zeros(self._count)
        number = len(self)
        most = 0.0
        lengths = self.column("length").astype(np.float64)
        norm = _length_norm(lengths, self.alive)
        norm_around = _length_norm(self._around(lengths), self.alive)
        found = [self._living(term) for term in dict.fromkeys(terms)]
        same = self._asked_before(found, length)
        for rows, counts in found:
            most += _idf(number, len(rows))
            if len(rows):
                own[rows] += _idf(number, len(rows)) * _saturated(counts, norm[rows])
                wide_rows, wide_counts = self._spread(rows, counts, back=~same[rows])
                around[wide_rows] += _idf(number, len(wide_rows)) * _saturated(wide_counts, norm_around[wide_rows])
        if most:
            own /= most
            around /= most
        return WordScores(own, around)

    def _living(self, term: int) -> tuple[Rows, Floats]:
        """Rows of messages that are there and have a term, and how often."""
        rows, counts = self._postings.find(term)
        here = self._alive[rows]
        return rows[here], counts[here]

    def _asked_before(self, found: Sequence[tuple[Rows, Floats]], length: int) -> Flags:
        """Rows whose terms are those of the question, all of them and no others, shape (n,)."""
        matched = np.zeros(self._count, dtype=np.int64)
        for rows, _ in found:
            matched[rows] += 1
        same: Flags = (matched == len(found)) & (self.column("length") == length) & (length > 0)
        return same

    def _spread(self, rows: Rows, counts: Floats, *, back: Flags) -> tuple[Rows, Floats]:
        """Rows that have a term themselves or beside them, and how often it stands in the three together.

        A row counts for the one before it only where `back` says so.
        """
        every, weights = [rows], [counts]
        for side in ("previous", "following"):
            beside = self._integers[side][rows]
            there = (beside != _NONE) & (back | (side == "following"))
            every.append(beside[there].astype(np.intp))
            weights.append(counts[there])
        unique, inverse = np.unique(np.concatenate(every), return_inverse=True)
        total: Floats = np.bincount(inverse, weights=np.concatenate(weights), minlength=len(unique)).astype(np.float64)
        return unique, total

    def _around(self, values: Floats) -> Floats:
        """The sum of each row's value and its neighbours'."""
        total: Floats = values.copy()
        for side in ("previous", "following"):
            beside = self.column(side)
            there = beside != _NONE
            total[there] += values[beside[there]]
        return total

    def _fill(self, row: int, entry: WordsEntry) -> None:
        author = _NONE if entry.author is None else self._authors.setdefault(entry.author, len(self._authors))
        values = {
            "sequence": entry.sequence,
            "conversation": self._conversations.setdefault(entry.conversation, len(self._conversations)),
            "author": author,
            "length": int(entry.counts.sum()),
            "characters": entry.characters,
            "day": entry.day,
            "question": int(entry.question),
            "role": entry.role,
            "timed": int(len(entry.days) > 0),
        }
        for name, value in values.items():
            self._integers[name][row] = value
        self._alive[row] = True
        self._row_of[entry.sequence] = row
        self._know(entry.sequence, row)
        for first, last in entry.days.tolist():
            for column, value in zip(self._spans, (row, first, last), strict=True):
                column.append(value)
        if entry.replaces:
            self._replaces[row] = tuple(entry.replaces)

    def _join_conversation(self, row: int) -> None:
        """Put a row where its sequence belongs in its conversation: nearly always at the end."""
        sequence, previous, following = (self._integers[name] for name in ("sequence", "previous", "following"))
        conversation = int(self._integers["conversation"][row])
        before, behind = self._last_of.get(conversation, _NONE), _NONE
        while before != _NONE and sequence[before] > sequence[row]:
            before, behind = int(previous[before]), before
        previous[row], following[row] = before, behind
        if before != _NONE:
            following[before] = row
        if behind != _NONE:
            previous[behind] = row
        else:
            self._last_of[conversation] = row

    def _take_place(self, row: int, old: int) -> None:
        """Put a row where another one of the same message was."""
        previous, following = (int(self._integers[side][old]) for side in ("previous", "following"))
        self._integers["previous"][row], self._integers["following"][row] = previous, following
        if previous != _NONE:
            self._integers["following"][previous] = row
        if following != _NONE:
            self._integers["previous"][following] = row
        conversation = int(self._integers["conversation"][row])
        if self._last_of.get(conversation) == old:
            self._last_of[conversation] = row
        self._alive[old] = False
        self._replaces.pop(old, None)

    def _bridge(self, row: int) -> None:
        """Make the neighbours of a removed row neighbours of each other."""
        previous, following = (int(self._integers[side][row]) for side in ("previous", "following"))
        if previous != _NONE:
            self._integers["following"][previous] = following
        if following != _NONE:
            self._integers["previous"][following] = previous
        conversation = int(self._integers["conversation"][row])
        if self._last_of.get(conversation) == row:
            self._last_of[conversation] = previous
        self._integers["previous"][row] = self._integers["following"][row] = _NONE

    def _know(self, sequence: int, row: int) -> None:
        while sequence >= len(self._rows_by_sequence):
            self._rows_by_sequence = _enlarged(self._rows_by_sequence, 2 * len(self._rows_by_sequence))
        self._rows_by_sequence[sequence] = row

    def _grow(self) -> None:
        capacity = 2 * len(self._alive)
        self._alive = _enlarged(self._alive, capacity)
        self._integers = {name: _enlarged(column, capacity) for name, column in self._integers.items()}


def _length_norm(lengths: Floats, alive: Flags) -> Floats:
    """`k1 * (1 - b + b * length / mean length)` of each row."""
    mean = float(lengths[alive].mean()) if alive.any() else 0.0
    return K1 * (1 - B + B * lengths / (mean or 1.0))


def _saturated(counts: Floats, norm: Floats) -> Floats:
    return counts * (K1 + 1) / (counts + norm)


def _idf(number: int, having: int) -> float:
    return math.log(1 + (number - having + 0.5) / (having + 0.5))


def _enlarged(values: npt.NDArray[Number], capacity: int) -> npt.NDArray[Number]:
    """A copy with room for `capacity` rows; the new ones hold "none"."""
    larger: npt.NDArray[Number] = np.full((capacity, *values.shape[1:]), _NONE, dtype=values.dtype)
    larger[: len(values)] = values
    return larger
