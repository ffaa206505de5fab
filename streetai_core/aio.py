"""Async twins: the same verb on a worker thread, so that the event loop is never blocked."""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from streetai_core.workers import for_writing

if TYPE_CHECKING:
    import asyncio

P = ParamSpec("P")
R = TypeVar("R")


class HasExecutor(Protocol):
    """Whatever has twins says where they run."""

    @property
    def executor(self) -> Executor:
        """Bounded, and owned by the registry."""


S = TypeVar("S", bound=HasExecutor)


@overload
def twin(verb: Callable[Concatenate[S, P], R], *, writes: bool = ...) -> Callable[Concatenate[S, P], Awaitable[R]]: ...
@overload
def twin(verb: property) -> Callable[[Any], Awaitable[Any]]: ...
def twin(verb: Callable[..., Any] | property, *, writes: bool = False) -> Callable[..., Awaitable[Any]]:
    """The async twin of a method: same arguments, same result, same errors. That of a property is a method.

    A cancelled twin stops waiting. A verb that has begun runs to its end, so what it writes is written whole or not at
    all; one that no thread was free for is not run. Context variables go along, as with `asyncio.to_thread`.

    Args:
        verb: the method, or a property.
        writes: whether it may wait for the write lock of a file: then it takes no thread of those that read.
    """
    return _twin(verb, sure=False, writes=writes)


def sure_twin(verb: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], Awaitable[R]]:
    """A `twin` that writes, and is run also if it is cancelled before a thread is free: for what must not be lost."""
    return _twin(verb, sure=True, writes=True)


def _twin(verb: Callable[..., Any] | property, *, sure: bool, writes: bool) -> Callable[..., Awaitable[Any]]:
    called: Any = getattr(verb, "fget", verb)

    @functools.wraps(called)
    async def run(self: HasExecutor, /, *args: Any, **kwargs: Any) -> Any:
        result = on_thread(for_writing(self.executor) if writes else self.executor, called, self, *args, **kwargs)
        return await (_shielded(result) if sure else result)

    run.__name__ = f"a{called.__name__}"
    run.__qualname__ = f"{called.__qualname__.rpartition('.')[0]}.a{called.__name__}"
    run.__doc__ = f"Async twin of `{called.__name__}`: runs it on a worker thread."
    return run


def on_thread(executor: Executor, called: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[R]:
    """What a function gives that is called on a thread of a pool, with the context variables of who asks.

    Args:
        executor: the pool.
        called: the function.
        args: what it is called with.
        kwargs: the same by name.
    """
    import asyncio  # noqa: PLC0415 - a third of the time that importing this package would take; loaded by now

    call = functools.partial(_raising, called, *args, **kwargs)
    return asyncio.get_running_loop().run_in_executor(executor, contextvars.copy_context().run, call)


def _shielded(result: asyncio.Future[R]) -> asyncio.Future[R]:
    """The same, for one who may stop waiting without ending it."""
    import asyncio  # noqa: PLC0415 - as above

    return asyncio.shield(result)


def _raising(called: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """What it returns; no future can hold a `StopIteration`, as a clock raises that has no more times to tell.

    Raises:
        RuntimeError: for that one, as Python has it in generators. The twin would wait for ever.
    """
    try:
        return called(*args, **kwargs)
    except StopIteration as error:
        raise RuntimeError(f"{getattr(called, '__name__', called)} raised StopIteration") from error
