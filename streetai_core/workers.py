"""Worker threads of which few compute at a time: the others wait for their turn, or for a model.

Python runs one thread at a time, and hands over every five milliseconds: with 8 threads that all compute, an event loop
waits 40 for its turn. But of many threads that wait for a model, the model can answer several at once.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import ParamSpec, TypeVar

from streetai_core.forking import renew_in_child

_MOST_THREADS = 8
"""Enough to overlap embedding, disk and waiting on a small server, few enough that their database connections do not
matter."""

_SPARE_THREADS = 1
"""More than there are processors, for what waits for the disk. With 8 threads on 2 processors an event loop waited
several times as long for its turn, and no more chats were served (`tests.benchmarks.concurrent_chats`)."""

_THREADS_A_PROCESSOR = 12
"""Where a model answers those that wait together: eight of them, and some that are on their way to it."""

_MOST_WAITING = 32
"""Threads in any case; more calls of a model at once gain nothing."""

_PATIENCE = 0.1
"""Seconds after which a thread goes on without a place, longer than 200 chats on two cores keep one waiting: who has it
may wait for the disk, for another process's lock, or for a lock of the app's that this thread holds."""

P = ParamSpec("P")
R = TypeVar("R")


class _Here(threading.local):
    """The places of the pool that a thread works for, and whether it has one of them.

    A class of its own: the one that gevent puts in place of Python's cannot be referred to weakly.
    """

    free: threading.Semaphore | None = None
    has_place: bool = False


_here = _Here()


class WorkerPool(ThreadPoolExecutor):
    """Threads that share places to compute at. One that waits too long for a place goes on without.

    Args:
        threads: how many there are. They start at once: whoever starts one waits until it runs, and an event loop would
            wait for each while others compute.
        places: how many of them compute at a time.
        beside: another pool, with which they share its places.
    """

    def __init__(self, threads: int, places: int, *, beside: WorkerPool | None = None) -> None:
        super().__init__(threads, thread_name_prefix="streetai")
        self.threads = threads
        self.places = places
        self.writers = self
        """The threads of those who write, and may have to wait for a file; `self`: there are none apart."""
        self._process = os.getpid()
        self._free: threading.Semaphore = threading.Semaphore(places) if beside is None else beside._free  # noqa: SLF001 - of this class
        self._start(threads)

    def _start(self, threads: int) -> None:
        """Have all threads started, or as many as the machine has left.

        Raises:
            RuntimeError: it has none.
        """
        all_there = threading.Event()
        try:
            for _ in range(threads):
                super().submit(all_there.wait)
        except RuntimeError:
            self.threads = self._max_workers = len(self._threads)
            if not self.threads:
                raise
        finally:
            # Else those that are there would wait for ever, and the program with them when it ends.
            all_there.set()

    @property
    def is_of_this_process(self) -> bool:
        """Whether the threads are there: after a fork the child has the pool, and none of them."""
        return self._process == os.getpid()

    @property
    def is_asked_from_within(self) -> bool:
        """Whether this is one of its threads, which cannot wait for itself."""
        return _here.free is self._free

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Run a function on a thread, as soon as it has one and a place."""
        return super().submit(self._work, fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - Python's signature
        """End the threads, those of the writers too."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        if self.writers is not self:
            self.writers.shutdown(wait, cancel_futures=cancel_futures)

    def _work(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        _here.free, _here.has_place = self._free, self._free.acquire(timeout=_PATIENCE)
        try:
            return fn(*args, **kwargs)
        finally:
            if _here.has_place:
                self._free.release()
            _leave_pool(_here)


@contextmanager
def elsewhere() -> Iterator[None]:
    """Leave this thread's place to another one while the block waits, or computes outside Python; then wait for one.

    Does nothing on a thread that is not a worker's.
    """
    free = _here.free
    if free is None or not _here.has_place:
        yield
        return
    _here.has_place = False
    free.release()
    try:
        yield
    finally:
        # Not in a child that was forked inside the block.
        if _here.free is free:
            _here.has_place = free.acquire(timeout=_PATIENCE)


def _leave_pool(here: _Here) -> None:
    here.free, here.has_place = None, False


# A child that a worker has forked has no other one, and none that would give a place back.
renew_in_child(_here, _leave_pool)


def pool_for(processors: int, *, local: bool, joins: bool) -> WorkerPool:
    """The threads for an encoder.

    Args:
        processors: how many there are for this process, from 1.
        local: whether everything is computed in this process, and no thread waits for another machine.
        joins: whether the encoder answers calls from several threads together.
    """
    if joins:
        # Beside the model, which has its own: half of the processors, of which Python uses hardly more than one.
        threads, places = min(_MOST_WAITING, _THREADS_A_PROCESSOR * processors), max(1, processors // 2)
    else:
        threads = places = min(_MOST_THREADS, processors + _SPARE_THREADS) if local else _MOST_THREADS
    pool = WorkerPool(threads, places)
    # Where the machine has no more threads, there are none apart.
    with suppress(RuntimeError):
        pool.writers = WorkerPool(threads, places, beside=pool)
    return pool


def for_writing(executor: Executor) -> Executor:
    """Where to run what writes: while it waits for a file that another program has, reads have threads of their own."""
    return executor.writers if isinstance(executor, WorkerPool) else executor


def usable_processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
