"""Which stored messages a new one replaces, found when it is written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from streetai_core.index.cone import beyond
from streetai_core.index.distinct import distinct
from streetai_core.index.order import may_be_before
from streetai_core.index.words import WordIndex
from streetai_core.knowledge.changes import likenesses, link
from streetai_core.knowledge.referring import LATELY, corrected, refers_back
from streetai_core.knowledge.statements import Statement
from streetai_core.planning.batch import Batch
from streetai_core.planning.nearness import CANDIDATES, PARTS, nearest_messages, with_vector
from streetai_core.planning.news import Anew, late_news, news_in, outdated
from streetai_core.planning.speakers import after, before, of_speaker
from streetai_core.planning.words import day_of
from streetai_core.state import MemoryState
from streetai_core.stores.types import WordsRow
from streetai_core.text.marks import news_about
from streetai_core.text.words import hashed, whole_words
from streetai_core.types import ROLES, Matrix, Message

Reader = Callable[[Sequence[int]], Mapping[int, Message]]
"""Reads messages with their texts, by sequence."""

Rows = npt.NDArray[np.intp]

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
    _batch: Batch = field(default_factory=Batch)
    _latest: int | None = None
    """The last day on which anything in the memory was said; `None`: nobody has asked."""

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
        found = self._replaced(message, vectors, wanted)
        if not self.state.hides(row):
            self._batch.put(message, vectors, row.terms)
        return found

    def news_in(self, message: Message, anew: Anew) -> list[int]:
        """The marks of a message for those of which it may bring news; `anew` is what it says."""
        return news_in(message, anew, self.state, self._batch)

    def said_after(self, message: Message, vectors: Matrix) -> list[tuple[Message, float]]:
        """The messages that came before one and were plainly said after it, with how near they are, the nearest first.

        Only an old history that is stored late has any. At most as many as are compared.

        Args:
            message: given to `of` before.
            vectors: of its chunks, shape (n, dim).
        """
        if message.sequence not in self._batch:
            return []
        together, is_late = self._batch.after(message), self._reaches(day_of(message))
        if not (is_late or len(together)) or not _statement(message).has_facts:
            return []
        near = self._batch.similar(vectors[:PARTS], together, CANDIDATES)
        if is_late:
            near |= nearest_messages(self.state, vectors[:PARTS], self._signals_after(message), self.common)
        beyond_common = {sequence: beyond(cosine, self.common) for sequence, cosine in near.items()}
        ranked = sorted(beyond_common.items(), key=lambda one: (-one[1], -one[0]))[:CANDIDATES]
        stored = self.read([sequence for sequence, _ in ranked if sequence not in self._batch])
        return [
            (self._batch[sequence] if sequence in self._batch else stored[sequence], similarity)
            for sequence, similarity in ranked
        ]

    def is_replaced(self, older: Message, newer: Message, wanted: Wanted, similarity: float) -> bool:
        """Whether a newer message replaces an older one, among all that it can replace.

        Args:
            older: given to `of` before.
            newer: in the memory, or given to `of` before.
            wanted: by it.
            similarity: how near the two are.
        """
        # What does not replace it alone does not replace it among others, which take ten times as long to compare.
        if not link(_statement(newer), [(_statement(older), similarity)]):
            return False
        if newer.sequence in self._batch:
            own = self._batch.vectors_of(newer.sequence)
        else:
            own = self.state.columns.vectors_of(self.state.rows_of_message(newer.sequence))
        return older.sequence in self._replaced(newer, own, wanted)

    def late_news(self, newer: Message, anew: Anew, older: Message, terms: Collection[int]) -> frozenset[int]:
        """The marks of a newer message, which says `anew`, for one that comes only now and has these terms."""
        return late_news(newer, anew, older, terms, state=self.state, batch=self._batch)

    def after_edit(self, message: Message, vectors: Matrix) -> list[tuple[Message, tuple[int, ...]]]:
        """The messages that replaced what an edited one said before and not what it says now.

        Args:
            message: with its new text.
            vectors: of its chunks, shape (n, dim).

        Returns:
            Each with the sequences of those that it replaces still.
        """
        links = self.state.words.replaced_by(message.sequence)
        found = []
        for newer in self.read(list(links)).values():
            own = self.state.columns.vectors_of(self.state.rows_of_message(newer.sequence))
            nearness = float((own @ vectors.T).max()) if len(own) and len(vectors) else 0.0
            pair = [(_statement(message), beyond(nearness, self.common))]
            if not (link(_statement(newer), pair) or corrected(_statement(newer), pair)):
                others = tuple(one for one in links[newer.sequence] if one != message.sequence)
                found.append((newer, others))
        return found

    def outdated_by(self, message: Message, terms: Collection[int]) -> dict[int, frozenset[int]]:
        """The marks of messages that brought news of what an edited one said before, and not of what it says now.

        Args:
            message: with its new text.
            terms: of this, by their hashes.

        Returns:
            By sequence of the newer messages.
        """
        words = self.state.words
        newer = words.column("sequence")[words.rows_with(news_about(message.sequence))].tolist()
        return {one.sequence: outdated(one, message, terms) for one in self.read(newer).values()}

    def since(self, late: Sequence[tuple[Message, Matrix]]) -> list[tuple[Message, tuple[int, ...]]]:
        """The newer messages that replace some which had no vectors when they were written.

        Args:
            late: these, all of which were given to `of`, with the vectors of their chunks, shape (n, dim).

        Returns:
            Each with the sequences of all that it replaces.
        """
        near: dict[int, float] = {}
        for message, vectors in late:
            nearest = nearest_messages(self.state, vectors[:PARTS], self._may_outdo(message), self.common)
            for sequence in list(nearest)[:CANDIDATES]:
                if sequence not in self._batch:
                    near[sequence] = max(nearest[sequence], near.get(sequence, -1.0))
        # To find what one of them replaces takes as long as to write it, and nobody else writes meanwhile.
        stating = [(one, wanted) for one in self.read(sorted(near)).values() if (wanted := wanted_by(one))]
        stating = sorted(stating, key=lambda pair: -near[pair[0].sequence])[:CANDIDATES]
        found, written = [], {message.sequence for message, _ in late}
        for newer, wanted in stating:
            own = self.state.columns.vectors_of(self.state.rows_of_message(newer.sequence))
            replaces = self._replaced(newer, own, wanted)
            if not written.isdisjoint(replaces):
                found.append((newer, replaces))
        return found

    def _replaced(self, message: Message, vectors: Matrix, wanted: Wanted) -> tuple[int, ...]:
        if not wanted:
            return ()
        newer = _statement(message)
        candidates = self._candidates(self._similar(vectors[:PARTS], message, wanted))
        links = link(newer, [(statement, similarity) for _, statement, similarity in candidates])
        if not links and refers_back(newer):
            candidates = self._said_lately(message, vectors[:PARTS])
            links = corrected(newer, [(statement, similarity) for _, statement, similarity in candidates])
        return tuple(candidates[index][0] for index, _ in links)

    def _candidates(self, near: Mapping[int, float]) -> list[tuple[int, Statement, float]]:
        """The nearest of some older messages, as (sequence, what was said, how near it is)."""
        ranked = sorted(near.items(), key=lambda one: (-one[1], -one[0]))[:CANDIDATES]
        texts = {**self.read([sequence for sequence, _ in ranked if sequence not in self._batch])}
        texts |= {sequence: self._batch[sequence] for sequence, _ in ranked if sequence in self._batch}
        return [
            (sequence, _statement(texts[sequence]), similarity) for sequence, similarity in ranked if sequence in texts
        ]

    def _said_lately(self, newer: Message, vectors: Matrix) -> list[tuple[int, Statement, float]]:
        """What the same speaker said last in the same conversation, the most similar first."""
        words = self.state.words
        rows = before(words, of_speaker(words, np.flatnonzero(words.alive), newer), newer)
        here = words.numbers_of([newer.conversation_id])
        lately = np.isin(words.column("conversation")[rows], here) & (words.column("sequence")[rows] < newer.sequence)
        rows = _newest(rows[lately], words, LATELY)
        stored = nearest_messages(self.state, vectors, self.state.alignment.signals_of(rows), self.common)
        told = self._batch.similar(vectors, self._batch.lately(newer, LATELY), LATELY)
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
            told = self._batch.similar(vectors, numbers, CANDIDATES)
            # What has got its vector only now is known here, and has none in the memory.
            found = {one: cosine for one, cosine in stored.items() if one not in self._batch} | told
            near |= {one: near_by for one, cosine in found.items() if (near_by := beyond(cosine, self.common)) >= least}
        return near

    def _like(self, newer: Message, terms: Sequence[int]) -> tuple[Rows, Rows]:
        """Older messages of the same speaker that have all of some terms, without terms all of them.

        By row in the memory, and by number in the batch.
        """
        words = self.state.words
        told = self._batch.like(newer, terms)
        rows = of_speaker(words, words.rows_with_all(terms) if terms else np.flatnonzero(words.alive), newer)
        rows = before(words, rows, newer)
        if not terms:
            return rows, told
        told = told[-_MOST_ALIKE:]
        return _newest(rows, words, _MOST_ALIKE - len(told)), told

    def _may_outdo(self, message: Message) -> Rows:
        """The signals of newer messages of the same speaker, trusted as much, that have a vector."""
        words = self.state.words
        return with_vector(self.state, after(words, of_speaker(words, np.flatnonzero(words.alive), message), message))

    def _signals_after(self, message: Message) -> Rows:
        """The signals of newer messages of the same role, trusted as much, that have a vector."""
        words = self.state.words
        return with_vector(
            self.state,
            after(words, np.flatnonzero(words.alive & (words.column("role") == ROLES.index(message.role))), message),
        )

    def _reaches(self, day: int) -> bool:
        """Whether anything in the memory was plainly said after a day, be it gone by now."""
        if self._latest is None:
            self._latest = int(self.state.words.column("day").max(initial=0))
        return not may_be_before(self._latest, day)


def _newest(rows: Rows, words: WordIndex, most: int) -> Rows:
    """The newest of some messages, ascending."""
    if len(rows) <= most:
        return rows
    return np.sort(rows[np.argpartition(-words.column("sequence")[rows], most)[:most]])


def _statement(message: Message) -> Statement:
    whole = Statement.of(message)
    return replace(whole, text=whole.text[:_LONGEST])
