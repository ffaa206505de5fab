"""Whose messages may be outdone by what somebody says."""

from __future__ import annotations

from streetai_core.arrays import RowNumbers
from streetai_core.index.order import said_before
from streetai_core.index.row_table import NONE
from streetai_core.index.words import WordIndex
from streetai_core.planning.words import day_of
from streetai_core.types import ROLES, Message

_UNKNOWN = -2
"""The number of an author who has said nothing yet."""


def of_speaker(words: WordIndex, rows: RowNumbers, speaker: Message) -> RowNumbers:
    """Those of some messages that the speaker of one said."""
    author = NONE if speaker.name is None else words.authors.get(speaker.name, _UNKNOWN)
    by_name = words.column("author")[rows] == author
    found: RowNumbers = rows[by_name & (words.column("role")[rows] == ROLES.index(speaker.role))]
    return found


def before(words: WordIndex, rows: RowNumbers, newer: Message) -> RowNumbers:
    """Those that were said before a message, and are trusted no more: nobody's word outdoes one that is."""
    sequences, days = words.column("sequence")[rows], words.column("day")[rows]
    earlier = said_before(sequences, days, newer.sequence, day_of(newer))
    found: RowNumbers = rows[earlier & (words.trust[rows] <= newer.trust)]
    return found


def after(words: WordIndex, rows: RowNumbers, older: Message) -> RowNumbers:
    """Those that were said after a message, and are trusted as much."""
    sequences, days = words.column("sequence")[rows], words.column("day")[rows]
    later = said_before(older.sequence, day_of(older), sequences, days)
    found: RowNumbers = rows[later & (words.trust[rows] >= older.trust)]
    return found
