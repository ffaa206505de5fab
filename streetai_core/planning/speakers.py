"""Whose messages may be outdone by what somebody says."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from streetai_core.index.order import said_before
from streetai_core.index.row_table import NONE
from streetai_core.index.words import WordIndex
from streetai_core.planning.words import day_of
from streetai_core.types import ROLES, Message

Rows = npt.NDArray[np.intp]

_UNKNOWN = -2
"""The number of an author who has said nothing yet."""


def of_speaker(words: WordIndex, rows: Rows, speaker: Message) -> Rows:
    """Those of some messages that the speaker of one said."""
    author = NONE if speaker.name is None else words.authors.get(speaker.name, _UNKNOWN)
    by_name = words.column("author")[rows] == author
    found: Rows = rows[by_name & (words.column("role")[rows] == ROLES.index(speaker.role))]
    return found


def before(words: WordIndex, rows: Rows, newer: Message) -> Rows:
    """Those that were said before a message, and are trusted no more: nobody's word outdoes one that is."""
    sequences, days = words.column("sequence")[rows], words.column("day")[rows]
    earlier = said_before(sequences, days, newer.sequence, day_of(newer))
    found: Rows = rows[earlier & (words.trust[rows] <= newer.trust)]
    return found


def after(words: WordIndex, rows: Rows, older: Message) -> Rows:
    """Those that were said after a message, and are trusted as much."""
    sequences, days = words.column("sequence")[rows], words.column("day")[rows]
    later = said_before(older.sequence, day_of(older), sequences, days)
    found: Rows = rows[later & (words.trust[rows] >= older.trust)]
    return found
