"""Which older messages a new one may bring news of, found when it is written.

"They've killed Lark. I've been put on the warehouse scanner" says what has become of "I'm working on Project Lark":
both name what hardly any other message does, and the newer one says that something is over or has become so. Whether
that answers the same question can be seen only when one is asked (`recall/news.py`), so that only a mark is left.

Of what somebody else told news are brought by who names that one, "Ana isn't in the attic any more", or speaks of more
that it told: "We switched orders to Postgres", of "The orders service sits on MySQL".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from streetai_core.index.order import may_be_before
from streetai_core.index.row_table import NONE
from streetai_core.knowledge.clauses import STATE_STEMS
from streetai_core.knowledge.news import told_anew, values_beside, values_over
from streetai_core.knowledge.statements import Statement
from streetai_core.knowledge.wording import stem, tokens
from streetai_core.planning.batch import Batch
from streetai_core.planning.speakers import before
from streetai_core.planning.words import day_of
from streetai_core.state import MemoryState
from streetai_core.text.language import is_foreign
from streetai_core.text.marks import beside_about, news_about, over_about
from streetai_core.text.names import said_words
from streetai_core.text.spoken import prose, spoken_length
from streetai_core.text.words import hashed, whole_words
from streetai_core.types import ROLES, Message

_RARE = 5
"""Messages with a word up to which it tells what is spoken of. With 2 as many changes are found as with 5, in short
conversations; in longer ones more is said of everything."""

_LONGEST = 150
"""Characters of a message of which there may be news, some 25 words: longer ones tell of more than is asked for."""

_LONGEST_NEWS = 280
"""Characters of a message that may bring some: who tells of a change often says how it came."""

_SEVERAL = 2
"""Words that a message shares with what somebody else told, to speak of that: with one it is often about a matter of
its own."""

_OWN = re.compile(r"\b(?:mine|ours)\b", re.IGNORECASE)
"""How somebody sets a matter of his own against what another told: "mine's postponed"."""

_MOST = 8
"""Messages of which one may bring news of each kind, the newest ones."""

Terms = tuple[int, ...]
"""Hashes of terms, all of which a message must have."""


@dataclass(frozen=True, slots=True)
class Anew:
    """What a message says anew, by the hashes of terms."""

    said: frozenset[Terms] = frozenset()
    """What it says is over, not so, or has become so."""
    over: frozenset[Terms] = frozenset()
    """Values that it says are over."""
    beside: frozenset[Terms] = frozenset()
    """Values that it names beside others of their kind."""


_NOTHING = Anew()


def said_anew(message: Message) -> Anew:
    """What a user's message says anew; nothing for most messages."""
    if message.source != "user":
        return _NOTHING
    told = Statement.of(message)
    if len(told.text) > _LONGEST_NEWS or is_foreign(told.text):
        return _NOTHING
    return Anew(
        frozenset((hashed(term),) for term in told_anew(told)),
        _hashed(values_over(told)),
        _hashed(values_beside(told)),
    )


def _hashed(values: Iterable[Sequence[str]]) -> frozenset[Terms]:
    return frozenset(tuple(map(hashed, terms)) for terms in values)


def news_in(message: Message, anew: Anew, state: MemoryState, batch: Batch) -> list[int]:
    """The marks of a message for those of which it may bring news, in the memory or among what was said with it.

    Args:
        message: what is being written.
        anew: what `said_anew` makes of it.
        state: the memory.
        batch: the messages before it that are written together with it.
    """
    if anew == _NOTHING:
        return []
    spoken = _Spoken(message, state, batch)
    said, over, beside = (spoken.older(values) for values in (anew.said, anew.over, anew.beside))
    return [
        *map(news_about, said | over | beside),
        *map(over_about, over),
        *map(beside_about, beside - said - over),
    ]


def outdated(newer: Message, older: Message, terms: Collection[int]) -> frozenset[int]:
    """The marks of a message for an older one that it has no more, now that this says something else.

    Args:
        newer: the message with the marks.
        older: the other one, as it is now.
        terms: of this, by their hashes.
    """
    still = _marks_for(newer, said_anew(newer), older, terms, lambda _: True)
    return frozenset(mark(older.sequence) for mark in (news_about, over_about, beside_about)) - still


