"""Learning from a reply that nobody puts into a memory: once for each turn, and never on an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future, wait
from functools import partial

from streetai_core.failures import OnError, fail_open
from streetai_core.forking import fork_safe_lock, renew_in_child
from streetai_core.later import Later, must_not_wait
from streetai_core.workers import for_writing
from streetai_llamaindex.hearing import Heard
from streetai_llamaindex.retrieved import Retrieved

_NOT_LEARNED = "nothing is learned from this turn"
_NO_THREAD = "from a stream that is closed early it may be learned only when the database is closed"


class Lessons:
    """Learns what was heard. A turn whose question a memory has stored is left to that memory, which gets the reply.

    Args:
        on_error: told of every failure; `None`: the one of the session's memory.
    """

    def __init__(self, on_error: OnError | None = None) -> None:
        self._on_error = on_error
        self._lock = fork_safe_lock()
        self._running: set[Future[None]] = set()
        self._handed: set[Later] = set()
        """Threads that have been given what finalizers have heard."""
        renew_in_child(self, Lessons._begin_anew)

    def _begin_anew(self) -> None:
        """In a forked child: the parent learns what its threads are learning."""
        self._running, self._handed = set(), set()

    def expected(self, turns: Sequence[Retrieved]) -> Sequence[Retrieved]:
        """The same turns, with a thread for each whose reply the garbage collector may end: it cannot start one."""
        for one in turns:
            with fail_open(_NO_THREAD, self._failing(one)):
                one.conversation.opening.registry.later.start()
        return turns

    def learn(self, heard: Heard | None) -> None:
        """Learn from a reply. On the thread of an event loop the I/O is done by a worker thread of the engine's."""
        if heard is None:
            return
        for one in heard.turns:
            with fail_open(_NOT_LEARNED, self._failing(one)):
                if must_not_wait():
                    self._hand_over(one, heard.reply)
                else:
                    self._claim(one, heard.reply)

    def flush(self) -> None:
        """Wait until what worker threads are learning is learned."""
        with self._lock:
            running = list(self._running)
            handed, self._handed = self._handed, set()
        wait(running)
        for later in list(handed):
            later.wait()

    def _hand_over(self, one: Retrieved, reply: str) -> None:
        """Learn on another thread, unless the engine is closed: who has the turn may wait for what this thread has."""
        registry = one.conversation.opening.opened
        if registry is not None:
            self._handed.add(registry.later)
            registry.later.hand(partial(self._claim, one, reply))

    def _claim(self, one: Retrieved, reply: str) -> None:
        """Learn, if nobody else does or has."""
        with fail_open(_NOT_LEARNED, self._failing(one)):
            # Claimed here, so that what is put into a memory from now on is another turn.
            if claimed(one, reply):
                self._carry_out(one, reply)

    def _carry_out(self, one: Retrieved, reply: str) -> None:
        if not _is_on_loop():
            self._post_process(one, reply)
            return
        executor = for_writing(one.conversation.opening.registry.executor)
        future = executor.submit(self._post_process, one, reply)
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
