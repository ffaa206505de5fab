"""What messages lend to their signals: words, context and changes are found by message, meaning by signal."""

from __future__ import annotations

import numpy as np

from streetai_core.arrays import Flags, Floats, RowNumbers
from streetai_core.config import Config
from streetai_core.dynamics.activation import ACTIVATION_SPREAD
from streetai_core.recall.correcting import CORRECTION, lifts
from streetai_core.recall.evidence import Evidence, gather
from streetai_core.recall.question import Question
from streetai_core.recall.scope import Scope
from streetai_core.recall.standing import Standing
from streetai_core.state import MemoryState

LENT = (
    "words", "neighbours", "vague", "author", "time", "length", "asking", "answers", "wishes", "whole", "stretch",
    "change",
)  # fmt: skip
"""The parts of a score that a signal has from its message."""

_BEHIND = 4.0
"""What puts a signal behind every other one of its message: more than two cosines can differ by."""

_OF_WORDS = ("words", "neighbours", "vague")
"""The parts that only one signal of a message has."""


class Lending:
    """What messages lend to their signals: all of it to the nearest signal, all but the words to the others.

    So a long message is found by its words once, and its other signals by what they mean.
    """

    def __init__(
        self,
        state: MemoryState,
        scope: Scope,
        question: Question,
        config: Config,
        *,
        similarity: Floats,
        meaning: Floats,
        lessons: Floats | None,
    ) -> None:
        """`similarity` says which signal of a message is the nearest, `meaning` and `lessons` what each scores."""
        self._alignment = state.alignment
        self._evidence: Evidence | None = None
        near = self._alignment.nearness(similarity)
        if state.words.size:
            self._evidence = gather(state.words, question, near, config.trusted_from)
        searched = scope.searched
        self.leaders = near.leaders
        """Which signal has the words of each message, -1 for none, shape (messages,)."""
        if scope.allowed is not None:
            # Of a message whose prose is not wanted, the code has the words.
            preferred = np.where(scope.allowed, similarity, similarity - _BEHIND)
            if searched is not None:
                preferred[~searched] = -np.inf
            self.leaders = self._alignment.leaders(preferred)
        self.total = self._total(meaning)
        """What each signal scores without activation, shape (n,)."""
        if lessons is not None:
            self.total = self.total + lessons
        margin = CORRECTION + config.activation_share * ACTIVATION_SPREAD
        self._lifts = lifts(state, question, Standing(self.total, similarity, self.leaders, searched, margin))
        """What a signal has for standing above what it replaces, shape (n,); `None`: none of them has anything."""
        if self._lifts is not None:
            some = self._lifts.nonzero()[0]
            self.total[some] += self._lifts[some]

    def lead(self, rows: RowNumbers) -> None:
        """Lend the words of their messages to these signals, one of a message, in place of the nearest ones.

        A message that is lifted above something older keeps its place, and its leader.
        """
        if self._evidence is None:
            return
        at = self._alignment.at[rows]
        if self._lifts is not None:
            stays = self._lifts[self.leaders[at]] != 0.0
            rows, at = rows[~stays], at[~stays]
        words = self._evidence.words_count(at)
        self.total[self.leaders[at]] -= words
        self.total[rows] += words
        self.leaders = self.leaders.copy()
        self.leaders[at] = rows

    def relevance(self, rows: RowNumbers, meaning: Floats) -> Floats:
        """How relevant these signals are, by what they mean and by words; what the gate looks at."""
        # A correction is as relevant as what it corrects, even if it does not name the matter again.
        relevance = meaning if self._lifts is None else meaning + self._lifts[rows]
        if self._evidence is not None:
            at = self._alignment.at[rows]
            leads = (at >= 0) & (self.leaders[at] == rows)
            relevance = relevance + np.where(leads, self._evidence.words[at], 0.0)
        return relevance

    def of_time(self, rows: RowNumbers) -> Flags:
        """Which of these signals are of a time that the question names."""
        of_time = np.zeros(len(rows), dtype=np.bool_)
        if self._evidence is not None and self._evidence.of_time is not None:
            at = self._alignment.at[rows]
            of_time |= self._evidence.of_time[at] & (at >= 0)
        return of_time

    def wished_for(self, rows: RowNumbers) -> Flags:
        """Which of these signals state what the user wants once for all, where the question is a request."""
        wished = np.zeros(len(rows), dtype=np.bool_)
        if self._evidence is not None and self._evidence.is_request and "wishes" in self._evidence.context:
            at = self._alignment.at[rows]
            wished |= (self._evidence.context["wishes"][at] > 0.0) & (at >= 0)
        return wished

    def parts(self, rows: RowNumbers) -> dict[str, Floats]:
        """What these signals have from their messages, by name."""
        lent = {name: np.zeros(len(rows)) for name in LENT}
        if self._evidence is not None:
            at = self._alignment.at[rows]
            known = at >= 0
            for name, part in self._evidence.parts(at[known]).items():
                lent[name][known] = part
            follows = self.leaders[at] != rows
            for name in _OF_WORDS:
                lent[name][follows] = 0.0
        if self._lifts is not None:
            lent["change"] = self._lifts[rows]
        return lent

    def _total(self, meaning: Floats) -> Floats:
        if self._evidence is None:
            return meaning
        alignment = self._alignment
        total: Floats = meaning + alignment.lent(self._evidence.total())
        if len(alignment.order):
            # Nothing of the words of a message that has several signals, but to the nearest.
            nearest = self.leaders[alignment.several]
            whole = total[nearest]
            total[alignment.order] -= np.repeat(self._evidence.words_count(alignment.several), alignment.sizes)
            total[nearest] = whole
        return total
