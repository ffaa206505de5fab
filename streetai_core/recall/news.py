"""What short messages get for standing above older ones that they may bring up to date.

Far more changes are told in passing ("Too obvious, the spare key hangs in the shed from here on"), or without a word of
change ("The garden is 385 square metres"), than any rule can link when they are written. A question brings such
messages together: a short one is lifted above older short ones, if it takes no more than its tie to them is worth.
What ties them is what they share (`planning/news.py`), or that both tell something alike (`recall/same_matter.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from streetai_core.arrays import Flags, Floats, RowNumbers
from streetai_core.index.among import among
from streetai_core.index.cone import beyond
from streetai_core.index.order import oldest_first, said_before
from streetai_core.index.words import WordIndex
from streetai_core.recall.naming import named, numbers
from streetai_core.recall.question import Question
from streetai_core.recall.same_matter import (
    Pairs,
    changed_of,
    gone_on_with,
    of_same,
    told_of,
    who_change,
    who_tell,
)
from streetai_core.recall.siblings import each_of_another
from streetai_core.recall.standing import Standing
from streetai_core.recall.topmost import topmost
from streetai_core.state import MemoryState
from streetai_core.text.marks import (
    CORRECTED,
    beside_about,
    news_about,
    over_about,
)

NEWS = 0.7
"""Most by which a message is lifted that tells how something is, above one like it."""

SPOKEN_OF = 1.5
"""Most by which a message is lifted that names what the older one told, and says that it is over or has become so."""

BESIDE = 1.0
"""Most by which a message is lifted that names the older one's value beside another value of its kind."""

GOING_ON = 1.0
"""Most by which a message is lifted that goes on with what is asked for, and names nothing of it."""

CHANGING = 1.0
"""Most by which a message is lifted of which it is said that something has changed, if both tell values of one kind."""

_COMPARED = 15
"""The best signals, among which such messages are looked for, beside those that say of a value of the best that it is
over: what is further down is seldom what is asked for."""

_MOST = 128
"""Of each of the two the most that are compared. As many as were said may score alike, or be said over and over, and
each is compared with each: with the 8,000 messages of a bot that always says the same a question took 17 seconds."""

_ANSWERS = 5
"""The best of them, which alone are brought up to date: only they may be what is asked for."""

_LIKE_NAMED, _NEAR_NAMED = 0.3, 0.1
"""The least cosine with what it brings up to date, and its nearness to the question as a share of the older one's, of
what names what that told and says that it is over: it may be less like it than what only tells something alike
(`recall/same_matter.py`), and further from what is asked for ("Kessler went bust. The exhibition will be in the old
post office")."""

_LIKE_BESIDE, _NEAR_BESIDE = 0.35, 0.25
"""The least cosine and nearness of a message that names the value beside another one. If it says that the value itself
is over, the two may be like nothing ("no more 200, it's 230")."""

_SHORT = 280
"""Characters of a message that may be brought up to date; one of 45 words has so many at most, mostly."""


@dataclass(frozen=True, slots=True)
class _Compared:
    """The messages that are compared, the oldest first."""

    best: RowNumbers
    """The signal of each that is nearest to the question, shape (k,)."""
    at: RowNumbers
    """Their rows in the word index, shape (k,)."""
    answers: Flags
    """Which of them may be brought up to date, shape (k,)."""
    tied: Flags
    """`[i, j]`: whether i shares with j what may bring j up to date, shape (k, k)."""


def news(state: MemoryState, question: Question, standing: Standing) -> Floats | None:
    """What lifts short messages above older ones that they may bring up to date, shape (n,); `None`: nothing does.

    Where a question asks for what was, only what was told wrongly is brought up to date.
    """
    compared = _compared(state, standing)
    most = _most(state, question, compared, standing)
    if most is None:
        return None
    best = compared.best
    scores, lifted = standing.total[best], np.zeros(len(standing.total))
    for place in np.flatnonzero(most.any(axis=1)).tolist():
        needed = scores[:place] - scores[place] + standing.margin
        # What it cannot outdo it is not lifted towards: that would only put it above others.
        lift = float(needed[needed <= most[place, :place]].max(initial=0.0))
        lifted[best[place]] = lift
        scores[place] += lift
    return lifted if lifted.any() else None


