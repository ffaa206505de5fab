"""An inverted index in RAM: in which rows a term stands, and how often.

Most postings lie sorted by term in three arrays. What came since is kept apart, by term, and merged in when it has
grown; so adding costs what the new text costs, and looking up is two slices. Those of a memory that was just loaded are
sorted only when a few questions were asked: to look for some terms in all postings is quicker than to sort them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from streetai_core.arrays import RowNumbers
from streetai_core.index.among import among
from streetai_core.types import TermCounts, TermHashes

_LOOKED_FOR = 32
"""Terms that are looked for in unsorted postings, three or four questions: together they cost a fraction of sorting."""

Counts = npt.NDArray[np.float64]

_MERGE_SHARE = 8
"""The new postings are merged when they are an eighth of the sorted ones: each posting is then moved about eight times
while an index grows to any size."""

_MERGE_LEAST = 1 << 14
"""Fewer new postings than this are never merged: looking them up costs less than sorting."""

_LOW_BITS = np.uint32((1 << 16) - 1)
"""The bits of a term's hash by which most others are told from those that are looked for."""

_PLACE_BITS = 32
"""Of the place of a posting among all: there are fewer than four thousand million."""


class Postings:
    """Rows and counts by term. Rows are only added; whoever removes one masks it."""

    def __init__(self) -> None:
        self._terms = np.zeros(0, dtype=np.uint32)
        self._starts = np.zeros(1, dtype=np.int64)
        self._rows = np.zeros(0, dtype=np.uint32)
        self._counts = np.zeros(0, dtype=np.uint16)
        self._recent: dict[int, tuple[array[int], array[int]]] = {}
        self._recent_size = 0
        self._unsorted: tuple[TermHashes, npt.NDArray[np.uint32], TermCounts] | None = None
        """Term, row and count of each posting, by row, before they are sorted; then there are no sorted ones."""
        self._looked_for = 0

    def add(self, row: int, hashes: TermHashes, counts: TermCounts) -> None:
        """Add one row with its terms."""
        for term, count in zip(hashes.tolist(), counts.tolist(), strict=True):
            found = self._recent.get(term)
            if found is None:
                found = self._recent[term] = (array("L"), array("H"))
            found[0].append(row)
            found[1].append(count)
        self._recent_size += len(hashes)
        sorted_size = len(self._rows) if self._unsorted is None else len(self._unsorted[0])
        if self._recent_size > max(_MERGE_LEAST, sorted_size // _MERGE_SHARE):
            self._merge()

    def add_all(self, first: int, hashes: Sequence[TermHashes], counts: Sequence[TermCounts]) -> None:
        """Add many rows at once, numbered from `first` on, each with its terms."""
        sizes = [len(one) for one in hashes]
        if sum(sizes) <= _MERGE_LEAST:
            for row, (terms, times) in enumerate(zip(hashes, counts, strict=True), first):
                self.add(row, terms, times)
            return
        rows = np.repeat(np.arange(first, first + len(sizes), dtype=np.uint32), sizes)
        self._merge((np.concatenate(hashes), rows, np.concatenate(counts)))

    def fill(self, terms: TermHashes, rows: npt.NDArray[np.integer], counts: TermCounts) -> None:
        """Take over all postings of an index that has none yet: term, row and count of each, by row; shape (n,)."""
        self._unsorted = terms, rows.astype(np.uint32), counts

    def image(self) -> dict[str, npt.NDArray[np.generic]]:
        """All postings, sorted."""
        if self._recent:
            self._merge()
        self._sort()
        sizes = np.diff(self._starts)
        return {"terms": self._terms, "sizes": sizes, "rows": self._rows, "counts": self._counts}

    def restore(self, image: Mapping[str, npt.NDArray[np.generic]]) -> None:
        """Take over those of an image, in an index that has none yet."""
        self._terms = image["terms"].astype(np.uint32)
        self._starts = np.concatenate([[0], np.cumsum(image["sizes"], dtype=np.int64)])
        self._rows, self._counts = image["rows"].astype(np.uint32), image["counts"].astype(np.uint16)

    def _sort(self) -> None:
        """Sort what is unsorted."""
        if self._unsorted is None:
            return
        terms, rows, counts = self._unsorted
        # Sorted as one number, term before place, a quarter of the time of sorting places by terms.
        order = terms.astype(np.uint64) << np.uint64(_PLACE_BITS)
        order |= np.arange(len(terms), dtype=np.uint64)
        order.sort()
        places = (order & np.uint64((1 << _PLACE_BITS) - 1)).astype(np.intp)
        ordered = (order >> np.uint64(_PLACE_BITS)).astype(np.uint32)
        first = np.flatnonzero(np.diff(ordered, prepend=~ordered[:1]))
        self._terms = ordered[first]
        self._starts = np.append(first, len(ordered)).astype(np.int64)
        self._rows = rows[places]
        self._counts = counts[places]
        # Last of all: until then an interrupt leaves them unsorted.
        self._unsorted = None

    def find(self, term: int) -> tuple[RowNumbers, Counts]:
        """Rows that have a term, and how often it stands in each; two arrays of shape (n,)."""
        rows, counts = self._settled(term)
        recent = self._recent.get(term)
        if recent is None:
            return rows.astype(np.intp), counts.astype(np.float64)
        return (
            np.concatenate([rows, np.array(recent[0])]).astype(np.intp),
            np.concatenate([counts, np.array(recent[1])]).astype(np.float64),
        )

    def having(self, term: int, some: RowNumbers) -> npt.NDArray[np.bool_]:
        """Which of some rows have a term; shape of `some`."""
        rows, _ = self._settled(term)
        found = among(some.astype(rows.dtype), rows)
        recent = self._recent.get(term)
        if recent is not None:
            found |= among(some, np.array(recent[0], dtype=np.intp))
        return found

    def frequency(self, term: int) -> int:
        """How many rows have a term, those that are masked too."""
        rows, _ = self._settled(term)
        recent = self._recent.get(term)
        return len(rows) + (0 if recent is None else len(recent[0]))

    def find_any(self, terms: Sequence[int]) -> tuple[RowNumbers, Counts]:
        """Rows that have any of some terms, and how often; a row comes once for each of them that it has."""
        wanted = np.array(terms, dtype=np.uint32)
        rows, counts = self._settled_any(wanted)
        recent = [self._recent[term] for term in terms if term in self._recent]
        return (
            np.concatenate([rows, *(np.array(one[0]) for one in recent)]).astype(np.intp),
            np.concatenate([counts, *(np.array(one[1]) for one in recent)]).astype(np.float64),
        )

    def _settled(self, term: int) -> tuple[npt.NDArray[np.generic], npt.NDArray[np.generic]]:
        """Rows that have a term, and how often, without those that are new in `_recent`."""
        if self._unsorted is not None:
            terms, rows, counts = self._unsorted
            self._looked_for += 1
            if self._looked_for <= _LOOKED_FOR:
                places = np.flatnonzero(terms == np.uint32(term))
                return rows[places], counts[places]
            self._sort()
        at = int(self._terms.searchsorted(np.uint32(term)))
        if at == len(self._terms) or int(self._terms[at]) != term:
            return self._rows[:0], self._counts[:0]
        span = slice(int(self._starts[at]), int(self._starts[at + 1]))
        return self._rows[span], self._counts[span]

    def _settled_any(self, wanted: TermHashes) -> tuple[npt.NDArray[np.generic], npt.NDArray[np.generic]]:
        """What `_settled` gives for each of some terms, one after the other."""
        if self._unsorted is not None:
            terms, rows, counts = self._unsorted
            self._looked_for += 1
            if self._looked_for <= _LOOKED_FOR:
                # A pass over all postings for each term would take as long as sorting them.
                may_be = np.zeros(_LOW_BITS + 1, dtype=np.bool_)
                may_be[wanted & _LOW_BITS] = True
                places = np.flatnonzero(may_be[terms & _LOW_BITS])
                places = places[np.isin(terms[places], wanted)]
                return rows[places], counts[places]
            self._sort()
        at = self._terms.searchsorted(wanted)
        at = at[self._terms.take(at, mode="clip") == wanted] if len(self._terms) else at[:0]
        starts, sizes = self._starts[at], self._starts[at + 1] - self._starts[at]
        # The numbers from each start on, so many as each term has postings.
        places = np.arange(sizes.sum()) + np.repeat(starts - np.cumsum(sizes) + sizes, sizes)
        return self._rows[places], self._counts[places]

    def _merge(self, *more: tuple[TermHashes, npt.NDArray[np.uint32], TermCounts]) -> None:
        """Sort the new postings in among the others, and `more`: terms, rows and counts of equal length."""
        self._sort()
        terms = [np.repeat(self._terms, np.diff(self._starts))]
        rows, counts = [self._rows], [self._counts]
        for term, term_rows, term_counts in self._recent_postings():
            terms.append(np.full(len(term_rows), term, dtype=np.uint32))
            rows.append(term_rows)
            counts.append(term_counts)
        for more_terms, more_rows, more_counts in more:
            terms.append(more_terms)
            rows.append(more_rows)
            counts.append(more_counts)
        every = np.concatenate(terms)
        order = np.argsort(every, kind="stable")
        self._terms, first = np.unique(every[order], return_index=True)
        self._starts = np.append(first, len(every)).astype(np.int64)
        self._rows = np.concatenate(rows)[order]
        self._counts = np.concatenate(counts)[order]
        self._recent, self._recent_size = {}, 0

    def _recent_postings(self) -> Iterator[tuple[int, npt.NDArray[np.uint32], TermCounts]]:
        for term, (rows, counts) in self._recent.items():
            yield term, np.array(rows, dtype=np.uint32), np.array(counts, dtype=np.uint16)
