"""An event loop that nothing may block: no file, database, lock, sleep or embedding, whoever asks for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from blockbuster import BlockBuster, BlockBusterFunction, BlockingError

from streetai_core.encoders import HashingEncoder
from streetai_core.stores import _sqlite
from streetai_core.workers import WorkerPool

PATIENCE = 60
"""Seconds after which a test gives up; nothing takes so long."""

_CONNECTION = ("execute", "executemany", "executescript", "commit", "rollback")
_CURSOR = ("execute", "executemany", "executescript", "fetchone", "fetchmany", "fetchall")


@contextmanager
def never_blocked() -> Iterator[list[str]]:
    """Refuse every blocking call on an event loop, and note it, because the code under test may swallow the refusal.

    Besides what blockbuster knows, these count: to open a file or a database, with whichever SQLite driver the store
    uses, and to embed with `HashingEncoder`, which stands for a model that takes its time.

    Yields:
        The names of what was called, in order; a test asserts that there are none.
    """
    calls: list[str] = []

    class NotedError(BlockingError):
        """The refusal of one call."""

        def __init__(self, func: str) -> None:
            super().__init__(func)
            calls.append(func)

    guard = BlockBuster()
    driver = _sqlite.driver
    ours = [
        *(BlockBusterFunction(None, name) for name in ("builtins.open", "io.open")),
        *(BlockBusterFunction(driver.Connection, name) for name in _CONNECTION),
        *(BlockBusterFunction(driver.Cursor, name) for name in _CURSOR),
        BlockBusterFunction(driver, "connect"),
        BlockBusterFunction(HashingEncoder, "embed"),
    ]
    guard.functions |= {one.full_name: one for one in ours}
    # A path is only made whole here, without a look at the disk; `os.getcwd`, which a relative one needs, is guarded.
    del guard.functions["os.path.abspath"]
    # This lock is held for a look-up in a dict only, never while anything is waited for.
    guard.functions["threading.Lock.acquire"].can_block_in("streetai_core/registry.py", {"get", "executor"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("blockbuster.blockbuster.BlockingError", NotedError)
        guard.activate()
        try:
            yield calls
        finally:
            guard.deactivate()


@contextmanager
def all_busy(executor: WorkerPool) -> Iterator[asyncio.Event]:
    """Worker threads that all have something else to do until the block ends.

    Yields:
        An event that tells when something waits for one of them.
    """
    busy, done, waits, submit = threading.Semaphore(0), threading.Event(), asyncio.Event(), executor.submit

    def other_work() -> None:
        busy.release()
        done.wait()

    def watched(*args: object) -> object:
        waits.set()
        return submit(*args)

    with pytest.MonkeyPatch.context() as patch:
        try:
            for _ in range(executor.threads):
                submit(other_work)
            assert all(busy.acquire(timeout=PATIENCE) for _ in range(executor.threads))
            patch.setattr(executor, "submit", watched)
            yield waits
        finally:
            done.set()