def late_news(
    newer: Message, anew: Anew, older: Message, terms: Collection[int], *, state: MemoryState, batch: Batch
) -> frozenset[int]:
    """The marks of a message for an older one that is stored only now.

    Args:
        newer: in the memory or in the batch.
        anew: what `said_anew` makes of it.
        older: in the batch.
        terms: of this, by their hashes.
        state: the memory.
        batch: what is written together.
    """
    fits = (
        older.role == newer.role and older.trust <= newer.trust and spoken_length(older.content, older.role) <= _LONGEST
    )
    if anew == _NOTHING or not fits:
        return frozenset()

    def is_rare(values: Terms) -> bool:
        rows, together = state.words.rows_with_all(values), batch.having(values, _RARE + 2)
        # What is edited, or embedded late, is in the memory already; and the newer one has them too.
        stored = state.words.rows_of(np.array([message.sequence for message in together], dtype=np.int64))
        again = int(np.count_nonzero(np.isin(stored, rows)))
        return len(rows) + len(together) - again <= _RARE + 1

    return _marks_for(newer, anew, older, terms, is_rare)


def _marks_for(
    newer: Message, anew: Anew, older: Message, terms: Collection[int], tells: Callable[[Terms], bool]
) -> frozenset[int]:
    """The marks of a newer message for an older one with these terms; `tells`: whether a value tells what is meant."""
    speaker, has = _Speaker(newer), frozenset(terms)
    said, over, beside = (
        any(
            has.issuperset(values) and tells(values) and speaker.may_speak_of(older.name, values, has.__contains__)
            for values in some
        )
        for some in (anew.said, anew.over, anew.beside)
    )
    holds = {news_about: said or over or beside, over_about: over, beside_about: beside and not (said or over)}
    return frozenset(mark(older.sequence) for mark, still in holds.items() if still)


class _Speaker:
    """Who says something new, and of whose words that may be."""

    def __init__(self, message: Message) -> None:
        self._message = message
        self._said = said_words(message.content)

    def may_speak_of(self, name: str | None, terms: Terms, has: Callable[[int], bool]) -> bool:
        """Whether this may be about what somebody said with some terms.

        It may be about one's own words, about those of somebody who is named, and about what it has several words of.

        Args:
            name: who said it.
            terms: by their hashes.
            has: whether what was said has a term.
        """
        if name is None or self._message.name is None:
            return name == self._message.name
        if name != self._message.name and not self._said.name(name) and sum(map(has, self._subject)) < _SEVERAL:
            return False
        # All that somebody says has the name of who says it among its words.
        return not {hashed(term) for term in whole_words(name)}.issuperset(terms)

    @cached_property
    def _subject(self) -> frozenset[int]:
        """Hashes of the words that tell what it is about: to "take" or to "have" tells nothing.

        None if it is about a matter of one's own.
        """
        text = prose(self._message.content, self._message.role)
        if _OWN.search(text):
            return frozenset()
        words = (word for word in tokens(text) if stem(word.lower()) not in STATE_STEMS)
        return frozenset(map(hashed, whole_words(" ".join(words))))


class _Spoken:
    """Finds the older messages of which a new one may speak."""

    def __init__(self, message: Message, state: MemoryState, batch: Batch) -> None:
        self._message = message
        self._words = state.words
        self._batch = batch
        self._speaker = _Speaker(message)

    def older(self, values: Collection[Terms]) -> set[int]:
        """Sequences of those that have all terms of some value, the newest ones."""
        return set(sorted({sequence for terms in values for sequence in self._having(terms)})[-_MOST:])

    def _having(self, terms: Terms) -> Iterator[int]:
        """Sequences of the short messages with all of some terms that may be spoken of, if few have these."""
        words, newer = self._words, self._message
        rows = words.rows_with_all(terms)
        # An edited message is there with its old text.
        rows = rows[words.column("sequence")[rows] != newer.sequence]
        together = [
            message
            for message in self._batch.having(terms, _RARE + 1)
            # What is released is in the memory, too.
            if message.sequence < newer.sequence and message.sequence not in words
        ]
        if len(rows) + len(together) > _RARE:
            return
        rows = before(words, rows, newer)
        rows = rows[words.column("role")[rows] == ROLES.index(newer.role)]
        rows = rows[words.column("characters")[rows] <= _LONGEST]
        names = list(words.authors) if len(rows) else []
        for row, sequence, author in zip(
            rows.tolist(), words.column("sequence")[rows].tolist(), words.column("author")[rows].tolist(), strict=True
        ):
            name = None if author == NONE else names[author]
            if self._speaker.may_speak_of(name, terms, partial(self._has, row)):
                yield sequence
        for message in together:
            short = spoken_length(message.content, message.role) <= _LONGEST
            fits = short and message.role == newer.role and message.trust <= newer.trust
            fits = fits and bool(may_be_before(day_of(message), day_of(newer)))
            if fits and self._speaker.may_speak_of(message.name, terms, partial(self._batch.has, message.sequence)):
                yield message.sequence

    def _has(self, row: int, term: int) -> bool:
        """Whether the message in a row has a term."""
        return bool(self._words.having(term, np.array([row]))[0])
