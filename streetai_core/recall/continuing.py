"""Which messages go on with what stands before them in their conversation, where a question asks for that.

"Too dry, she said. We're going out with The Drowned Accounts" says nothing of a title. What was said just before it
does: "My agent had some notes on the title". Somebody else who asks in between ("What did she think?") makes it surer.
"""

from __future__ import annotations

import numpy as np

from streetai_core.arrays import Flags, Floats, RowNumbers
from streetai_core.index.threads import BEFORE
from streetai_core.index.words import WordIndex
from streetai_core.recall.standing import Standing

_LEAST = 0.2
"""The least nearness of what stands before a message: where nothing has to do with the question, chance is as near as
anything."""

_AS_NEAR, _AS_NEAR_ASKED = 1.0, 0.5
"""The least nearness to the question of what stands before a message, as a share of the older message's; and where
somebody else asks in between (chosen with `tests.benchmarks.as_typed`; with less, as many lose as gain)."""


def going_on(words: WordIndex, standing: Standing, at: RowNumbers, near: Floats, answers: Flags) -> Flags:
    """`[i, j]`: whether message i goes on with one that was said behind message j and is as near to the question as j.

    Args:
        words: the messages of a memory.
        standing: how its signals stand.
        at: rows of messages, shape (k,).
        near: how near each is to the question, shape (k,).
        answers: which of them stand behind a question of somebody else (`answering`), shape (k,).

    Returns:
        Shape (k, k).
    """
    sequence = words.column("sequence")
    before = np.stack([words.column(name)[at] for name in BEFORE])
    leads = np.where(before >= 0, standing.leaders[before], -1)
    nearness = np.where(leads >= 0, standing.nearness[leads], -np.inf)
    enough = nearness[:, :, None] >= np.where(answers, _AS_NEAR_ASKED, _AS_NEAR)[:, None] * near
    behind = sequence[before][:, :, None] > sequence[at]
    enough &= nearness[:, :, None] >= _LEAST
    return np.asarray((enough & behind).any(axis=0), dtype=np.bool_)


def answering(words: WordIndex, at: RowNumbers) -> Flags:
    """Which of some messages stand right behind a question of somebody else; shape (k,)."""
    previous = words.column("previous")[at]
    author, role = words.column("author"), words.column("role")
    of_another = (author[previous] != author[at]) | (role[previous] != role[at])
    return np.asarray((previous >= 0) & (words.column("question")[previous] > 0) & of_another, dtype=np.bool_)


def answering_somebody(words: WordIndex, at: RowNumbers) -> Flags:
    """Which messages stand right behind a question of somebody else who has the same role: no assistant asked a user.

    Shape (k,).
    """
    role = words.column("role")
    of_a_kind: Flags = role[words.column("previous")[at]] == role[at]
    return answering(words, at) & of_a_kind
