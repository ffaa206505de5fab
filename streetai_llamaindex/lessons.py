"""Learning from a reply that nobody puts into a memory: once for each turn, and never on an event loop."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, wait
from threading import Lock

from streetai_core.failures import OnError, fail_open
from streetai_llamaindex.hearing import Heard
from streetai_llamaindex.retrieved import Retrieved

_NOT_LEARNED = "nothing is learned from this turn"


class Lessons:
    """Learns what was heard. A turn whose question a memory has stored is left to that memory, which gets the reply.

    Args:
        on_error: told of every failure; `None`: the one of the session's memory.
    """

    def __init__(self, on_error: OnError | None = None) -> None:
        self._on_error = on_error
        self._lock = Lock()
        self._running: set[Future[None]] = set()

    def learn(self, heard: Heard | None) -> None:
        """Learn from a reply. On the thread of an event loop the I/O is done by a worker thread of the engine's."""
        if heard is None:
            return
        for one in heard.turns:
            with fail_open(_NOT_LEARNED, self._failing(one)):
                # Claimed here, so that what is put into a memory from now on is another turn.
                if claimed(one, heard.reply):
                    self._carry_out(one, heard.reply)

    def flush(self) -> None:
        """Wait until what worker threads are learning is learned."""
        with self._lock:
            running = list(self._running)
        wait(running)

    def _carry_out(self, one: Retrieved, reply: str) -> None:
        if not _is_on_loop():
            self._post_process(one, reply)
            return
        future = one.conversation.opening.registry.executor.submit(self._post_process, one, reply)
        with self._lock:
            self._running.add(future)
        future.add_done_callback(self._forget)

    def _post_process(self, one: Retrieved, reply: str) -> None:
        with fail_open(_NOT_LEARNED, self._failing(one)):
            post_process(one, reply)

    def _forget(self, future: Future[None]) -> None:
        with self._lock:
            self._running.discard(future)

    def _failing(self, one: Retrieved) -> OnError | None:
        return self._on_error or one.conversation.on_error


def claimed(one: Retrieved, reply: str) -> bool:
    """Make a reply the one of a turn; False if the turn has one, or belongs to a memory that waits for it. No I/O."""
    turn = one.turn
    with turn.lock:
        if turn.answered or turn.asked is not None:
            return False
        turn.outcome, turn.reply = "answered", reply
        return True


def post_process(one: Retrieved, reply: str) -> None:
    """Learn from the reply to a turn, for everything that was recalled or retrieved for it. I/O.

    Raises:
        StreetAIError: the memory failed.
    """
    conversation = one.conversation
    conversation.opening.registry.get(conversation.session_id).post_process(one.turn.retrieved, reply)


def _is_on_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
