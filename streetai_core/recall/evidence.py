"""What speaks for a message besides its meaning: its words, its author, its time, its company.

The weights are in units of the cosine: a part of 0.1 outweighs a tenth of similarity. They come from logistic
regressions on ten conversations of two kinds (two people chatting; a user and an assistant who writes at length) and
were rounded to one set. `LONG` and `WHOLE` were then adjusted on all ten at once, and `OWN`, `ASKING`, `ANSWER`,
`ANSWERED`, `SHORTEST_TOKENS` and the length of stretches chosen on them, so that figures on those flatter a little;
somewhat more or less of any of them finds as much. `tests.benchmarks.held_out` measures each conversation with weights
fitted on the others, `tests.benchmarks.ablation` what each part adds.

Five conversations of other kinds (`tests/benchmarks/data/kinds_of_talk.json`) came when all weights stood. On them
`RECENT`, which adds nothing on the ten, was doubled, and it was found that "you said" names the assistant. When names
were no longer embedded, `WORDS_AROUND`, `STRETCH` and `LONG` were lowered some way towards what a fit gave then, with a
look at these, at three more and at three further ones. With a look at four others `RECENT` was doubled again: a fit to
all of them gives it .43 and more. `BEARING` was chosen by hand, among three values and with a look at all of these;
and with such a look it was found that long answers should get less of `ANSWER`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from streetai_core.arrays import Flags, Floats, RowNumbers
from streetai_core.index.alignment import Nearness
from streetai_core.index.bm25 import WordScores
from streetai_core.index.cone import LEAST
from streetai_core.index.order import as_said
from streetai_core.index.row_table import NONE
from streetai_core.index.stretches import Stretches
from streetai_core.index.words import WordIndex
from streetai_core.recall.naming import named
from streetai_core.recall.question import Question
from streetai_core.text.asking import newness_wanted
from streetai_core.text.marks import WISH as STATES_WISH
from streetai_core.types import ROLES, SOURCES

OWN_WORDS = 0.20
"""Weight of the words of a message itself."""
WORDS_AROUND = 0.80
"""Weight of its words together with what stands around it: an answer often leaves out what the question before it
named."""
TOLD = 0.5
"""Weight of other words for what the question asks for, half of that of its own words. With 1.0 LoCoMo gains .1 to .2
points more, and answers in the bundled conversation stand lower (`notebooks/05_recall.ipynb`)."""
SURE = 0.5
"""How much of `TOLD` counts however common the question's words are: "do for a living" is in much talk, but the table
of matters knows what is meant. With a third of it or two thirds the same is found."""
AUTHOR = 0.33
"""What a message loses that is by nobody whom the question names, in a conversation that one of those takes part in; or
not by the assistant, if it asks for what "you said". A loss, because a name that is known says nothing of whether the
answer is: so the best score tells better what was never said."""
OWN = 0.20
"""What a message loses that no user said, if the question names nobody and speaks of who asks ("Where do I live?"); one
of another user loses `AUTHOR`."""
ASKING = 0.10
"""What a message loses that asks: it wants to know, and tells little. Those of the user are spared if the question
speaks of who asks: what people want to know tells something of them."""
ANSWER = 0.5
"""What a message gets for each point by which the question that it follows is nearer than `ANSWERED`: an answer means
what was asked, and often does not say it again. A long one does, and gets less."""
ANSWERED = 0.3
"""Cosine from which a question that was asked before is one like this."""
UNREAD = 0.35
"""Cosine of a question that nine in ten messages reach only where the encoder does not read the language, and finds all
of it alike: any question seems one like it then. With all-MiniLM-L6-v2 nine in ten are nearer than -.02 to .10 in most
English conversations, and than .34 at most, where all of a long one is on one subject; than .37 in French, .41 in
Korean, .54 in Arabic."""
_NEARLY_ALL = 0.9
"""Nine in ten: half of all messages are as near in an English conversation on one subject."""
DATE = 0.44
"""What a message gets that was said in, or speaks of, a time that the question names."""
WHEN = 0.26
"""What a message gets that names a time, where the question asks for one."""
RECENT = 0.40
"""Most that the newest message gets over the oldest, where the question asks for the latest state."""
BEARING = 2 / 3
"""Share of the best relevance from which newness counts fully; with less it counts less. What has little to do with the
question is no newer state of what it asks for, and hundreds of messages may be newer than the answer."""
WISH = 0.6
"""What a wish of the user's for all that is to come gets at most, where the question is a request: less if it is one of
many, or only a part of a long message. With half as much fewer are found that bear on a request in other words
(`tests.benchmarks.standing_wishes`), and evidence is the same within half a point."""
WHOLE = 0.3
"""How much of a message's meaning is that of the whole message, where it has several signals."""
STRETCH = 0.85
"""How much a message loses per point by which the best messages of its stretch of talk fall short of those of the best
stretch."""
LONG = 0.17
"""What a message loses for each e-fold of length beyond `LONG_TOKENS`: a long text has something of everything."""
SHORT = 0.20
"""What a message loses for each e-fold of length short of `SHORT_TOKENS`: it seldom says anything."""
LONG_TOKENS = 60
SHORT_TOKENS = 30
"""Tokens between which length tells nothing; half of all chat messages that answered a question lie there."""
SHORTEST_TOKENS = 14
"""Tokens below which a message loses no more: the shortest statements are as whole as short ones."""

