"""What must not be done in a finalizer is handed to a thread: the garbage collector may step in anywhere.

It may run in a thread that holds a lock, of ours or of the app's, at any allocation. So a finalizer takes no lock at
all, and waits for nothing.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Thread, current_thread
from types import FrameType
from weakref import finalize, ref

from streetai_core.forking import fork_safe_lock, renew_in_child

logger = logging.getLogger(__name__)

Job = Callable[[], None]

_LOCKING = (
    "streetai_core.verbs.",
    "streetai_core.registry",
    "streetai_core.aio",
    "streetai_core.later",
    "streetai_core.stores.",
    "streetai_core.encoders.",
    "streetai_core.adapters.interceptor",
    "streetai_core.adapters.turns",
)
"""Modules through which everything goes that holds a lock or a transaction of a memory's."""

_GLANCE = 1.0
"""Seconds after which whoever waits for the thread looks whether it is still there."""


class Later:
    """Does what it is handed on one thread, in order. The thread lives until `finish`, or as long as this object."""

    def __init__(self) -> None:
        # Of all queues, this one alone may be put to from a finalizer that interrupts a put to it.
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        # One for each job that is not done. Appending and popping are single steps, so they need no lock.
        self._undone: list[None] = []
        self._lock = fork_safe_lock()
        self._thread: Thread | None = None
        self._leaving: finalize[..., Later] | None = None
        renew_in_child(self, Later._begin_anew)

    def _begin_anew(self) -> None:
        """In a forked child: no thread, and none of the jobs, which the parent does."""
        if self._leaving is not None:
            self._leaving.detach()
        self._jobs, self._undone = SimpleQueue(), []
        self._thread, self._leaving = None, None

    def start(self) -> None:
        """Have the thread ready, because a finalizer cannot start one.

        Raises:
            RuntimeError: the machine has no thread left.
        """
        with self._lock:
            # After a fork the child has the object, and no thread.
            if self._thread is not None and self._thread.is_alive():
                return
            thread = Thread(target=_work, args=(self._jobs,), name="streetai-later", daemon=True)
            thread.start()
            self._thread = thread
            # At the end of the program, finalizers run youngest first: those of streams, which hand over, before this.
            self._leaving = finalize(self, _leave, self._jobs, thread, ref(self))

    def hand(self, job: Job) -> None:
        """Have something done. Takes no lock and waits for nothing, so that a finalizer may call it."""
        self._undone.append(None)
        self._jobs.put(partial(_do, job, self._undone))

    def wait(self) -> None:
        """Wait until what was handed over so far is done; at once where that is nothing, or a job of it asks."""
        thread = self._thread
        if not self._undone or thread is None or thread is current_thread():
            return
        done = Event()
        self._jobs.put(done.set)
        # The thread may end meanwhile, and after a fork the child has none.
        while thread.is_alive() and not done.wait(_GLANCE):
            pass

    def finish(self) -> None:
        """Do what is left, and end the thread; `start` begins another one."""
        with self._lock:
            thread, leaving = self._thread, self._leaving
        if leaving is not None:
            leaving.detach()
        if thread is current_thread():
            # A job ends the client that it is for. The thread cannot wait for itself, and ends after the job.
            _work_off(self._jobs)
            self._jobs.put(None)
            return
        if thread is not None:
            _end(self._jobs, thread)
        _work_off(self._jobs)


def must_not_wait() -> bool:
    """Whether a stream is being closed by a finalizer, or may be: then no lock may be taken.

    The garbage collector closes a generator by raising `GeneratorExit` in it; of a `__del__` there is no such sign, but
    a memory that it interrupts is further up in this thread.
    """
    error = sys.exc_info()[1]
    while error is not None:
        if isinstance(error, GeneratorExit):
            return True
        error = error.__context__
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - there is no other way to know who is being interrupted
    while frame is not None:
        name = frame.f_globals.get("__name__") or ""
        if name.startswith(_LOCKING):
            return True
        frame = frame.f_back
    return False


def _work(jobs: SimpleQueue[Job | None]) -> None:
    """The thread. It has nothing but the queue, so that what hands over can be forgotten."""
    while (job := jobs.get()) is not None:
        job()
        del job  # it holds whoever handed it over, and the next may be long in coming


def _work_off(jobs: SimpleQueue[Job | None]) -> None:
    """Do in this thread what is in the queue now."""
    try:
        while True:
            job = jobs.get_nowait()
            if job is not None:
                job()
    except Empty:
        return


def _do(job: Job, undone: list[None]) -> None:
    try:
        job()
    except (Exception, SystemExit):
        # A job reports what goes wrong; what is left is `SystemExit` from an app's own function, which ends no program
        # from here, and must not end the thread either.
        logger.exception("what was left of a stream is not stored")
    finally:
        undone.pop()


def _end(jobs: SimpleQueue[Job | None], thread: Thread) -> None:
    """End the thread, once it has done what it was handed."""
    jobs.put(None)
    thread.join()


def _leave(jobs: SimpleQueue[Job | None], thread: Thread, owner: ref[Later]) -> None:
    """End the thread: at the end of the program, or because its owner is gone, who has nothing to wait for."""
    if owner() is None:
        jobs.put(None)
        return
    _end(jobs, thread)
    _work_off(jobs)
