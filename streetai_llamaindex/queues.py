"""Which messages of a session LlamaIndex's memory blocks have not got yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from llama_index.core.memory.memory import (
    DEFAULT_FLUSH_SIZE,
    DEFAULT_MEMORY_BLOCKS_TEMPLATE,
    DEFAULT_TOKEN_LIMIT,
    BaseMemoryBlock,
)
from llama_index.core.prompts import RichPromptTemplate

from streetai_core.forking import fork_safe_lock
from streetai_core.prompt.turns import INSTRUCTION_ROLES
from streetai_llamaindex.conversations import Conversation
from streetai_llamaindex.speech import role_of
from streetai_llamaindex.transcript import Line
from streetai_llamaindex.window import TokenCosts, from_start


class Queue:
    """Which messages of a session memory blocks have not got. All memories of one session share it."""

    def __init__(self) -> None:
        self.limit: float = DEFAULT_TOKEN_LIMIT
        """Most tokens of the messages that stay."""
        self.lump = DEFAULT_FLUSH_SIZE
        """Fewest tokens that are handed over at once."""
        self.memory_blocks: list[BaseMemoryBlock[Any]] = []
        """Those of the memory that was made last, for its copies that come back from JSON."""
        self.template: RichPromptTemplate = DEFAULT_MEMORY_BLOCKS_TEMPLATE
        self._started = False
        self._first: str | None = None

    def start(self, newest: Callable[[], Sequence[Line]], costs: TokenCosts) -> None:
        """Begin, if that was not done: what is too much by now was handed over before a restart.

        Where the queue ended then is not stored. The newest of what was handed over may be handed over again.
        """
        if not self._started:
            lines = newest()
            stays = self._split(lines, costs)[1]
            self._first = stays[0].key if stays and len(stays) < len(lines) else None
            self._started = True

    def leaving(self, newest: Callable[[], Sequence[Line]], costs: TokenCosts) -> Sequence[Line]:
        """What is to be handed over now; from now on it counts as handed over."""
        gone, stays = self._split(from_start(newest(), self._first), costs)
        if gone:
            self._first = stays[0].key
        return gone

    def active(self, lines: Sequence[Line], costs: TokenCosts) -> Sequence[Line]:
        """Those of these lines, the newest, that were not handed over."""
        return from_start(lines, self._first) if self._started else self._split(lines, costs)[1]

    def restart(self) -> None:
        """The transcript is another one."""
        self._started, self._first = False, None

    def _split(self, lines: Sequence[Line], costs: TokenCosts) -> tuple[Sequence[Line], Sequence[Line]]:
        return outgrown(lines, costs.of_lines(lines), self.limit, self.lump)


_lock = fork_safe_lock()
_queues: WeakKeyDictionary[Conversation, Queue] = WeakKeyDictionary()


def queue_of(conversation: Conversation) -> Queue:
    """The queue of a session."""
    with _lock:
        return _queues.setdefault(conversation, Queue())


def outgrown(
    lines: Sequence[Line], costs: Sequence[int], limit: float, lump: int
) -> tuple[Sequence[Line], Sequence[Line]]:
    """What is too much for a queue, and what stays in it. No I/O.

    Whole exchanges go, oldest first, in lumps; the newest exchange and all instructions stay.

    Args:
        lines: the queue, oldest first.
        costs: their tokens.
        limit: most tokens that stay.
        lump: fewest tokens that go at once.

    Returns:
        The lines to hand over, without instructions, and the lines of the queue from then on.
    """
    too_much = sum(costs) - limit
    if too_much <= 0:
        return (), lines
    gone = 0
    starts = [place for place, line in enumerate(lines) if place and role_of(line.message) == "user"]
    for start in starts:
        gone = sum(costs[:start])
        if gone >= max(too_much, lump) or start == starts[-1]:
            leaving = [line for line in lines[:start] if role_of(line.message) not in INSTRUCTION_ROLES]
            return leaving, lines[start:]
    return (), lines