_USER = ROLES.index("user")
_ASSISTANT = ROLES.index("assistant")
_SAID_BY_USERS = SOURCES.index("user")
_ALL = slice(None)
_CHARACTERS_PER_TOKEN = 4
_BEST_OF_STRETCH = 3
"""Messages that stand for their stretch; one may be chance."""
_STRETCH_WORDS = 0.5
"""Weight of words beside meaning where stretches are compared."""
_COHERENCE = 0.5
"""Cosine between two chunks of one message, on average; says how long the mean of their vectors is."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What messages lend to the scores of their signals; arrays of shape (m,) over the rows of the word index."""

    words: Floats
    """What their words and those beside them are worth together, if the question's words tell."""
    found: WordScores
    """What that is made of."""
    context: dict[str, Floats]
    """The other parts, by name. One that no message has is left out."""
    of_time: Flags | None
    """Which were said in, or speak of, a time that the question names; `None`: it names none. The part of time does not
    tell: naming some time and being new may be worth as much."""
    is_request: bool
    """Whether the question is one, so that wishes are wanted whatever they are about."""

    def total(self) -> Floats:
        """All of it added up."""
        total = self.words_count()
        for part in self.context.values():
            total += part
        return total

    def words_count(self, rows: RowNumbers | slice = _ALL) -> Floats:
        """What words add to the scores of the messages in these rows, shape (k,)."""
        counted: Floats = self.words[rows] * self.found.informed
        if self.found.told is not None:
            counted += self.found.told[rows] * (TOLD * SURE * (1.0 - self.found.informed))
        return counted

    def parts(self, rows: RowNumbers) -> dict[str, Floats]:
        """The parts that the messages in these rows lend, by name; each of shape (k,)."""
        lent: Floats = WORDS_AROUND * (self.found.around[rows] - self.found.due_to_own(rows))
        vague = self.words_count(rows) - self.words[rows]
        words = {"words": self.words[rows] - lent, "neighbours": lent, "vague": vague}
        return words | {name: part[rows] for name, part in self.context.items()}


def gather(index: WordIndex, question: Question, near: Nearness, trusted_from: float) -> Evidence:
    """The evidence of every message for a question.

    Args:
        index: the messages.
        question: what is asked.
        near: how near the signals of each message are.
        trusted_from: least trust of a message whose wishes count, and by which it is told whether the encoder reads
            them.
    """
    found = index.scores(question.terms, question.length, question.framing, question.matters, question.pieces)
    context: dict[str, Floats] = {}
    relevance = _relevance(near, found)
    author, answers = _author(index, question), _answers(index, near, trusted_from)
    of_time = _of_time(index, question)
    time = _time(index, question, relevance, of_time)
    if author is not None:
        context["author"] = author
    if time is not None:
        context["time"] = time
    context["length"] = index.derived("characters", _length)
    context["asking"] = _asking(index, question)
    newness = newness_wanted(question.text) if len(index.rows_with(STATES_WISH)) else 0.0
    wishes = _wishes(index, question, newness, trusted_from) if newness else None
    if wishes is not None:
        context["wishes"] = wishes
    if answers is not None:
        context["answers"] = answers
    if len(near.several):
        context["whole"] = _whole(near)
    if len(index.stretches) > 1:
        context["stretch"] = _stretch(index.stretches, relevance)
        if wishes is not None and newness == 1.0:
            # A wish has little to do with what was talked about around it.
            context["stretch"][wishes > 0.0] = 0.0
    words = OWN_WORDS * found.own
    words += WORDS_AROUND * found.around
    if found.told is not None:
        words += TOLD * found.told
    return Evidence(words, found, context, of_time, is_request=newness == 1.0)


