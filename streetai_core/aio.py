"""Async twins: the same verb on a worker thread, so that the event loop is never blocked."""

from __future__ import annotations

import contextvars
import functools
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from typing import Concatenate, ParamSpec, Protocol, TypeVar

_MOST_THREADS = 8
"""Enough to overlap embedding, disk and waiting on a small server, few enough that their database connections do not
matter."""

_SPARE_THREADS = 1
"""More than there are processors, for what waits for the disk. With 8 threads on 2 processors an event loop waited
several times as long for its turn, and no more chats were served (`tests.benchmarks.concurrent_chats`)."""

P = ParamSpec("P")
R = TypeVar("R")


class HasExecutor(Protocol):
    """Whatever has twins says where they run."""

    @property
    def executor(self) -> Executor:
        """Bounded, and owned by the registry."""


S = TypeVar("S", bound=HasExecutor)


def worker_threads(processors: int, *, local: bool) -> int:
    """How many threads twins run on.

    Args:
        processors: how many there are for this process, from 1.
        local: whether everything is computed in this process, and no thread waits for another machine.
    """
    return min(_MOST_THREADS, processors + _SPARE_THREADS) if local else _MOST_THREADS


def usable_processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def twin(verb: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], Awaitable[R]]:
    """The async twin of a method: same arguments, same result, same errors.

    A cancelled twin stops waiting; the verb itself runs to its end, so what it writes is written whole or not at all.
    Context variables go along, as with `asyncio.to_thread`.
    """

    @functools.wraps(verb)
    async def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        import asyncio  # noqa: PLC0415 - a third of the time that importing this package would take; loaded by now

        loop = asyncio.get_running_loop()
        call = functools.partial(contextvars.copy_context().run, verb, self, *args, **kwargs)
        return await loop.run_in_executor(self.executor, call)

    run.__name__ = f"a{verb.__name__}"
    run.__qualname__ = f"{verb.__qualname__.rpartition('.')[0]}.a{verb.__name__}"
    run.__doc__ = f"Async twin of `{verb.__name__}`: runs it on a worker thread."
    return run
