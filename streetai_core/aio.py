"""Async twins: the same verb on a worker thread, so that the event loop is never blocked."""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from typing import Concatenate, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class HasExecutor(Protocol):
    """Whatever has twins says where they run."""

    @property
    def executor(self) -> Executor:
        """Bounded, and owned by the registry."""


S = TypeVar("S", bound=HasExecutor)


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
