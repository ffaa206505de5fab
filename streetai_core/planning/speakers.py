"""Whose messages may be outdone by what somebody says."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from streetai_core.index.order import may_be_before
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
    day = words.column("day")[rows]
    earlier = (words.column("sequence")[rows] < newer.sequence) & may_be_before(day, day_of(newer))
    found: Rows = rows[earlier & (words.trust[rows] <= newer.trust)]
    return found
