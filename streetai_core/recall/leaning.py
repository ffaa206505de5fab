"""A question that leans on what was said just before it, put together with that."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from streetai_core.config import Config
from streetai_core.dynamics.trust import is_trusted
from streetai_core.recall.question import Question, read_question
from streetai_core.state import MemoryState
from streetai_core.stores.base import MessageQuery, ReadTransaction
from streetai_core.text.follow_ups import is_follow_up
from streetai_core.types import Message

FURTHER = 5
"""Hits that are added for what a question leans on: what it is about, and not all that there is on it."""

_LAST = 12
"""Messages at the end of a conversation that are looked at; between two questions stand an answer and perhaps tools."""

_MOST = 3
"""Questions that may lean on each other."""


def leant_on(
    transaction: ReadTransaction, state: MemoryState, conversation_id: str | None, question: Question, config: Config
) -> list[Message]:
    """What of the user's in a conversation a question leans on, oldest first; nothing if it says itself what it asks.

    Back to a message that stands alone, and none that is not trusted or in quarantine. Without a vector it leans on
    nothing: by words alone, what was said before would be all that it asks.
    """
    if question.vector is None or config.ranking == "product" or not is_follow_up(question.text):
        return []
    query = MessageQuery(conversation_id=conversation_id, any_conversation=False, last=_LAST)
    found: list[Message] = []
    for message in reversed(transaction.messages(query)):
        # An app may have stored the question already.
        if message.role != "user" or message.content == question.text:
            continue
        if len(found) == _MOST or state.hides(message) or not is_trusted(message.trust, config):
            break
        found.insert(0, message)
        if not is_follow_up(message.content):
            break
    return found


def leaning(question: Question, before: Sequence[Message], state: MemoryState, asked_at: datetime) -> Question:
    """The question with what it leans on, by words and by meaning.

    The encoder is not asked again: the vectors of what was said before are there, and the sum of two vectors is near
    to both.
    """
    vector = question.vector
    if vector is not None:
        sequences = state.columns.column("sequence")
        said = [state.columns.vectors_of(np.flatnonzero(sequences == one.sequence)) for one in before]
        total = vector + sum(vectors.mean(axis=0) for vectors in said if len(vectors))
        length = float(np.linalg.norm(total))
        vector = total / np.float32(length) if length else vector
    return read_question(
        "\n".join([*(message.content for message in before), question.text]),
        vector,
        turn=question.turn,
        asked_at=asked_at,
        without={*question.without_messages, *(message.sequence for message in before)},
        common=question.common,
    )
