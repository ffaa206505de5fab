"""Storing messages that come in lumps, without a turn: what a memory hands to its blocks when its window is full."""

from __future__ import annotations

from collections.abc import Sequence
from threading import RLock
from typing import TypeAlias
from uuid import uuid4
from weakref import WeakKeyDictionary

from llama_index.core.base.llms.types import ChatMessage

from streetai_core.forking import fork_safe_lock
from streetai_llamaindex.conversations import Conversation
from streetai_llamaindex.messages import copied, to_stored
from streetai_llamaindex.speech import remembered_text, role_of
from streetai_llamaindex.steps import Step

_Words: TypeAlias = tuple[str, str]
"""Role, and text without white space at its ends."""

_lock = fork_safe_lock()
_ingesting: WeakKeyDictionary[Conversation, RLock] = WeakKeyDictionary()
"""One lump of a session after the other, whichever of its blocks it was given to."""


def ingest(conversation: Conversation, messages: Sequence[ChatMessage]) -> None:
    """Store what is new of these messages. I/O; no failure of the memory is raised.

    If the first of them are the last ones that are stored, as where a lump is handed over twice, those are not stored
    again.

    Args:
        conversation: the session.
        messages: in the order they were said.

    Raises:
        InputError: one of them is not a message.
    """
    sent = [to_stored(one, None, message_id=f"llamaindex-{uuid4().hex}") for one in messages]
    with _lock:
        one_at_a_time = _ingesting.setdefault(conversation, fork_safe_lock())
    with one_at_a_time:
        stored = conversation.newest(len(sent)).lines if sent else ()
        before = [(role_of(line.message), line.text.strip()) for line in stored]
        now = [(role_of(one), remembered_text(one).strip()) for one in messages]
        known = _overlap(before, now)
        if sent[known:]:
            spoken = tuple(copied(one) for one in messages[known:])
            conversation.store([Step(None, tuple(sent[known:]), spoken)])


def _overlap(before: Sequence[_Words], now: Sequence[_Words]) -> int:
    """How many messages at the end of one list are the beginning of the other."""
    sizes = range(min(len(before), len(now)), 0, -1)
    return next((size for size in sizes if list(before[-size:]) == list(now[:size])), 0)