def _relevance(near: Nearness, found: WordScores) -> Floats:
    """How much what each message says bears on the question: what stretches of talk are compared by."""
    said = found.own if found.told is None else found.own + found.told
    relevance: Floats = said * (_STRETCH_WORDS * found.informed)
    relevance += np.maximum(near.nearest, 0.0)
    return relevance


def _wishes(index: WordIndex, question: Question, newness: float, trusted_from: float) -> Floats | None:
    """What the wishes of who asks get; none if several may ask, or if it is asked about somebody."""
    if newness < 1.0 and named(index, question.words):
        return None
    # By what users say themselves: no name in a document that was added makes them several.
    trusted = index.alive & (index.trust >= trusted_from)
    author = index.column("author")
    who = author[trusted & (index.column("role") == _USER) & (index.column("source") == _SAID_BY_USERS)]
    rows = index.rows_with(STATES_WISH)
    rows = rows[trusted[rows]]
    if NONE in who:
        rows = rows[author[rows] == NONE]
    elif len(who) and who.min() != who.max():
        return None
    if not len(rows):
        return None
    # Above 0 even if there is nothing else.
    rarity = math.log((2 + len(index)) / (1 + len(rows))) / math.log(2 + len(index))
    part = np.zeros(index.size)
    part[rows] = WISH * newness * rarity * _share_of_long(index, rows)
    return part


def _share_of_long(index: WordIndex, rows: RowNumbers) -> Floats:
    """What `LONG_TOKENS` are of each of some messages, shape (k,); at most 1."""
    characters = np.maximum(index.column("characters").take(rows), 1)
    return np.minimum(1.0, LONG_TOKENS * _CHARACTERS_PER_TOKEN / characters)


def _whole(near: Nearness) -> Floats:
    """How far the meaning of each message that has several signals falls short of that of its nearest one.

    The meaning of the whole is the cosine of the mean of the signals' vectors, as far as cosines alone tell.
    """
    part = np.zeros(len(near.nearest))
    length = np.sqrt((1.0 + (near.signals - 1.0) * _COHERENCE) / near.signals)
    part[near.several] = WHOLE * (near.total / near.signals / length - near.nearest[near.several])
    return part


def _author(index: WordIndex, question: Question) -> Floats | None:
    """What messages lose that are not of whom the question speaks of: the one it names, who asks, or who answers."""
    there = named(index, question.words)
    if there:
        return _not_of(index, there.values())
    if question.of_oneself:
        return _not_of_the_user(index)
    return np.where(index.column("role") == _ASSISTANT, 0.0, -AUTHOR) if question.of_the_other else None


def _not_of(index: WordIndex, authors: Iterable[int]) -> Floats:
    """What messages lose that are by none of these authors, in conversations that one of them takes part in.

    Where they are not there, others tell of them.
    """
    theirs = np.zeros(index.size, dtype=np.bool_)
    for author in authors:
        theirs |= index.column("author") == author
    conversation = index.column("conversation")
    among_them = np.zeros(conversation.max(initial=0) + 1)
    among_them[conversation.take((theirs & index.alive).nonzero()[0])] = -AUTHOR
    lost = among_them.take(conversation)
    lost[theirs] = 0.0
    return lost


