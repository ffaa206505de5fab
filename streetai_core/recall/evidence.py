"""What speaks for a message besides its meaning: its words, its author, its time, its company.

The weights are in units of the cosine: a part of 0.1 outweighs a tenth of similarity. They come from logistic
regressions on ten conversations of two kinds (two people chatting; a user and an assistant who writes at length), each
measured with weights fitted on the nine others, and were rounded to one set. `LONG` and `WHOLE` were then adjusted on
all ten at once, so that figures on those flatter a little. `tests.benchmarks.ablation` measures what each part adds;
`RECENT` adds nothing there, and is kept so that a question for the latest state has a rule to go by.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from streetai_core.index.words import WordIndex
from streetai_core.recall.question import Question, name_words
from streetai_core.text.words import STOP_WORDS

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]

OWN_WORDS = 0.20
"""Weight of the words of a message itself."""
WORDS_AROUND = 0.90
"""Weight of its words together with its neighbours': an answer often leaves out what the question before it named."""
AUTHOR = 0.33
"""What a message gets if its author is the only one whom the question names."""
DATE = 0.44
"""What a message gets that was said in, or speaks of, a time that the question names."""
WHEN = 0.26
"""What a message gets that names a time, where the question asks for one."""
RECENT = 0.10
"""Most that the newest message gets over the oldest, where the question asks for the latest state."""
WHOLE = 0.3
"""How much of a message's meaning is that of the whole message, where it has several signals."""
CONVERSATION = 1.0
"""How much a message loses per point by which the best messages of its conversation fall short of those of the best
conversation."""
LONG = 0.20
"""What a message loses for each e-fold of length beyond `LONG_TOKENS`: a long text has something of everything."""
SHORT = 0.20
"""What a message loses for each e-fold of length short of `SHORT_TOKENS`: it seldom says anything."""
LONG_TOKENS = 60
SHORT_TOKENS = 30
"""Tokens between which length tells nothing; half of all chat messages that answered a question lie there."""

_CHARACTERS_PER_TOKEN = 4
_BEST_OF_CONVERSATION = 3
"""Messages that stand for their conversation; one may be chance."""
_CONVERSATION_WORDS = 0.5
"""Weight of words beside meaning where conversations are compared."""
_FARTHEST = -1.0
"""The cosine of a message that no signal stands for: none is lower."""
_COHERENCE = 0.5
"""Cosine between two chunks of one message, on average; says how long the mean of their vectors is."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The parts of the score that a message lends to its signals, by row of the word index; each of shape (n,)."""

    words: Floats
    author: Floats
    time: Floats
    length: Floats
    whole: Floats
    conversation: Floats

    @property
    def parts(self) -> dict[str, Floats]:
        """The parts by name."""
        return {
            "words": self.words,
            "author": self.author,
            "time": self.time,
            "length": self.length,
            "whole": self.whole,
            "conversation": self.conversation,
        }


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near the signals of each message are to a question; arrays of shape (n,)."""

    nearest: Floats
    """Cosine of the nearest; -1 for a message without signals."""
    total: Floats
    """All cosines added up."""
    signals: Floats
    """How many signals there are."""

    @property
    def whole(self) -> Floats:
        """Cosine of the mean of the signals' vectors, as far as cosines alone tell: exact for one signal."""
        number = np.maximum(self.signals, 1.0)
        length = np.sqrt((1.0 + (number - 1.0) * _COHERENCE) / number)
        return np.asarray(self.total / number / length, dtype=np.float64)


def gather(index: WordIndex, question: Question, near: Nearness) -> Evidence:
    """The evidence of every message for a question.

    Args:
        index: the messages.
        question: what is asked.
        near: how near the signals of each message are.
    """
    nearest = near.nearest
    found = index.scores(question.terms, question.length)
    return Evidence(
        words=OWN_WORDS * found.own + WORDS_AROUND * found.around,
        author=_author(index, question),
        time=_time(index, question),
        length=_length(index),
        whole=np.where(near.signals > 1, WHOLE * (near.whole - nearest), 0.0),
        conversation=_conversation(index, np.maximum(nearest, 0.0) + _CONVERSATION_WORDS * found.own),
    )


