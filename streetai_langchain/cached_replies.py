"""Replies that a model's cache gives again, under the id that they had the first time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from streetai_core import Memory, NewMessage


def with_new_ids(memory: Memory, messages: Sequence[NewMessage]) -> list[NewMessage]:
    """Messages as they are to be stored: without the id of a reply that is there, and is said again.

    An id makes adding a message again harmless. But LangChain's cache gives the very reply of an earlier turn, id and
    all, and that turn's reply is not this one's. They are told apart by the question before it: one without an id has
    just been asked.
    """
    asked_now = False
    found: list[NewMessage] = []
    for message in messages:
        if message.role == "user":
            asked_now = message.message_id is None
        is_again = asked_now and message.message_id is not None and memory.revisions(message.message_id)
        found.append(replace(message, message_id=None) if is_again else message)
    return found
