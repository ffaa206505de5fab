"""The messages of one memory by their words, with what else recall asks of them: who, when, beside what.

Everything that a question needs of all messages is kept up to date when one is added, so that a question only looks at
the messages that have its words.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from streetai_core.index.bm25 import Collection, Flags, Floats, Integers, Rows, Term, WordScores, word_scores
from streetai_core.index.filling import WordsColumns, beside, named, numbered, summed
from streetai_core.index.grouping import Groups, grouped
from streetai_core.index.postings import Postings
from streetai_core.types import DaySpans, TermCounts, TermHashes

_FIRST_CAPACITY = 64
"""Rows that a new memory has room for; doubled whenever it is full."""

_SPARE = 8
"""A memory that is loaded gets room for an eighth more."""

_NONE = -1
"""No row."""

Number = TypeVar("Number", bound=np.generic)

Rule = Callable[[Integers], Floats]
"""What a column says of each row."""

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
    "source",
    "fingerprint",
    "previous",
    "following",
    "around",
)

_GIVEN = tuple(name for name in _COLUMNS if name not in {"previous", "following"})
"""The columns that a message fills by itself."""


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
    source: int = 0
    """Any number for each source."""
    trust: float = 1.0
    fingerprint: int = 0
    """The same for the same text."""


class WordIndex:
    """Terms, authors, days and neighbours by row; rows are never reused, removed ones are masked."""

    def __init__(self) -> None:
        self._count = 0
        self._integers = {name: np.full(_FIRST_CAPACITY, _NONE, dtype=np.int64) for name in _COLUMNS}
        self._alive = np.zeros(_FIRST_CAPACITY, dtype=np.bool_)
        self._trust = np.ones(_FIRST_CAPACITY)
        self._row_of: dict[int, int] = {}
        self._postings = Postings()
        self._conversations: dict[str | None, int] = {}
        self._last_of: dict[int, int] = {}
        self._authors: dict[str, int] = {}
        self._spans = (array("q"), array("q"), array("q"))
        self._replaces: dict[int, tuple[int, ...]] = {}
        self._rows_by_sequence = np.full(_FIRST_CAPACITY, _NONE, dtype=np.int64)
        self._said_by: Counter[int] = Counter()
        self._lengths = 0
        self._lengths_around = 0
        self._links: list[tuple[int, int]] | None = None
        self._replaced: set[int] | None = None
        self._groups: Groups | None = None
        self._derived: dict[tuple[str, Rule], Floats] = {}
        self.moves = 0
        """How often a message has left its row; while it stays, rows were only added."""

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
    def trust(self) -> Floats:
        """How far each row may be believed, 0 to 1, shape (n,)."""
        return self._trust[: self._count]

    @property
    def authors(self) -> dict[str, int]:
        """The number of each author's name."""
        return self._authors

    def has_said(self, author: int) -> bool:
        """Whether there is a message of the author with this number."""
        return self._said_by[author] > 0

    @property
    def conversations(self) -> int:
        """How many conversations there ever were."""
        return len(self._conversations)

    @property
    def by_conversation(self) -> Groups:
        """The rows of each conversation, in the order of their numbers."""
        if self._groups is None or len(self._groups.of) != self._count:
            self._groups = grouped(self.column("conversation"), len(self._conversations))
        return self._groups

    def numbers_of(self, conversations: Iterable[str | None]) -> list[int]:
        """The numbers of those conversations that there are."""
        return [self._conversations[one] for one in conversations if one in self._conversations]

    def column(self, name: str) -> Integers:
        """One column, shape (n,); -1 is none.

        They are sequence, conversation, author, length (in terms), characters, day, role, source, fingerprint,
        question and timed (0 or 1), previous and following (the rows of the neighbours in the conversation), around
        (the length of the three).
        """
        return self._integers[name][: self._count]

    def derived(self, name: str, rule: Rule) -> Floats:
        """What a rule makes of a column that never changes, shape (n,); worked out once for each row.

        Args:
            name: characters, conversation, day, length, question, role, sequence or timed.
            rule: works row by row. It is remembered: give the same function each time.
        """
        known = self._derived.get((name, rule), np.zeros(0))
        if len(known) < self._count:
            fresh = rule(self.column(name)[len(known) :])
            known = self._derived[name, rule] = np.concatenate([known, fresh])
        return known

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

    def put_all(self, entries: Sequence[WordsEntry]) -> None:
        """Put many messages at once, as `put` does one by one."""
        if not self._are_newer(entries):
            for entry in entries:
                self.put(entry)
            return
        first, self._count = self._count, self._count + len(entries)
        while self._count > len(self._alive):
            self._grow()
        values = [self._values(entry) for entry in entries]
        for name in _GIVEN:
            self._integers[name][first : self._count] = [one[name] for one in values]
        self._trust[first : self._count] = [entry.trust for entry in entries]
        for row, (entry, own) in enumerate(zip(entries, values, strict=True), first):
            self._register(row, entry, own)
        self._join_ends(first)
        self._postings.add_all(first, [entry.terms for entry in entries], [entry.counts for entry in entries])

    def fill(self, columns: WordsColumns) -> None:
        """Take over all messages of a memory, in an index that has none yet; as `put_all` does with their entries."""
        self._count = count = len(columns.sequence)
        capacity = max(count + count // _SPARE, _FIRST_CAPACITY)
        self._conversations, conversation = numbered(columns.conversation)
        self._authors, author = named(columns.author)
        lengths = summed(columns.counts, columns.term_counts)
        neighbours = beside(conversation, lengths)
        given: dict[str, Integers] = {
            **columns.columns,
            "sequence": columns.sequence,
            "conversation": conversation,
            "author": author,
            "length": lengths,
            "timed": (columns.day_counts > 0).astype(np.int64),
            "previous": neighbours.previous,
            "following": neighbours.following,
            "around": neighbours.around,
        }
        self._integers = {name: _enlarged(given[name], capacity) for name in _COLUMNS}
        self._alive = np.zeros(capacity, dtype=np.bool_)
        self._alive[:count] = True
        self._trust = _enlarged(columns.trust, capacity)
        self._row_of = dict(zip(columns.sequence.tolist(), range(count), strict=True))
        self._rows_by_sequence = np.full(int(columns.sequence.max(initial=0)) + 1 + count // _SPARE, _NONE, np.int64)
        self._rows_by_sequence[columns.sequence] = np.arange(count)
        self._last_of = neighbours.last_of
        self._said_by = Counter(author.tolist())
        self._lengths, self._lengths_around = int(lengths.sum()), int(neighbours.around.sum())
        rows = np.repeat(np.arange(count), columns.day_counts)
        for span, values in zip(self._spans, np.column_stack([rows, columns.days]).T, strict=True):
            span.frombytes(values.astype(np.int64).tobytes())
        self._replaces = {row: tuple(found) for row, found in enumerate(columns.replaces) if found}
        self._postings.fill(columns.terms, np.repeat(np.arange(count), columns.term_counts), columns.counts)

    def _are_newer(self, entries: Sequence[WordsEntry]) -> bool:
        """Whether these are in the order they were said, and later than all that is there."""
        before = int(self.column("sequence").max(initial=_NONE))
        for entry in entries:
            if entry.sequence <= before:
                return False
            before = entry.sequence
        return bool(entries)

    def _join_ends(self, first: int) -> None:
        """Put the rows from `first` on at the ends of their conversations, in order."""
        rows = np.arange(first, self._count)
        before = np.full(len(rows), _NONE)
        for number, conversation in enumerate(self.column("conversation")[first:].tolist()):
            before[number] = self._last_of.get(conversation, _NONE)
            self._last_of[conversation] = first + number
        previous, following = self._integers["previous"], self._integers["following"]
        previous[rows], following[rows] = before, _NONE
        following[before[before != _NONE]] = rows[before != _NONE]
        # The last ones of before have got a neighbour too.
        touched = np.concatenate([rows, np.unique(before[(before != _NONE) & (before < first)])])
        length, around = self._integers["length"], self._integers["around"]
        total = length[touched]
        for side in (previous, following):
            beside = side[touched]
            total += np.where(beside == _NONE, 0, length[beside])
        self._lengths_around += int((total - around[touched]).sum())
        around[touched] = total

    def remove(self, sequences: Iterable[int]) -> None:
        """Forget messages; unknown ones are ignored."""
        for sequence in sequences:
            row = self._row_of.pop(sequence, None)
            if row is None:
                continue
            self._bury(row)
            self._rows_by_sequence[sequence] = _NONE
            self._bridge(row)

    def replacements(self) -> list[tuple[int, int]]:
        """(row of the newer message, row of the one that it replaces), where both are there; the oldest newer first."""
        if self._links is None:
            self._replaced = None
            sequence = self._integers["sequence"]
            self._links = sorted(
                (
                    (newer, self._row_of[replaced])
                    for newer, every in self._replaces.items()
                    for replaced in every
                    if replaced in self._row_of
                ),
                key=lambda link: int(sequence[link[0]]),
            )
        return self._links

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
        links = self.replacements()
        if self._replaced is None:
            self._replaced = {int(self._integers["sequence"][older]) for _, older in links}
        return self._replaced

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

        Args:
            terms: hashes of the question's terms.
            length: how many terms it has, repetitions counted.
        """
        number = len(self)
        collection = Collection(
            rows=self._count,
            number=number,
            lengths=self.column("length"),
            around=self.column("around"),
            mean_length=self._lengths / number if number else 0.0,
            mean_around=self._lengths_around / number if number else 0.0,
            previous=self.column("previous"),
            following=self.column("following"),
        )
        return word_scores(collection, [self._living(term) for term in dict.fromkeys(terms)], length)

    def _living(self, term: int) -> Term:
        """Rows of messages that are there and have a term, and how often."""
        rows, counts = self._postings.find(term)
        if len(self) == self._count:
            return rows, counts
        here = self._alive[rows]
        return rows[here], counts[here]

    def _fill(self, row: int, entry: WordsEntry) -> None:
        values = self._values(entry)
        for name, value in values.items():
            self._integers[name][row] = value
        self._trust[row] = entry.trust
        self._register(row, entry, values)

    def _values(self, entry: WordsEntry) -> dict[str, int]:
        """What of a message goes into columns; authors and conversations get their numbers."""
        author = _NONE if entry.author is None else self._authors.setdefault(entry.author, len(self._authors))
        return {
            "sequence": entry.sequence,
            "conversation": self._conversations.setdefault(entry.conversation, len(self._conversations)),
            "author": author,
            "length": int(entry.counts.sum()),
            "characters": entry.characters,
            "day": entry.day,
            "question": int(entry.question),
            "role": entry.role,
            "timed": int(len(entry.days) > 0),
            "source": entry.source,
            "fingerprint": entry.fingerprint,
            "around": 0,
        }

    def _register(self, row: int, entry: WordsEntry, values: Mapping[str, int]) -> None:
        """Count a row in, and know it by what is asked for."""
        self._alive[row] = True
        self._lengths += values["length"]
        self._said_by[values["author"]] += 1
        self._links = None
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
        self._measure_around(before, row, behind)

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
        self._bury(old)
        self._measure_around(previous, row, following)

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
        self._measure_around(previous, following)

    def _bury(self, row: int) -> None:
        """Count a row no more."""
        self._alive[row] = False
        self._lengths -= int(self._integers["length"][row])
        self._lengths_around -= int(self._integers["around"][row])
        self._said_by[int(self._integers["author"][row])] -= 1
        self._replaces.pop(row, None)
        self._links = None
        self.moves += 1

    def _measure_around(self, *rows: int) -> None:
        """Add up anew the lengths of these rows and their neighbours."""
        length, around = self._integers["length"], self._integers["around"]
        for row in rows:
            if row == _NONE:
                continue
            beside = (row, int(self._integers["previous"][row]), int(self._integers["following"][row]))
            total = sum(int(length[one]) for one in beside if one != _NONE)
            self._lengths_around += total - int(around[row])
            around[row] = total

    def _know(self, sequence: int, row: int) -> None:
        while sequence >= len(self._rows_by_sequence):
            self._rows_by_sequence = _enlarged(self._rows_by_sequence, 2 * len(self._rows_by_sequence))
        self._rows_by_sequence[sequence] = row

    def _grow(self) -> None:
        capacity = 2 * len(self._alive)
        self._alive = _enlarged(self._alive, capacity)
        self._trust = _enlarged(self._trust, capacity)
        self._integers = {name: _enlarged(column, capacity) for name, column in self._integers.items()}


def _enlarged(values: npt.NDArray[Number], capacity: int) -> npt.NDArray[Number]:
    """A copy with room for `capacity` rows; the new ones hold "none"."""
    larger: npt.NDArray[Number] = np.full((capacity, *values.shape[1:]), _NONE, dtype=values.dtype)
    larger[: len(values)] = values
    return larger