def nearness(rows: Rows, similarity: Floats, size: int) -> Nearness:
    """How near the messages are whose signals have these similarities.

    Args:
        rows: the row of each signal's message, -1 for none.
        similarity: of each signal.
        size: how many rows of messages there are.
    """
    known = rows >= 0
    at, values = rows[known], similarity[known]
    nearest = np.full(size, _FARTHEST)
    np.maximum.at(nearest, at, values)
    return Nearness(
        nearest=nearest,
        total=np.bincount(at, weights=values, minlength=size).astype(np.float64),
        signals=np.bincount(at, minlength=size).astype(np.float64),
    )


def _author(index: WordIndex, question: Question) -> Floats:
    """Messages of the only author whom the question names."""
    there = set(np.unique(index.column("author")[index.alive]).tolist())
    named = {number for name, number in index.authors.items() if number in there and _is_named(name, question.words)}
    part = np.zeros(index.size)
    if len(named) == 1:
        part[index.column("author") == named.pop()] = AUTHOR
    return part


def _is_named(name: str, words: frozenset[str]) -> bool:
    """Whether a question with these words names an author: by the first name, or in full where that is a common word.

    "Will it rain?" does not name Will Smith.
    """
    parts = name_words(name)
    first_tells = bool(parts) and len(parts[0]) > 1 and parts[0] not in STOP_WORDS
    return bool(parts) and (parts[0] in words if first_tells else words.issuperset(parts) and len(parts) > 1)


def _time(index: WordIndex, question: Question) -> Floats:
    """Messages of the time that the question names, that name a time if it asks for one, and the newer ones."""
    part = np.zeros(index.size)
    wanted = question.time
    if wanted.explicit:
        for span in wanted.spans:
            part[index.speaks_of(span.start.toordinal(), span.end.toordinal())] = DATE
    if wanted.asks_when:
        part += WHEN * index.column("timed")
    if wanted.recency and not wanted.past and index.size > 1:
        part += RECENT * _newness(index)
    return part


def _newness(index: WordIndex) -> Floats:
    """From 0 for the oldest to 1 for the newest message."""
    sequences = index.column("sequence").astype(np.float64)
    there = sequences[index.alive]
    first, last = (there.min(), there.max()) if len(there) else (0.0, 0.0)
    newness: Floats = np.clip((sequences - first) / max(1.0, last - first), 0.0, 1.0)
    return newness


def _length(index: WordIndex) -> Floats:
    """What a message loses for being long or short."""
    tokens = np.maximum(index.column("characters") / _CHARACTERS_PER_TOKEN, 1.0)
    long = np.maximum(0.0, np.log(tokens / LONG_TOKENS))
    short = np.maximum(0.0, np.log(SHORT_TOKENS / tokens))
    loss: Floats = np.asarray(-LONG * long - SHORT * short, dtype=np.float64)
    return loss


def _conversation(index: WordIndex, relevance: Floats) -> Floats:
    """How far the best messages of each message's conversation fall short of those of the best conversation."""
    if index.conversations < 2:  # noqa: PLR2004 - a comparison takes two
        return np.zeros(index.size)
    conversation = index.column("conversation")
    best = _best_mean(conversation, np.where(index.alive, relevance, -np.inf), index.conversations)
    lost: Floats = CONVERSATION * (best - best.max())[conversation]
    return lost


def _best_mean(groups: npt.NDArray[np.int64], values: Floats, number: int) -> Floats:
    """The mean of the best values of each group, shape (number,); -inf for a group without any."""
    rest = values.copy()
    total, count = np.zeros(number), np.zeros(number)
    for _ in range(_BEST_OF_CONVERSATION):
        best = np.full(number, -np.inf)
        np.maximum.at(best, groups, rest)
        there = np.isfinite(best)
        total[there] += best[there]
        count += there
        rest[rest == best[groups]] = -np.inf
    mean: Floats = np.divide(total, count, out=np.full(number, -np.inf), where=count > 0)
    return mean
