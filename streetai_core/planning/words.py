"""What a message can be found by besides its meaning, worked out when it is written."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from streetai_core.knowledge.announcing import confirms_change
from streetai_core.knowledge.news import news_of
from streetai_core.knowledge.statements import Statement
from streetai_core.stores.types import WordsRow
from streetai_core.stores.values import zoned
from streetai_core.text.dates import mentioned_dates
from streetai_core.text.marks import CONFIRMS, WISH, beside_text, marked, unmarked
from streetai_core.text.spoken import spoken_length
from streetai_core.text.wishes import states_wish
from streetai_core.text.words import counted
from streetai_core.types import Message

RULES = 13
"""The version of the rules that make a words row of a message. Raise it with every change of what `words_row` makes of
any text (how words are cut, dates and wishes told): rows that older rules have made are then made anew. With the old
number they would stay as they are, and a question that is cut by the new rules would not find them.

`fingerprint` must never change: cues are known by it, and the texts of their questions are not kept."""

Reader = Callable[[Sequence[int]], Sequence[WordsRow]]
"""Reads the words rows of messages, of those that have one, by sequence."""

_LONGEST = 20_000
"""Characters of a message that dates are looked for in; what is longer is a document, with dates of its own."""

_ASKING = ("?", "\uff1f", "\u061f")
"""Question marks: Latin, full-width, Arabic."""


_RUN = re.compile(r"(?:\S+\s*){1,1000}")
"""So many words at a time: all of a long text as objects take ten times its size."""


def words_row(message: Message, replaces: tuple[int, ...] = ()) -> WordsRow:
    """The words row of a message.

    The author's name counts as one of its words. That it states a wish or tells of a change is marked if a user says
    so, that it confirms a change if an assistant does: what others plant is asked for by nothing.

    Raises:
        InputError: the message was said outside the years 1 to 9999 in UTC.
    """
    text = message.content
    terms, counts = marked(*counted(text, author=message.name or ""), _marks(message))
    return WordsRow(
        sequence=message.sequence,
        conversation_id=message.conversation_id,
        name=message.name,
        role=message.role,
        day=day_of(message),
        characters=spoken_length(text, message.role),
        question=text.rstrip().endswith(_ASKING),
        terms=terms,
        counts=counts,
        days=_days(message),
        replaces=replaces,
        source=message.source,
        trust=message.trust,
        writer=message.writer,
        fingerprint=fingerprint(text),
        rules=RULES,
    )


def _marks(message: Message) -> tuple[int, ...]:
    """Terms that say what the text is, and stand in none."""
    if message.source == "assistant":
        return (CONFIRMS,) if confirms_change(message.content) else ()
    if message.source != "user":
        return ()
    told = Statement.of(message)
    return ((WISH,) if states_wish(told.text) else ()) + news_of(told)


def renewed(row: WordsRow, message: Message) -> WordsRow:
    """The words row of a message made anew; what it has to do with others stays.

    What newer rules have made is left alone.
    """
    if row.rules > RULES:
        return row
    return with_marks(words_row(message, row.replaces), beside_text(row.terms, row.counts))


def with_marks(row: WordsRow, marks: Collection[int]) -> WordsRow:
    """The words row with some more marks."""
    if not marks:
        return row
    terms, counts = marked(row.terms, row.counts, marks)
    return replace(row, terms=terms, counts=counts)


def without_marks(row: WordsRow, marks: Collection[int]) -> WordsRow:
    """The words row without some marks."""
    terms, counts = unmarked(row.terms, row.counts, marks)
    return replace(row, terms=terms, counts=counts)


def fingerprint(text: str) -> int:
    """A signed number of 64 bits: the same for texts that differ in case, white space or width of letters only."""
    digest = hashlib.blake2b(digest_size=8)
    for run in _RUN.finditer(unicodedata.normalize("NFKC", text).casefold()):
        digest.update(f"{' '.join(run.group().split())} ".encode())
    return int.from_bytes(digest.digest(), "big", signed=True)


def day_of(message: Message) -> int:
    """The ordinal of the day on which a message was said, by the clock of who said it.

    Raises:
        InputError: it was said outside the years 1 to 9999 in UTC.
    """
    return _said_at(message).date().toordinal()


def _said_at(message: Message) -> datetime:
    """When a message was said, as it is stored: so an edit finds the same days again."""
    return zoned(message.created_at)


def _days(message: Message) -> npt.NDArray[np.int32]:
    """First and last day of each time that a message speaks of, shape (m, 2)."""
    spans: list[tuple[date, date]] = [
        (mention.span.start, mention.span.end)
        for mention in mentioned_dates(message.content[:_LONGEST], _said_at(message))
    ]
    days: list[Any] = [(start.toordinal(), end.toordinal()) for start, end in dict.fromkeys(spans)]
    return np.array(days, dtype=np.int32).reshape(-1, 2)
