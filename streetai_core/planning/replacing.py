"""Which stored messages a new one replaces, found when it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from streetai_core.arrays import RowNumbers
from streetai_core.index.cone import beyond
from streetai_core.index.distinct import distinct
from streetai_core.index.words import WordIndex
from streetai_core.knowledge.changes import likenesses, link
from streetai_core.knowledge.referring import LATELY, corrected, refers_back
from streetai_core.knowledge.statements import Statement
from streetai_core.planning.batch import Batch
from streetai_core.planning.nearness import CANDIDATES, PARTS, nearest_messages
from streetai_core.planning.speakers import before, of_speaker
from streetai_core.state import MemoryState
from streetai_core.stores.types import WordsRow
from streetai_core.text.words import hashed, whole_words
from streetai_core.types import Matrix, Message

Reader = Callable[[Sequence[int]], Mapping[int, Message]]
"""Reads messages with their texts, by sequence."""


Wanted = Mapping[float, Sequence[Sequence[int]]]
"""By the least similarity in meaning: the hashes of terms, of which a message has all of at least one; no terms at all:
any message will do."""

_LONGEST = 2000
"""Characters of a message that can change a fact; a longer one is a document, and tells no news of its author."""

_MOST_ALIKE = 1_000
"""Messages with the words that are wanted that are compared, the newest ones: the older ones are replaced already by
those between, where one can replace the other. So a memory of many such, as a log is, does not slow down."""


def wanted_by(message: Message) -> Wanted:
    """What those have that a message may replace; nothing if it replaces none."""
    found: dict[float, list[list[int]]] = {}
    statement = Statement.of(message)
    if len(statement.text) <= _LONGEST:
        for one in likenesses(statement):
            terms = sorted(set(map(hashed, whole_words(" ".join(one.words)))))
            found.setdefault(one.similarity, []).append(terms)
    return found


@dataclass(slots=True)
class Replacing:
    """Finds what the messages of one operation replace, in the memory and among themselves, in their order."""

    state: MemoryState
    read: Reader
    common: float = 0.0
    """What all vectors of the encoder have in common."""
    batch: Batch = field(default_factory=Batch)
    """What was given to `of` so far, but for what is in quarantine."""

    def of(self, message: Message, vectors: Matrix, row: WordsRow, wanted: Wanted) -> tuple[int, ...]:
        """Sequences of the messages whose statement `message` replaces, the surest first.

        Args:
            message: what is being written.
            vectors: of its chunks, shape (n, dim).
            row: its words row, whatever that says it replaces.
            wanted: by it.
        """
        if not len(vectors):
            return ()
        found = self.replaced_by(message, vectors, wanted)
        if not self.state.hides(row):
            self.batch.put(message, vectors, row.terms)
        return found

    def replaced_by(self, message: Message, vectors: Matrix, wanted: Wanted) -> tuple[int, ...]:
        """As `of`, of a message that may be stored already or was given before."""
        if not wanted:
            return ()
        newer = statement_of(message)
        candidates = self._candidates(self._similar(vectors[:PARTS], message, wanted))
        links = link(newer, [(statement, similarity) for _, statement, similarity in candidates])
        if not links and refers_back(newer):
            candidates = self._said_lately(message, vectors[:PARTS])
            links = corrected(newer, [(statement, similarity) for _, statement, similarity in candidates])
        return tuple(candidates[index][0] for index, _ in links)

    def _candidates(self, near: Mapping[int, float]) -> list[tuple[int, Statement, float]]:
        """The nearest of some older messages, as (sequence, what was said, how near it is)."""
        ranked = sorted(near.items(), key=lambda one: (-one[1], -one[0]))[:CANDIDATES]
        texts = {**self.read([sequence for sequence, _ in ranked if sequence not in self.batch])}
        texts |= {sequence: self.batch[sequence] for sequence, _ in ranked if sequence in self.batch}
        return [
            (sequence, statement_of(texts[sequence]), similarity)
            for sequence, similarity in ranked
            if sequence in texts
        ]

    def _said_lately(self, newer: Message, vectors: Matrix) -> list[tuple[int, Statement, float]]:
        """What the same speaker said last in the same conversation, the most similar first."""
        words = self.state.words
        rows = before(words, of_speaker(words, np.flatnonzero(words.alive), newer), newer)
        here = words.numbers_of([newer.conversation_id])
        lately = np.isin(words.column("conversation")[rows], here) & (words.column("sequence")[rows] < newer.sequence)
        rows = _newest(rows[lately], words, LATELY)
        stored = nearest_messages(self.state, vectors, self.state.alignment.signals_of(rows), self.common)
        told = self.batch.similar(vectors, self.batch.lately(newer, LATELY), LATELY)
        near = {one: beyond(cosine, self.common) for one, cosine in (stored | told).items()}
        newest = sorted(near)[-LATELY:]
        return self._candidates({sequence: near[sequence] for sequence in newest})

    def _similar(self, vectors: Matrix, newer: Message, wanted: Wanted) -> dict[int, float]:
        """How near the nearest signal of older messages of the same speaker is, by sequence.

        Of those that are like what is wanted, in the memory or among what was said in this operation.
        """
        near: dict[int, float] = {}
        for least, alternatives in wanted.items():
            like = [self._like(newer, terms) for terms in alternatives]
            rows, numbers = (distinct(np.concatenate(parts)) for parts in zip(*like, strict=True))
            stored = nearest_messages(self.state, vectors, self.state.alignment.signals_of(rows), self.common)
            told = self.batch.similar(vectors, numbers, CANDIDATES)
            # What has got its vector only now is known here, and has none in the memory.
            found = {one: cosine for one, cosine in stored.items() if one not in self.batch} | told
            near |= {one: near_by for one, cosine in found.items() if (near_by := beyond(cosine, self.common)) >= least}
        return near

    def _like(self, newer: Message, terms: Sequence[int]) -> tuple[RowNumbers, RowNumbers]:
        """Older messages of the same speaker that have all of some terms, without terms all of them.

        By row in the memory, and by number in the batch.
        """
        words = self.state.words
        told = self.batch.like(newer, terms)
        rows = of_speaker(words, words.rows_with_all(terms) if terms else np.flatnonzero(words.alive), newer)
        rows = before(words, rows, newer)
        if not terms:
            return rows, told
        told = told[-_MOST_ALIKE:]
        return _newest(rows, words, _MOST_ALIKE - len(told)), told


def _newest(rows: RowNumbers, words: WordIndex, most: int) -> RowNumbers:
    """The newest of some messages, ascending."""
    if len(rows) <= most:
        return rows
    return np.sort(rows[np.argpartition(-words.column("sequence")[rows], most)[:most]])


def statement_of(message: Message) -> Statement:
    """What a message says, as far as it is looked at for changes."""
    whole = Statement.of(message)
    return replace(whole, text=whole.text[:_LONGEST])
