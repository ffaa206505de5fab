"""The credit of the signals that were sent: what a reply shares with their messages, looked up in the word index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

import numpy as np

from streetai_core.arrays import Flags, Floats, RowNumbers
from streetai_core.dynamics.credit import credit, rarity, share_of_best, standing
from streetai_core.dynamics.learning import contributions
from streetai_core.index.words import WordIndex
from streetai_core.planning.learning import Cue
from streetai_core.state import MemoryState
from streetai_core.text.dates import mentioned_dates
from streetai_core.text.words import hashed, terms
from streetai_core.types import Matrix

_LONGEST = 20_000
"""Characters of a reply or a question that are looked at; what is longer is mostly listing, code or a pasted text."""

Mark: TypeAlias = int | tuple[int, int]
"""What two texts can share: the hash of a word, or the first and last day of a time that they speak of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply to learn from."""

    text: str
    at: datetime
    """When it came: what "yesterday" is counted from."""
    question: str | None = None
    """What it answers; `None` if that is not known."""
    vector: Matrix | None = None
    """Its embedding, shape (1, dim), for the published credit; `None`: credit goes by words, as it is
    wanted, or because the encoder failed."""
    cue: Cue | None = None
    """The question as a cue; `None` if it is not known, or could not be embedded."""


def credit_of(
    state: MemoryState, keys: Sequence[int], reply: Reply, scores: Mapping[int, float], said: WordIndex | None = None
) -> Floats:
    """The credit of each signal, shape (n,).

    Args:
        state: the memory, with all of these signals.
        keys: the signals.
        reply: what came back.
        scores: retrieval scores by signal key.
        said: the messages of the same turn, if they are not in `state` yet.
    """
    rows = state.columns.rows(keys)
    if reply.vector is not None:
        return contributions(state.columns.vectors_of(rows), reply.vector)
    at = state.words.rows_of(state.columns.column("sequence")[rows])
    vocabulary = _Vocabulary([state.words] if said is None else [state.words, said], reply.text[:_LONGEST])
    question = {} if reply.question is None else _marks(reply.question, reply.at)
    new = [mark for mark in _marks(reply.text, reply.at) if mark not in question]
    return credit(
        share_of_best(vocabulary.overlap(at, new)),
        np.full(len(keys), np.nan) if reply.question is None else share_of_best(vocabulary.overlap(at, question)),
        standing(np.array([scores.get(key, np.nan) for key in keys])),
    )


class _Vocabulary:
    """In how many messages a word or a time stands, over one or two indexes whose messages count together.

    A message that is the reply itself does not count: whether it is stored before or after learning makes no
    difference to how rare its words are.
    """

    def __init__(self, indexes: Sequence[WordIndex], reply: str) -> None:
        self._indexes = indexes
        self._found: dict[Mark, list[RowNumbers]] = {}
        """For each mark that was looked for the rows that have it, in each index."""
        copies = self._copies(terms(reply))
        self._counted = [index.alive & ~flags for index, flags in zip(indexes, copies, strict=True)]
        self._number = sum(int(flags.sum()) for flags in self._counted)

    def overlap(self, at: RowNumbers, marks: Iterable[Mark]) -> Floats:
        """The summed rarity of the marks that the messages in these rows of the first index have."""
        total = np.zeros(len(at))
        # One more than there are rows: -1, which stands for no row, never has anything.
        has = np.zeros(self._indexes[0].size + 1, dtype=np.bool_)
        for mark in marks:
            found = self._rows(mark)
            has[found[0]] = True
            shared = has[at]
            has[found[0]] = False
            if shared.any():
                having = sum(int(flags[rows].sum()) for flags, rows in zip(self._counted, found, strict=True))
                total[shared] += rarity(self._number, having)
        return total

    def _copies(self, stems: Sequence[str]) -> list[Flags]:
        """Which rows of each index are of messages that have exactly these words, shape (n,)."""
        distinct = {hashed(stem) for stem in stems}
        having = [np.zeros(index.size, dtype=np.int64) for index in self._indexes]
        for term in distinct:
            for numbers, rows in zip(having, self._rows(term), strict=True):
                numbers[rows] += 1
        return [
            (numbers == max(1, len(distinct))) & (index.column("length") == len(stems))
            for numbers, index in zip(having, self._indexes, strict=True)
        ]

    def _rows(self, mark: Mark) -> list[RowNumbers]:
        """The rows of the messages that have a mark, in each index."""
        found = self._found.get(mark)
        if found is None:
            found = self._found[mark] = [
                np.flatnonzero(index.speaks_of(*mark)) if isinstance(mark, tuple) else index.rows_with(mark)
                for index in self._indexes
            ]
        return found


def _marks(text: str, at: datetime) -> dict[Mark, None]:
    """The words of a text and the times it speaks of, each once, in order."""
    text = text[:_LONGEST]
    words: list[Mark] = [hashed(term) for term in terms(text)]
    times: list[Mark] = [
        (mention.span.start.toordinal(), mention.span.end.toordinal()) for mention in mentioned_dates(text, at)
    ]
    return dict.fromkeys([*words, *times])
