"""A question that leans on what was said just before it, put together with that."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from streetai_core.config import Config
from streetai_core.dynamics.trust import is_trusted
from streetai_core.recall.question import LONGEST, Question, read_question
from streetai_core.state import MemoryState
from streetai_core.stores.base import ReadTransaction
from streetai_core.stores.shown import last_shown
from streetai_core.stores.types import MessageQuery
from streetai_core.text.follow_ups import is_follow_up
from streetai_core.types import Message

FURTHER = 5
"""Hits that are added for what a question leans on: what it is about, and not all that there is on it."""

_MOST = 3
"""Questions that may lean on each other."""

_LAST = _MOST + 1
"""Messages of the user at the end of a conversation that are looked at: an app may have stored the question already."""

_BETWEEN = "\n"
"""Between them and the question: it ends a sentence."""


def leaning(
    question: Question,
    transaction: ReadTransaction,
    state: MemoryState,
    config: Config,
    *,
    conversation_id: str | None,
    asked_at: datetime,
) -> Question | None:
    """The question together with what the user said before it in its conversation, by words and by meaning.

    The encoder is not asked again: the vectors of what was said before are there, and the sum of two vectors is near
    to both.

    Returns:
        `None` if it says itself what it asks, or nothing was said before. So does a question without a vector: by words
        alone, what was said before would be all that it asks.
    """
    if question.vector is None or config.ranking == "product" or not is_follow_up(question.text):
        return None
    before = _leant_on(question, transaction, state, config, conversation_id)
    if not before:
        return None
    sequences = state.columns.column("sequence")
    chunks = state.columns.column("chunk_index")
    # In the order of the text, for the rounding of a mean depends on it, and rows move.
    rows = [row[np.argsort(chunks[row])] for one in before if len(row := np.flatnonzero(sequences == one.sequence))]
    said = map(state.columns.vectors_of, rows)
    total = question.vector + sum(vectors.mean(axis=0) for vectors in said)
    length = float(np.linalg.norm(total))
    return read_question(
        _together([message.content for message in before], question.text),
        total / np.float32(length) if length else question.vector,
        turn=question.turn,
        asked_at=asked_at,
        without={*question.without_messages, *(message.sequence for message in before)},
        common=question.common,
    )


def _together(before: Sequence[str], question: str) -> str:
    """What was said before, oldest first, and the question behind it, as long as a question may be.

    The question is whole in any case; of what was said before it the nearest has room first, each with its beginning.
    """
    texts = [question]
    room = LONGEST - len(question)
    for text in reversed(before):
        if room <= len(_BETWEEN):
            break
        texts.insert(0, text[: room - len(_BETWEEN)])
        room -= len(_BETWEEN) + len(texts[0])
    return _BETWEEN.join(texts)


def _leant_on(
    question: Question,
    transaction: ReadTransaction,
    state: MemoryState,
    config: Config,
    conversation_id: str | None,
) -> list[Message]:
    """The user's messages before a question, oldest first, back to one that stands alone.

    None that is not trusted, and what is in quarantine is passed over, as if it had been deleted.
    """
    # Between two questions stand an answer and any number of tools.
    query = MessageQuery(conversation_id=conversation_id, any_conversation=False, roles=("user",))
    found: list[Message] = []
    for message in reversed(last_shown(transaction, query, _LAST, state.hides)):
        if message.content == question.text:
            continue
        if len(found) == _MOST or not is_trusted(message.trust, config):
            break
        found.insert(0, message)
        if not is_follow_up(message.content):
            break
    return found
