"""Which recalled answers take along the question that they answer: "Around forty." means nothing alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from streetai_core.config import Config
from streetai_core.dynamics.trust import is_trusted
from streetai_core.index.row_table import NONE
from streetai_core.index.words_table import WordsTable
from streetai_core.recall.filtering import RecallFilter
from streetai_core.state import MemoryState
from streetai_core.types import ROLES

_ASSISTANT, _TOOL = ROLES.index("assistant"), ROLES.index("tool")

TERSE = 64
"""Characters up to which an answer takes its question along. LoCoMo loses a tenth of a point of evidence by it at 500
tokens; with 100 characters it loses half a point, and with 120 a play of short lines two."""


def questions_of(
    state: MemoryState,
    answers: Sequence[int],
    config: Config,
    *,
    wanted: RecallFilter | None = None,
    without: Collection[int] = (),
) -> dict[int, int]:
    """The question that each terse answer was given to: the message before it, if that asks and somebody else said it.

    Between the question of a user and the answer of an assistant tools may have been called.

    None that could not be recalled itself: not trusted, in quarantine, or left out by the caller.

    Args:
        state: the memory.
        answers: sequences of the messages that may be shown.
        config: the settings.
        wanted: which messages may be recalled; `None`: all.
        without: sequences of messages that are shown anyway.

    Returns:
        Sequence of the question by that of the answer.
    """
    words = state.words
    if not words.size or config.ranking == "product" or config.passage != "message":
        return {}
    sequences = np.array(answers, dtype=np.int64)
    rows = words.rows_of(sequences)
    before = _before(words, rows)
    is_answer = (before != NONE) & (words.column("characters")[rows] <= TERSE) & (words.column("question")[before] == 1)
    # Who asks twice has not answered.
    is_answer &= (words.column("author")[rows] != words.column("author")[before]) | (
        words.column("role")[rows] != words.column("role")[before]
    )
    sequence = words.column("sequence")
    pairs = {
        int(sequences[at]): int(sequence[before[at]])
        for at in np.flatnonzero(is_answer).tolist()
        if is_trusted(float(words.trust[before[at]]), config)
    }
    if wanted is not None and pairs:
        allowed = set(state.columns.column("sequence")[wanted.allows(state)].tolist())
        pairs = {answer: question for answer, question in pairs.items() if question in allowed}
    return {answer: question for answer, question in pairs.items() if question not in without}


def _before(words: WordsTable, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """The row of the message that each was said after, `NONE` if none was.

    Of an assistant's message, results of tools are stepped over, and what the assistant said when it called them.
    """
    role, previous = words.column("role"), words.column("previous")
    before = np.where(rows == NONE, NONE, previous[rows])
    is_reply = (rows != NONE) & (role[rows] == _ASSISTANT)
    by_tools = np.zeros(len(rows), dtype=np.bool_)
    while True:
        said_by = np.where(is_reply & (before != NONE), role[before], NONE)
        by_tools |= said_by == _TOOL
        steps = by_tools & ((said_by == _TOOL) | (said_by == _ASSISTANT))
        if not steps.any():
            return before
        before = np.where(steps, previous[before], before)
