"""Who writes a file next: in this process in the order in which they came.

SQLite lets those who wait for its write lock try again from time to time, the longer they have waited the more seldom.
So of many threads some would get it at once and others never. One thread of each process waits for SQLite, the others
for that one, with neither a connection nor the file in use.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from weakref import ref

from streetai_core.errors import MemoryBusyError
from streetai_core.forking import fork_safe_lock, renew_in_child

_GLANCE = 1.0
"""Seconds after which whoever waits looks whether the first one is still there."""


class _Place:
    """That a thread writes or waits; lives as long as its block does."""

    __slots__ = ("__weakref__", "is_first")

    def __init__(self) -> None:
        self.is_first = Event()


class Writers:
    """The threads of this process that write one file, or wait for it."""

    def __init__(self) -> None:
        self._lock = fork_safe_lock()
        self._queue: deque[ref[_Place]] = deque()
        """Weak: an interrupt may come while a block is being left, which has gone then and says nothing."""
        renew_in_child(self, Writers._begin_anew)

    def __len__(self) -> int:
        return len(self._queue)

    def _begin_anew(self) -> None:
        """In a forked child: the others are the parent's threads."""
        self._queue = deque()

    @contextmanager
    def next_one(self, patience: float) -> Iterator[None]:
        """Write within the block, when all who came before are done.

        Args:
            patience: seconds to wait for them.

        Raises:
            MemoryBusyError: they were not done in time.
        """
        place, give_up = _Place(), time.monotonic() + patience
        try:
            with self._lock:
                self._queue.append(ref(place))
            self._call_first()
            while not place.is_first.wait(max(0.0, min(_GLANCE, give_up - time.monotonic()))):
                if time.monotonic() >= give_up:
                    raise MemoryBusyError(patience)
                self._call_first()
            yield
        finally:
            self._leave(place)

    def _leave(self, place: _Place) -> None:
        with self._lock:
            self._queue = deque(one for one in self._queue if one() not in (None, place))
        self._call_first()

    def _call_first(self) -> None:
        """Tell the first that is still there."""
        with self._lock:
            while self._queue:
                first = self._queue[0]()
                if first is not None:
                    first.is_first.set()
                    return
                self._queue.popleft()