def _not_of_the_user(index: WordIndex) -> Floats:
    """What messages lose that are not of who asks.

    Where the user speaks without a name, a user's message with one is somebody else's.
    """
    of_users = index.column("role") == _USER
    named = of_users & (index.column("author") != NONE)
    lost = np.where(of_users, 0.0, -OWN)
    if (of_users & ~named & index.alive).any():
        lost[named] = -AUTHOR
    return lost


def _asking(index: WordIndex, question: Question) -> Floats:
    """What messages lose that ask; see `ASKING`."""
    lost = index.derived("question", _loss_of_asking)
    return np.where(index.column("role") == _USER, 0.0, lost) if question.of_oneself else lost


def _loss_of_asking(asks: npt.NDArray[np.int64]) -> Floats:
    return np.asarray(-ASKING * asks, dtype=np.float64)


def _answers(index: WordIndex, near: Nearness, trusted_from: float) -> Floats | None:
    """What messages get that follow a question like this one; see `ANSWER`."""
    asked = np.flatnonzero(near.nearest > ANSWERED)
    asked = asked[index.column("question").take(asked) == 1]
    following = index.column("following").take(asked)
    asked, following = asked[following >= 0], following[following >= 0]
    if not len(asked) or not _is_read(near.nearest[index.alive & (index.trust >= trusted_from)]):
        return None
    part = np.zeros(index.size)
    part[following] = ANSWER * (near.nearest[asked] - ANSWERED) * _share_of_long(index, following)
    return part


def _is_read(nearest: Floats) -> bool:
    """Whether not all messages are near, shape (m,); of a few it is not told."""
    return len(nearest) < LEAST or int(np.count_nonzero(nearest > UNREAD)) < _NEARLY_ALL * len(nearest)


def _of_time(index: WordIndex, question: Question) -> Flags | None:
    """Which messages were said in, or speak of, a time that the question names; `None`: it names none."""
    if not question.time.explicit:
        return None
    found = np.zeros(index.size, dtype=np.bool_)
    for span in question.time.spans:
        found |= index.speaks_of(span.start.toordinal(), span.end.toordinal())
    return found


def _time(index: WordIndex, question: Question, relevance: Floats, of_time: Flags | None) -> Floats | None:
    """Messages of the time that the question names, that name a time if it asks for one, and the newer ones."""
    wanted = question.time
    if of_time is None and not (wanted.asks_when or wanted.recency):
        return None
    part = np.zeros(index.size)
    if of_time is not None:
        part[of_time] = DATE
    if wanted.asks_when:
        part += WHEN * index.column("timed")
    if wanted.recency and not wanted.past and index.size > 1:
        part += RECENT * _newness(index) * _bearing(relevance)
    return part


def _bearing(relevance: Floats) -> Floats:
    """How much the newness of each message counts, 0 to 1; fully if nothing bears on the question."""
    best = float(relevance.max())
    bearing: Floats = np.minimum(1.0, relevance / (BEARING * best)) if best > 0.0 else np.ones(len(relevance))
    return bearing


def _newness(index: WordIndex) -> Floats:
    """From 0 for the oldest to 1 for the newest message."""
    newness = np.zeros(index.size)
    there = index.alive.nonzero()[0]
    sequences = index.column("sequence").take(there)
    if len(there):
        since = as_said(sequences, index.column("day").take(there)) - sequences.min()
        newness[there] = since / max(1, sequences.max() - sequences.min())
    return newness


def _length(characters: npt.NDArray[np.int64]) -> Floats:
    """What a message loses for being long or short."""
    tokens = np.maximum(characters / _CHARACTERS_PER_TOKEN, 1.0)
    long = np.maximum(0.0, np.log(tokens / LONG_TOKENS))
    short = np.maximum(0.0, np.log(SHORT_TOKENS / np.maximum(tokens, SHORTEST_TOKENS)))
    loss: Floats = np.asarray(-LONG * long - SHORT * short, dtype=np.float64)
    return loss


def _stretch(stretches: Stretches, relevance: Floats) -> Floats:
    """How far the best messages of each message's stretch of talk fall short of those of the best stretch."""
    best = stretches.best_mean(relevance, _BEST_OF_STRETCH)
    return stretches.spread(STRETCH * (best - best.max())).astype(np.float64)
