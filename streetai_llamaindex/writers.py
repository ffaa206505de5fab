"""Threads for what may wait for the write lock of a file: reads, which asyncio's own are for, go on meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from streetai_core.aio import on_thread
from streetai_core.forking import renew_in_child

_MOST = 32
"""Threads for all engines of a process, as many as asyncio has at most. They start when they are needed; what waits for
a file computes nothing."""

P = ParamSpec("P")
R = TypeVar("R")


class _Writers:
    """The threads of this process: a forked child has none of its parent's."""

    def __init__(self) -> None:
        self._begin_anew()
        renew_in_child(self, _Writers._begin_anew)

    def _begin_anew(self) -> None:
        self.executor = ThreadPoolExecutor(_MOST, thread_name_prefix="streetai-writer")


_writers = _Writers()


def surely(called: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[R]:
    """Write on a thread for that, to the end also if whoever waits for it is cancelled."""
    return asyncio.shield(on_thread(_writers.executor, called, *args, **kwargs))
