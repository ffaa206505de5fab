"""The messages of one memory by row, with their words and what else recall asks of them: who, when, beside what.

Everything that a question needs of all messages is kept up to date when one is added.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from streetai_core.arrays import Flags, Floats, Integers, RowNumbers
from streetai_core.index.authors import Authors
from streetai_core.index.by_number import RowsByNumber
from streetai_core.index.filling import WordsColumns, WordsEntry, beside, named, summed
from streetai_core.index.growing import Growing
from streetai_core.index.parts import joined, part_of
from streetai_core.index.postings import Postings
from streetai_core.index.replacements import Replacements
from streetai_core.index.row_table import NONE, RowTable
from streetai_core.index.stretches import Stretches
from streetai_core.index.threads import CHAINED, Threads
from streetai_core.text.names import SaidWords
from streetai_core.types import ROLES, SOURCES

Numbers = npt.NDArray[np.generic]
Rule = Callable[[Integers], Floats]
"""What a column says of each row."""

_SPEAKS = np.array(
    [[role in ("user", "assistant") and source not in ("tool", "document") for source in SOURCES] for role in ROLES]
)
"""By role and source, whether a message is the word of somebody, who tells of himself in it; shape (roles, sources)."""

_OWN = (
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
    "rules",
)
"""The columns that a message fills by itself."""


class WordsTable:
    """Terms, authors, days and neighbours by row; rows are never reused, removed ones are masked."""

    def __init__(self) -> None:
        self._table = RowTable((*_OWN, *CHAINED))
        self._threads = Threads(self._table)
        self._replacements = Replacements()
        self._postings = Postings()
        self._conversations: dict[str | None, int] = {}
        self._authors = Authors()
        self._spans = (array("q"), array("q"), array("q"))
        self._rows = RowsByNumber()
        self._said_by: Counter[int] = Counter()
        """By the number of an author, the messages that tell of whoever says them."""
        self._made_by: Counter[int] = Counter()
        """By the version of the rules, the messages whose words they told."""
        self._lengths = 0
        self._stretches: Stretches | None = None
        self._derived: dict[tuple[str, Rule], tuple[Floats, Growing[np.float64]]] = {}
        self.moves = 0
        """How often a message has left its row; while it stays, rows were only added."""

    def __len__(self) -> int:
        """Messages that are there."""
        return len(self._rows)

    def __contains__(self, sequence: int) -> bool:
        return sequence in self._rows

    @property
    def size(self) -> int:
        """Rows, those of removed messages included: the length of every array."""
        return self._table.count

    @property
    def alive(self) -> Flags:
        """Whether each row is of a message that is there, shape (n,)."""
        return self._table.alive

    @property
    def trust(self) -> Floats:
        """How far each row may be believed, 0 to 1, shape (n,)."""
        return self._table.trust

    @property
    def authors(self) -> dict[str, int]:
        """The number of each author's name."""
        return self._authors.numbers

    def named_by(self, words: SaidWords) -> dict[str, int]:
        """The authors whom the words of a question name, with a message or without, and their numbers, ascending."""
        return self._authors.named(words)

    def speaks(self, author: int) -> bool:
        """Whether the author with this number is somebody who says things, and has a message: no tool, no document."""
        return self._said_by[author] > 0

    def count_before(self, rules: int) -> int:
        """How many messages have words of rules that are older than this version of them."""
        # A copy: this may be asked while another thread adds a message.
        return sum(count for version, count in list(self._made_by.items()) if version < rules)

    def told_before(self, rules: int) -> Integers:
        """Sequences of these messages, ascending."""
        older: Integers = np.sort(self.column("sequence")[self.alive & (self.column("rules") < rules)])
        return older

    @property
    def stretches(self) -> Stretches:
        """The stretches of talk that the messages stand in."""
        if self._stretches is None:
            cut = Stretches()
            columns = {name: self.column(name) for name in ("sequence", "conversation", "day")}
            cut.fill(np.flatnonzero(self.alive), **columns)
            # Last of all: another thread may ask for them too.
            self._stretches = cut
        return self._stretches

    @property
    def conversations(self) -> dict[str | None, int]:
        """The number of each conversation's id."""
        return self._conversations

    def numbers_of(self, conversations: Iterable[str | None]) -> list[int]:
        """The numbers of those conversations that there are."""
        return [self._conversations[one] for one in conversations if one in self._conversations]

    def column(self, name: str) -> Integers:
        """One column, shape (n,); -1 is none.

        They are sequence, conversation, author, length (in terms), characters, day, role, source, fingerprint, rules,
        question and timed (0 or 1), previous and following (the rows of the neighbours in the conversation), around
        (the length with what stands around it) and the other rows that each stands around (`index/threads.py`).
        """
        return self._table[name]

    def derived(self, name: str, rule: Rule) -> Floats:
        """What a rule makes of a column that never changes, shape (n,); worked out once for each row.

        Args:
            name: characters, conversation, day, length, question, role, sequence or timed.
            rule: works row by row. It is remembered: give the same function each time.
        """
        known, growing = self._derived.get((name, rule)) or (np.zeros(0), Growing())
        if len(known) < self.size:
            known = growing.extended(known, rule(self.column(name)[len(known) :]))
            self._derived[name, rule] = known, growing
        return known

    def rows_of(self, sequences: Integers) -> RowNumbers:
        """The row of each message, -1 for one that is not there."""
        return self._rows.find(sequences)

    def put(self, entry: WordsEntry) -> None:
        """Add a message, or replace what is known of it; its place in the conversation stays."""
        old = self._rows.row(entry.sequence)
        row = self._table.add()
        values = self._values(entry)
        self._table.put(row, {**values, "around": 0}, entry.trust)
        self._register(row, entry, values)
        if old == NONE:
            self._threads.join(row)
            self._lengthen(row, values)
        else:
            self._threads.take_place(row, old)
            self._bury(old)
        self._postings.add_all(row, [entry.terms], [entry.counts])

    def put_all(self, entries: Sequence[WordsEntry]) -> None:
        """Put many messages at once, as `put` does one by one."""
        if len(entries) == 1 or not self._are_newer(entries):
            for entry in entries:
                self.put(entry)
            return
        first = self._table.add(len(entries))
        values = [self._values(entry) for entry in entries]
        for name in _OWN:
            self._table[name][first:] = [one[name] for one in values]
        self._table["around"][first:] = 0
        self._table.trust[first:] = [entry.trust for entry in entries]
        for row, (entry, own) in enumerate(zip(entries, values, strict=True), first):
            self._register(row, entry, own)
            self._lengthen(row, own)
        self._threads.join_ends(first)
        self._postings.add_all(first, [entry.terms for entry in entries], [entry.counts for entry in entries])

    def fill(self, columns: WordsColumns) -> None:
        """Take over all messages of a memory, in an index that has none yet; as `put_all` does with their entries."""
        count = len(columns.sequence)
        conversation = columns.conversation
        self._conversations = {name: number for number, name in enumerate(columns.conversations)}
        names, author = named(columns.authors, columns.author)
        self._authors = Authors(names)
        lengths = summed(columns.counts, columns.term_counts)
        neighbours = beside(conversation)
        given: dict[str, Integers] = {
            **dict.fromkeys(CHAINED, np.full(count, NONE)),
            **columns.columns,
            "sequence": columns.sequence,
            "conversation": conversation,
            "author": author,
            "length": lengths,
            "timed": (columns.day_counts > 0).astype(np.int64),
            "previous": neighbours.previous,
            "following": neighbours.following,
            "around": np.zeros(count, dtype=np.int64),
        }
        self._table.fill(given, columns.trust)
        self._threads.fill(neighbours.last_of)
        replacing = [(row, older) for row, every in enumerate(columns.replaces) for older in every]
        self._replacements.fill(*np.array(replacing, dtype=np.int64).reshape(-1, 2).T)
        self._rows.fill(columns.sequence)
        self._said_by = self._counted_speakers()
        self._made_by = self._counted_rules()
        self._lengths = int(lengths.sum())
        rows = np.repeat(np.arange(count), columns.day_counts)
        for span, values in zip(self._spans, np.column_stack([rows, columns.days]).T, strict=True):
            span.frombytes(values.astype(np.int64).tobytes())
        self._postings.fill(
            columns.terms, np.repeat(np.arange(count, dtype=np.uint32), columns.term_counts), columns.counts
        )

    def image(self) -> tuple[dict[str, Numbers], dict[str, list[str | None]]]:
        """All of it as arrays and lists of texts, for an index of which no message was removed or replaced."""
        newer, older = self._replacements.every
        parts: dict[str, dict[str, Numbers]] = {
            "table": self._table.image(),
            "postings": self._postings.image(),
            "stretches": self.stretches.image(),
            "replacements": {"newer": newer, "older": older},
            "spans": {str(place): np.array(span, dtype=np.int64) for place, span in enumerate(self._spans)},
        }
        return joined(parts), {"conversations": list(self._conversations), "authors": list(self.authors)}

    def restore(self, numbers: Mapping[str, Numbers], texts: Mapping[str, Sequence[str | None]]) -> None:
        """Take over those of an image, in an index that has none yet."""
        table = part_of(numbers, "table")
        trust = table.pop("trust").astype(np.float64)
        self._table.fill({name: column.astype(np.int64) for name, column in table.items()}, trust)
        self._threads.restore()
        self._rows.fill(self.column("sequence"))
        self._lengths = int(self.column("length").sum())
        self._said_by = self._counted_speakers()
        self._made_by = self._counted_rules()
        self._conversations = {name: number for number, name in enumerate(texts["conversations"])}
        self._authors = Authors(map(str, texts["authors"]))
        self._postings.restore(part_of(numbers, "postings"))
        self._stretches = Stretches()
        self._stretches.restore(part_of(numbers, "stretches"))
        replacements = part_of(numbers, "replacements")
        self._replacements.fill(replacements["newer"].astype(np.int64), replacements["older"].astype(np.int64))
        for place, span in enumerate(self._spans):
            span.frombytes(numbers[f"spans.{place}"].astype(np.int64).tobytes())

    def _counted_speakers(self) -> Counter[int]:
        """How often each author speaks, of an index of which no message was removed."""
        authors = self.column("author")[_SPEAKS[self.column("role"), self.column("source")]] - NONE
        return Counter({author + NONE: said for author, said in enumerate(np.bincount(authors).tolist())})

    def _counted_rules(self) -> Counter[int]:
        """How many messages each version of the rules has told the words of, where no message was removed."""
        versions, counts = np.unique(self.column("rules"), return_counts=True)
        return Counter(dict(zip(versions.tolist(), counts.tolist(), strict=True)))

    def _are_newer(self, entries: Sequence[WordsEntry]) -> bool:
        """Whether these are in the order they were said, and later than all that is there."""
        before = int(self.column("sequence").max(initial=NONE))
        for entry in entries:
            if entry.sequence <= before:
                return False
            before = entry.sequence
        return bool(entries)

    def remove(self, sequences: Iterable[int]) -> None:
        """Forget messages; unknown ones are ignored."""
        for sequence in sequences:
            row = self._rows.row(sequence)
            if row == NONE:
                continue
            self._rows.drop(sequence)
            self._threads.leave(row)
            self._bury(row)

    def _values(self, entry: WordsEntry) -> dict[str, int]:
        """What of a message goes into columns; authors and conversations get their numbers."""
        author = NONE if entry.author is None else self._authors.number(entry.author)
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
            "rules": entry.rules,
        }

    def _register(self, row: int, entry: WordsEntry, values: Mapping[str, int]) -> None:
        """Count a row in, and know it by what is asked for."""
        self._lengths += values["length"]
        self._said_by[values["author"]] += int(_SPEAKS[values["role"], values["source"]])
        self._made_by[values["rules"]] += 1
        self._replacements.put(row, entry.replaces)
        self._rows.put(entry.sequence, row)
        for first, last in entry.days.tolist():
            for column, value in zip(self._spans, (row, first, last), strict=True):
                column.append(value)

    def _lengthen(self, row: int, values: Mapping[str, int]) -> None:
        """Put a new message at the end of its stretch of talk."""
        if self._stretches is not None:
            place = {name: values[name] for name in ("sequence", "conversation", "day")}
            if not self._stretches.add(row, **place):
                self._stretches = None

    def _bury(self, row: int) -> None:
        """Count a row no more."""
        self._stretches = None
        self.alive[row] = False
        self._lengths -= int(self.column("length")[row])
        self._made_by[int(self.column("rules")[row])] -= 1
        author, role, source = (int(self.column(name)[row]) for name in ("author", "role", "source"))
        self._said_by[author] -= int(_SPEAKS[role, source])
        self._replacements.drop(row)
        self.moves += 1
