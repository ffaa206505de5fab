"""The memory blocks of a `StreetAIMemory`: asked once a turn, and given what has left the window."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, TypeVar

from llama_index.core.base.llms.types import ChatMessage, MessageRole

from streetai_core.forking import fork_safe_lock

Result = TypeVar("Result")

_MOST_TURNS = 64
"""Turns whose contents are kept: more than are open at once on one memory."""


@dataclass(slots=True)
class Contents:
    """What the blocks say in one turn."""

    content: list[Any] = field(default_factory=list)
    """Blocks of content, for a system or a user message."""
    messages: list[ChatMessage] = field(default_factory=list)
    """Whole messages, for the beginning."""
    tokens: int = 0
    _placed: list[ChatMessage] = field(default_factory=list)

    def inserted(self, window: Sequence[ChatMessage], role: MessageRole, *, new: bool) -> list[ChatMessage]:
        """The window with them: in its first system message or its last user message, else in a message of their own.

        The messages of a window are the same at each read of a turn, so each gets the content once.

        Args:
            window: the turn's copies; changed.
            role: of the message that gets the content, system or user.
            new: whether the question is not in the window yet, so that its last user message is another one.
        """
        messages = [*self.messages, *window]
        if not self.content:
            return messages
        last_is_question = bool(window) and window[-1].role == MessageRole.USER
        places = [at for at, message in enumerate(messages) if message.role == role]
        if not places or (role == MessageRole.USER and new and not last_is_question):
            own = ChatMessage(role=role, blocks=list(self.content))
            return [own, *messages] if role == MessageRole.SYSTEM else [*messages, own]
        target = messages[places[0] if role == MessageRole.SYSTEM else places[-1]]
        if not any(target is one for one in self._placed):
            target.blocks = [*self.content, *target.blocks]
            self._placed.append(target)
        return messages


class ContentsOfTurns:
    """The contents by turn. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = fork_safe_lock()
        self._known: OrderedDict[str, Contents] = OrderedDict()

    def of(self, turn_id: str) -> Contents | None:
        """What is known for a turn."""
        with self._lock:
            return self._known.get(turn_id)

    def keep(self, turn_id: str, contents: Contents) -> Contents:
        """Keep contents for a turn; returns the first that were kept for it."""
        with self._lock:
            kept = self._known.setdefault(turn_id, contents)
            while len(self._known) > _MOST_TURNS:
                self._known.popitem(last=False)
            return kept


def run_to_end(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine from synchronous code; on the thread of a running loop it gets a loop on another thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(copy_context().run, asyncio.run, coroutine).result()
