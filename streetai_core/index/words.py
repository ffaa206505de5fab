"""What a question asks of the messages of one memory by their words; it only looks at those that have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from streetai_core.arrays import Flags, RowNumbers
from streetai_core.index.bm25 import Collection, Term, Told, WordScores, word_scores
from streetai_core.index.replacements import connected
from streetai_core.index.threads import BEFORE, BEHIND
from streetai_core.index.words_table import WordsTable


class WordIndex(WordsTable):
    """Finds messages by words, days, and what replaces what."""

    def replacements(self) -> RowNumbers:
        """Row of the newer message and row of the one that it replaces, where both are there; the oldest newer first.

        Shape (k, 2). Not to be changed.
        """
        return self._replacements.links(self._rows, self.column("sequence"), self.column("day"))

    def revisions(self, sequence: int) -> list[int]:
        """Sequences of the messages that a message replaced, itself, and those that replaced it, as they came."""
        return connected(sequence, list(map(tuple, self.column("sequence")[self.replacements()].tolist())))

    def replaced(self) -> set[int]:
        """Sequences of the messages whose statement a later one has replaced."""
        return self._replacements.replaced(self._rows, self.column("sequence"), self.column("day"))

    def said(self, fingerprints: Iterable[int]) -> set[int]:
        """Sequences of the messages with texts of these fingerprints."""
        wanted = list(fingerprints)
        if not wanted or not self.size:
            return set()
        # The row of what a message said before it was edited is there still.
        return set(self.column("sequence")[np.isin(self.column("fingerprint"), wanted) & self.alive].tolist())

    def replaced_by(self, sequence: int) -> dict[int, tuple[int, ...]]:
        """The messages that replace a message, by sequence, and all that each of them replaces, there or not."""
        rows, older = self._replacements.every
        return {
            int(self.column("sequence")[row]): tuple(older[rows == row].tolist())
            for row in np.unique(rows[older == sequence]).tolist()
        }

    def speaks_of(self, first: int, last: int) -> Flags:
        """Which rows speak of a time that touches the days from `first` to `last`, or were said then; shape (n,)."""
        day = self.column("day")
        found = (day >= first) & (day <= last)
        rows, starts, ends = (np.array(values, dtype=np.int64) for values in self._spans)
        found[rows[(starts <= last) & (ends >= first)]] = True
        return found & self.alive

    def rows_with(self, term: int) -> RowNumbers:
        """The rows that have a term, by its hash."""
        rows, _ = self._postings.find(term)
        return rows[self.alive[rows]]

    def having(self, term: int, rows: RowNumbers) -> Flags:
        """Which of some rows have a term, by its hash; shape of `rows`."""
        return self._postings.having(term, rows)

    def frequency(self, term: int) -> int:
        """How many messages have a term, by its hash."""
        return self._postings.frequency(term) if len(self) == self.size else len(self.rows_with(term))

    def rows_with_all(self, terms: Sequence[int]) -> RowNumbers:
        """The rows that have all of some terms, by their hashes; at least one. Ascending."""
        # From the rarest on: what is common is only asked for the few rows that are left.
        rarest, *others = sorted((self._postings.find(term)[0] for term in terms), key=len)
        for rows in others:
            place = rows.searchsorted(rarest)
            rarest = rarest[rows.take(place, mode="clip") == rarest] if len(rows) else rows
        whole: RowNumbers = rarest[self.alive[rarest]]
        return whole

    def scores(
        self,
        terms: Iterable[int],
        length: int = 0,
        framing: Iterable[int] = (),
        matters: Iterable[Sequence[int]] = (),
        pieces: frozenset[int] = frozenset(),
    ) -> WordScores:
        """BM25 of every row for a question.

        Args:
            terms: hashes of the question's terms.
            length: how many terms it has, repetitions and framing counted.
            framing: hashes of those of its terms that only say how to answer, which are not among `terms`.
            matters: what it asks for, each by the hashes of the terms that tell of it.
            pieces: hashes of those of its terms that are only pieces of words. One that no message has is left out:
                where the endings of a word differ, that tells nothing of the others, or of what is known.
        """
        number = len(self)
        collection = Collection(
            rows=self.size,
            number=number,
            lengths=self.column("length"),
            around=self.column("around"),
            mean_length=self._lengths / number if number else 0.0,
            mean_around=self._threads.around / number if number else 0.0,
            before=[self.column(name) for name in BEFORE],
            behind=[self.column(name) for name in BEHIND],
        )
        found = {term: self._living(term) for term in terms}
        known = {term: rows for term, rows in found.items() if len(rows[0]) or term not in pieces}
        about = [self._living(term) for term in dict.fromkeys(framing)]
        told = [self._told(matter, found) for matter in matters]
        return word_scores(collection, list(known.values()), length if len(known) == len(found) else 0, about, told)

    def _told(self, matter: Sequence[int], found: Mapping[int, Term]) -> Told:
        """The rows that tell of a matter by none of the terms that were found already."""
        rows, counts = self._postings.find_any([term for term in matter if term not in found])
        mentions = np.asarray(np.bincount(rows, weights=counts, minlength=self.size), dtype=np.float64)
        in_own_words = [found[term][0] for term in matter if term in found]
        telling = mentions > 0.0
        telling &= self.alive
        for own in in_own_words:
            telling[own] = True
        speaking = int(np.count_nonzero(telling))
        for own in in_own_words:
            telling[own] = False
        others: RowNumbers = np.flatnonzero(telling)
        return Told((others, mentions[others]), speaking)

    def _living(self, term: int) -> Term:
        """Rows of messages that are there and have a term, and how often."""
        rows, counts = self._postings.find(term)
        if len(self) == self.size:
            return rows, counts
        here = self.alive[rows]
        return rows[here], counts[here]