def _compared(state: MemoryState, standing: Standing) -> _Compared:
    """The best messages, and those that say of what the best of these tell that it is over, wherever they stand."""
    best = topmost(standing.total, _COMPARED, allowed=standing.searched)
    at = state.alignment.at[best]
    worded = at >= 0
    best, at = best[worded], at[worded]
    stands = standing.leaders[at] == best
    best, at = best[stands], at[stands]
    sequences = state.words.column("sequence")
    few = _foremost(standing.total[best], sequences[at])
    best, at = best[few], at[few]
    scores = standing.total[best]
    answers = scores >= np.sort(scores)[-_ANSWERS:].min(initial=np.inf)
    asked = sequences[at[answers]].tolist()
    ties = [state.words.rows_with(news_about(one)) for one in asked]
    # What only names the same is seldom news if it is far from what is asked.
    over = [state.words.rows_with(over_about(one)) for one, rows in zip(asked, ties, strict=True) if len(rows)]
    if any(map(len, over)):
        more = np.setdiff1d(np.concatenate(over), at)
        signals = standing.leaders[more]
        found = signals >= 0
        if standing.searched is not None:
            found &= standing.searched[signals]
        signals, more = signals[found], more[found]
        few = _foremost(standing.total[signals], sequences[more])
        best, at = np.concatenate([best, signals[few]]), np.concatenate([at, more[few]])
        answers = np.concatenate([answers, np.zeros(len(at) - len(answers), dtype=np.bool_)])
    tied = np.zeros((len(at), len(at)), dtype=np.bool_)
    for answer, rows in zip(np.flatnonzero(answers).tolist(), ties, strict=True):
        tied[:, answer] = among(at, rows)
    order = oldest_first(sequences[at], state.words.column("day")[at])
    return _Compared(best[order], at[order], answers[order], tied[order][:, order])


def _foremost(scores: Floats, sequences: RowNumbers) -> RowNumbers:
    """The places of the best of some messages, ascending; of those that score alike the newest."""
    if len(scores) <= _MOST:
        return np.arange(len(scores))
    return np.sort(np.lexsort((sequences, scores))[-_MOST:])


def _most(state: MemoryState, question: Question, compared: _Compared, standing: Standing) -> Floats | None:
    """`[i, j]`: the most by which message i may be lifted above message j, shape (k, k); `None`: none by anything."""
    words, at = state.words, compared.at
    tied, over = compared.tied, _tied(words, compared, over_about)
    there = named(words, question.words)
    nobody = np.zeros(len(at), dtype=np.bool_)
    telling = who_tell(words, at, there.values()) if question.time.present else nobody
    if question.time.of_then:
        over &= words.having(CORRECTED, at)[:, None]
        tied, beside = over, np.zeros_like(over)
    else:
        beside = _tied(words, compared, beside_about)
    changing = who_change(words, at) if question.time.present and not there else nobody
    if not telling.any() and not tied.any() and not changing.any():
        return None
    vectors = state.columns.vectors_of(compared.best)
    cosine = beyond((vectors @ vectors.T).astype(np.float64), question.common)
    pairs = Pairs(words, at, standing.nearness[compared.best], cosine)
    speaks = over | (tied & ~beside & pairs.alike(_LIKE_NAMED, _NEAR_NAMED))
    names = beside & pairs.alike(_LIKE_BESIDE, _NEAR_BESIDE)
    # What names what is over need not name whom it is over for.
    same = of_same(words, at, numbers(question))
    most: Floats = np.maximum(speaks * same * SPOKEN_OF, names * same * BESIDE)
    if changing.any():
        most = np.maximum(most, changing[:, None] * changed_of(pairs, question) * CHANGING)
    if telling.any():
        told = np.maximum(told_of(pairs, question, there) * NEWS, gone_on_with(pairs, standing) * GOING_ON)
        most = np.maximum(most, telling[:, None] * told)
    most[~(_may_outdo(words, at) & compared.answers & ~each_of_another(words, question, at))] = 0.0
    return most


def _tied(words: WordIndex, compared: _Compared, mark: Callable[[int], int]) -> Flags:
    """`[i, j]`: whether i is tied to j, and has the mark that says so; shape (k, k).

    Args:
        words: the word index.
        compared: the messages.
        mark: the mark for a message, by its sequence.
    """
    tied = compared.tied.copy()
    sequences = words.column("sequence")[compared.at]
    for answer in np.flatnonzero(tied.any(axis=0)).tolist():
        tied[:, answer] &= words.having(mark(int(sequences[answer])), compared.at)
    return tied


def _may_outdo(words: WordIndex, at: RowNumbers) -> Flags:
    """`[i, j]`: whether i may stand above j for what it tells, shape (k, k).

    Nobody's word outdoes one that is trusted more, and what is said again in the same words is no news.
    """
    may: Flags = np.broadcast_to(words.column("characters")[at] <= _SHORT, (len(at), len(at))).copy()
    trust = words.trust[at]
    may &= trust[:, None] >= trust
    role, day, sequence = (words.column(name)[at] for name in ("role", "day", "sequence"))
    may &= role[:, None] == role
    may &= said_before(sequence, day, sequence[:, None], day[:, None])
    texts = words.column("fingerprint")[at]
    may &= texts[:, None] != texts
    return may
