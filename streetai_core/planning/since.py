"""What was said after a message, and so may replace it or bring news of it.

When a message is written nothing was, mostly. But it may be of an old history that is stored in a memory in use, it may
be edited, and it may get its vector when others have had theirs for long.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from streetai_core.arrays import RowNumbers
from streetai_core.index.cone import beyond
from streetai_core.index.order import may_be_before
from streetai_core.knowledge.changes import link
from streetai_core.knowledge.referring import LATELY, corrected, refers_back
from streetai_core.planning.nearness import CANDIDATES, PARTS, nearest_messages, with_vector
from streetai_core.planning.news import Anew, late_news, outdated
from streetai_core.planning.replacing import Replacing, Wanted, statement_of, wanted_by
from streetai_core.planning.speakers import after, of_speaker
from streetai_core.planning.words import day_of
from streetai_core.text.marks import news_about
from streetai_core.types import ROLES, Matrix, Message


@dataclass(slots=True)
class Since:
    """Finds what was said after the messages of one operation, in the memory and among themselves."""

    replacing: Replacing
    """Which all of them were given to."""
    _latest: int | None = None
    """The last day on which anything in the memory was said; `None`: nobody has asked."""

    def plainly_after(self, message: Message, vectors: Matrix) -> list[tuple[Message, float]]:
        """The messages that came before one and were plainly said after it, with how near they are, the nearest first.

        Only an old history that is stored late has any. At most as many as are compared.

        Args:
            message: given to `Replacing.of` before.
            vectors: of its chunks, shape (n, dim).
        """
        batch = self.replacing.batch
        if message.sequence not in batch:
            return []
        together, is_late = batch.after(message), self._reaches(day_of(message))
        if not (is_late or len(together)) or not statement_of(message).has_facts:
            return []
        near = batch.similar(vectors[:PARTS], together, CANDIDATES)
        if is_late:
            rows = self._rows_after(message)
            # What has got its vector only now may have been stored before some of them.
            came_before = self.replacing.state.words.column("sequence")[rows] < message.sequence
            near |= self._nearest(vectors, rows[came_before])
        return self._ranked(near)

    def after(self, message: Message, vectors: Matrix) -> list[tuple[Message, float]]:
        """The messages that were said after one that is edited, with how near they are, the nearest first.

        As many as are compared, and of what its speaker said next in the conversation what corrects without naming.

        Args:
            message: with its new text, given to `Replacing.of` before.
            vectors: of its chunks, shape (n, dim).
        """
        if message.sequence not in self.replacing.batch or not statement_of(message).has_facts:
            return []
        rows = self._rows_after(message)
        near = self._ranked(self._nearest(vectors, rows))
        known = {newer.sequence for newer, _ in near}
        soon = self._ranked(self._nearest(vectors, self._soon_after(message, rows)))
        # What else was said soon is no nearer to it than what was said at any other time.
        return near + [pair for pair in soon if pair[0].sequence not in known and refers_back(statement_of(pair[0]))]

    def is_replaced(
        self, older: Message, newer: Message, wanted: Wanted, terms: Collection[int], similarity: float
    ) -> bool:
        """Whether a newer message replaces an older one, among all that it can replace.

        Args:
            older: given to `Replacing.of` before.
            newer: in the memory, or given to `Replacing.of` before.
            wanted: by it.
            terms: of the older one, by their hashes.
            similarity: how near the two are.
        """
        statement, pair = statement_of(newer), [(statement_of(older), similarity)]
        # What does not replace it alone does not replace it among others, which take ten times as long to compare.
        alone = _wants(wanted, terms, similarity) and link(statement, pair)
        # A correction is of what came before it.
        if not alone and not (wanted and older.sequence < newer.sequence and corrected(statement, pair)):
            return False
        return older.sequence in self.replacing.replaced_by(newer, self._vectors_of(newer), wanted)

    def late_news(self, newer: Message, anew: Anew, older: Message, terms: Collection[int]) -> frozenset[int]:
        """The marks of a newer message, which says `anew`, for one that comes only now and has these terms."""
        return late_news(newer, anew, older, terms, state=self.replacing.state, batch=self.replacing.batch)

    def no_longer(self, message: Message, vectors: Matrix) -> list[tuple[Message, tuple[int, ...]]]:
        """The messages that replaced what an edited one said before and not what it says now.

        Args:
            message: with its new text.
            vectors: of its chunks, shape (n, dim).

        Returns:
            Each with the sequences of those that it replaces still.
        """
        links = self.replacing.state.words.replaced_by(message.sequence)
        found = []
        for newer in self.replacing.read(list(links)).values():
            own = self._vectors_of(newer)
            nearness = float((own @ vectors.T).max()) if len(own) and len(vectors) else 0.0
            pair = [(statement_of(message), beyond(nearness, self.replacing.common))]
            if not (link(statement_of(newer), pair) or corrected(statement_of(newer), pair)):
                others = tuple(one for one in links[newer.sequence] if one != message.sequence)
                found.append((newer, others))
        return found

    def outdated_by(self, message: Message, terms: Collection[int]) -> list[tuple[Message, frozenset[int]]]:
        """The messages that brought news of what an edited one said before and not of what it says now.

        Args:
            message: with its new text.
            terms: of this, by their hashes.

        Returns:
            Each with the marks for it that it has no more.
        """
        words = self.replacing.state.words
        newer = words.column("sequence")[words.rows_with(news_about(message.sequence))].tolist()
        found = [(one, outdated(one, message, terms)) for one in self.replacing.read(newer).values()]
        return [(one, marks) for one, marks in found if marks]

    def of_embedded(self, late: Sequence[tuple[Message, Matrix]]) -> list[tuple[Message, tuple[int, ...]]]:
        """The newer messages that replace some which had no vectors when they were written.

        Args:
            late: these, all of which were given to `Replacing.of`, with the vectors of their chunks, shape (n, dim).

        Returns:
            Each with the sequences of all that it replaces.
        """
        near: dict[int, float] = {}
        for message, vectors in late:
            nearest = self._nearest(vectors, self._of_speaker_after(message))
            for sequence in list(nearest)[:CANDIDATES]:
                if sequence not in self.replacing.batch:
                    near[sequence] = max(nearest[sequence], near.get(sequence, -1.0))
        # To find what one of them replaces takes as long as to write it, and nobody else writes meanwhile.
        stating = [(one, wanted) for one in self.replacing.read(sorted(near)).values() if (wanted := wanted_by(one))]
        stating = sorted(stating, key=lambda pair: -near[pair[0].sequence])[:CANDIDATES]
        found, written = [], {message.sequence for message, _ in late}
        for newer, wanted in stating:
            replaces = self.replacing.replaced_by(newer, self._vectors_of(newer), wanted)
            if not written.isdisjoint(replaces):
                found.append((newer, replaces))
        return found

    def _nearest(self, vectors: Matrix, rows: RowNumbers) -> dict[int, float]:
        """The cosine of the nearest signal of messages in some rows, by sequence."""
        state = self.replacing.state
        return nearest_messages(state, vectors[:PARTS], with_vector(state, rows), self.replacing.common)

    def _ranked(self, near: Mapping[int, float]) -> list[tuple[Message, float]]:
        """Messages with how near they are beyond what all vectors have in common: the nearest, and of them the newest.

        As many as are compared.
        """
        batch, common = self.replacing.batch, self.replacing.common
        beyond_common = {sequence: beyond(cosine, common) for sequence, cosine in near.items()}
        ranked = sorted(beyond_common.items(), key=lambda one: (-one[1], -one[0]))[:CANDIDATES]
        stored = self.replacing.read([sequence for sequence, _ in ranked if sequence not in batch])
        return [
            (batch[sequence] if sequence in batch else stored[sequence], similarity) for sequence, similarity in ranked
        ]

    def _vectors_of(self, message: Message) -> Matrix:
        """The vectors of the chunks of a message of the batch or of the memory, shape (n, dim)."""
        if message.sequence in self.replacing.batch:
            return self.replacing.batch.vectors_of(message.sequence)
        state = self.replacing.state
        return state.columns.vectors_of(state.rows_of_message(message.sequence))

    def _rows_after(self, message: Message) -> RowNumbers:
        """The rows of newer messages of the same role, trusted as much."""
        words = self.replacing.state.words
        return after(words, np.flatnonzero(words.alive & (words.column("role") == ROLES.index(message.role))), message)

    def _of_speaker_after(self, message: Message) -> RowNumbers:
        """The rows of newer messages of the same speaker, trusted as much."""
        words = self.replacing.state.words
        return after(words, of_speaker(words, np.flatnonzero(words.alive), message), message)

    def _soon_after(self, message: Message, rows: RowNumbers) -> RowNumbers:
        """Those of some rows that the speaker of a message said next in the same conversation."""
        words = self.replacing.state.words
        rows = of_speaker(words, rows, message)
        sequences = words.column("sequence")[rows]
        here = words.numbers_of([message.conversation_id])
        next_ones = np.isin(words.column("conversation")[rows], here) & (sequences > message.sequence)
        found: RowNumbers = np.sort(rows[next_ones][np.argsort(sequences[next_ones])[:LATELY]])
        return found

    def _reaches(self, day: int) -> bool:
        """Whether anything in the memory was plainly said after a day, be it gone by now."""
        if self._latest is None:
            self._latest = int(self.replacing.state.words.column("day").max(initial=0))
        return not may_be_before(self._latest, day)


def _wants(wanted: Wanted, terms: Collection[int], similarity: float) -> bool:
    """Whether a message with these terms is like one that is wanted."""
    return any(
        similarity >= least and any(all(term in terms for term in some) for some in alternatives)
        for least, alternatives in wanted.items()
    )
