"""Which pieces of a long message say most of what is asked. The first of them stands for it.

What is nearest in meaning need not be what is named: of 400 invoices in one message each is as near to "How much is
INV-1007?" as the one that is meant. So the pieces of a message are compared by meaning and words together, as whole
messages are, but by how rare a word is in the message.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence

import numpy as np

from streetai_core.arrays import RowNumbers
from streetai_core.index.among import among
from streetai_core.recall.ranking import Ranking
from streetai_core.state import MemoryState
from streetai_core.text.naming import Found, Sought
from streetai_core.types import Message

WORDS = 0.03
"""What a word counts beside a cosine, for each unit of its rarity. A piece with more words is farther in meaning, and
so is its message then: with .05 BEAM loses half a point at 256 and 500 tokens, and of 192 questions about details of
long messages (`tests.benchmarks.long_messages`) five more are answered with 250 tokens and three more with 500."""

NAMES = 3.0
"""How many times as much a name counts."""

PAIRS = 2.0
"""How many times as much a pair of characters counts, which may be one of a name. Of 62 questions about details of long
messages in Chinese, Japanese and Korean 60 are answered with 500 tokens; 57 if it counts once, 59 if thrice."""

BESIDE = 0.1
"""What a piece counts more for standing beside the first: it goes on with it, or leads to it. Of the same questions 171
were answered with 500 tokens and 138 with 250 while pasted code counted in full, without it 170 and 134, with .2 167
and 136; where sections are alike, what each says further on is shown with it."""

_SATURATION, _LENGTH = 1.2, 0.5
"""What BM25 calls k1 and b: a word counts less in a longer piece."""

_MOST_MESSAGES = 12
"""Messages, the best first, that are looked into; a prompt of 1,500 tokens seldom shows more long ones."""


def long_messages(state: MemoryState, ranking: Ranking) -> dict[int, int]:
    """The long messages that are looked into, the best first: the row of the best signal of each, by sequence.

    However few signals are wanted: one that falls behind for its leader makes room for the next one, which must have
    its own by then.
    """
    if ranking.leading is None or not len(state.alignment.several):
        return {}
    rows = ranking.rows[ranking.passed]
    at = state.alignment.at[rows]
    several = among(at, state.alignment.several).nonzero()[0]
    best: dict[int, int] = {}
    for row, message in zip(rows[several].tolist(), at[several].tolist(), strict=True):
        best.setdefault(message, row)
        if len(best) == _MOST_MESSAGES:
            break
    sequences = state.columns.column("sequence")
    return {int(sequences[row]): row for row in best.values()}


def weighed(
    state: MemoryState, ranking: Ranking, best: Mapping[int, int], messages: Mapping[int, Message], question: str
) -> dict[int, RowNumbers]:
    """The pieces of long messages, by the messages' sequences: those that say most of what is asked come first.

    Args:
        state: the memory.
        ranking: the candidates.
        best: the row of the best signal of each long message, by sequence.
        messages: these messages, by sequence.
        question: what is asked.
    """
    if ranking.leading is None or not best:
        return {}
    sought = Sought(question)
    alignment, meaning = state.alignment, ranking.leading.meaning
    starts, ends = (state.columns.column(name) for name in ("start", "end"))
    ordered = {}
    for sequence, row in best.items():
        pieces = alignment.pieces_of(int(alignment.at[row]))
        found = sought.found(messages[sequence].content)
        said = word_scores(found, starts[pieces].tolist(), ends[pieces].tolist())
        total = [one + other for one, other in zip(meaning[pieces].tolist(), said, strict=True)]
        ordered[sequence] = pieces[_order(total, pieces.tolist().index(row))]
    return ordered


def _order(total: Sequence[float], best: int) -> list[int]:
    """The numbers of the pieces of a message: the one with most first, then the others, which count more beside it.

    Args:
        total: what each says of what is asked, in the order of the message.
        best: the number of the one that is the first on a tie.
    """
    most = max(total)
    first = best if total[best] == most else total.index(most)
    # Most messages have a few pieces, which are sorted in less time than NumPy takes to begin.
    worth = list(total)
    for beside in (first - 1, first + 1):
        if 0 <= beside < len(worth):
            worth[beside] += BESIDE
    worth[first] = math.inf
    return sorted(range(len(worth)), key=worth.__getitem__, reverse=True)


def new_leaders(state: MemoryState, ranking: Ranking, pieces: Mapping[int, RowNumbers]) -> RowNumbers:
    """The signals that are to have the words of their messages and do not have them yet.

    Args:
        state: the memory.
        ranking: the candidates.
        pieces: of each message, those that say most of what is asked first.
    """
    first = np.array([ordered[0] for ordered in pieces.values()], dtype=np.intp)
    return first if ranking.leading is None else first[ranking.leading.leaders[state.alignment.at[first]] != first]


def word_scores(found: Sequence[Found], starts: Sequence[int], ends: Sequence[int]) -> list[float]:
    """What the words of a question count for each part of a text: BM25 of presence, by rarity among the parts.

    Args:
        found: where the text has them.
        starts: where the parts begin, ascending.
        ends: where they end.
    """
    scores = [0.0] * len(starts)
    usual = sum(ends) - sum(starts)
    for word in found:
        having = {part for place in word.places if place < ends[part := bisect_right(starts, place) - 1] and part >= 0}
        rarity = math.log((len(starts) - len(having) + 0.5) / (len(having) + 0.5) + 1)
        counts = WORDS * rarity * _times(word) * (_SATURATION + 1)
        for part in having:
            length = (ends[part] - starts[part]) * len(starts) / usual
            scores[part] += counts / (_SATURATION * (1 - _LENGTH + _LENGTH * length) + 1)
    return scores


def _times(word: Found) -> float:
    """How many times as much a word counts as an ordinary one."""
    if word.is_name:
        return NAMES
    return PAIRS if word.is_pair else 1.0
