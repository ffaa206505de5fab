"""Who uses database files at this moment, so that a process is forked when nobody does.

SQLite forbids to carry an open file into a forked child: the child would believe to hold locks that only the parent
has. So whoever forks waits until the uses that other threads have begun are ended, and none begins meanwhile. If one
takes too long, the child cannot use that file, and is told so.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock, get_ident
from weakref import WeakSet

from streetai_core.errors import StoreError

PATIENCE = 5.0
"""Seconds that a fork waits: a hundred times what a recall or a message takes, and no longer than a server may take to
start a worker."""

_PAUSE = 0.001
"""Seconds between two looks at whether the files are free."""


@dataclass(eq=False, frozen=True)
class _Use:
    """That a thread uses a file."""

    path: str
    thread: int


class FileUses:
    """The uses of database files in this process."""

    def __init__(self) -> None:
        self._lock = Lock()
        """Protects the others; held at the moment of a fork."""
        self._fork = Lock()
        """Held while the process is being forked."""
        self._forking = False
        self._uses: WeakSet[_Use] = WeakSet()
        """Weak: a block that was interrupted or abandoned may not have been ended, but is gone."""
        self._forbidden: set[str] = set()
        """Files that were in use when this process was forked."""

    @contextmanager
    def using(self, path: str) -> Iterator[None]:
        """Use a file within the block, by connections that nobody else has.

        Args:
            path: of the file, absolute.

        Raises:
            StoreError: this process was forked while the file was in use.
        """
        process, use = os.getpid(), _Use(path, get_ident())
        while not self._begun(use):
            with self._fork:
                pass  # it is done
        try:
            yield
        finally:
            # A child that was forked inside the block has nothing to end.
            if os.getpid() == process:
                with self._lock:
                    self._uses.discard(use)

    def before_fork(self) -> None:
        """Wait until no other thread uses a file, and let none begin."""
        self._fork.acquire()
        self._forking = True
        give_up = time.monotonic() + PATIENCE
        try:
            while self._used_by_others() and time.monotonic() < give_up:
                time.sleep(_PAUSE)
        finally:
            # Also after Ctrl-C, which ends the waiting and not the fork.
            self._lock.acquire()

    def after_fork_in_parent(self) -> None:
        """Go on."""
        self._forking = False
        self._lock.release()
        self._fork.release()

    def after_fork_in_child(self) -> None:
        """Begin anew: what is still in use is the parent's."""
        self._lock, self._fork, self._forking = Lock(), Lock(), False
        self._forbidden.update(use.path for use in self._uses)
        self._uses = WeakSet()

    def _begun(self, use: _Use) -> bool:
        """Begin, unless a fork is under way. That one waits for threads that use a file already: they must go on."""
        with self._lock:
            if self._forking and all(other.thread != use.thread for other in self._uses):
                return False
            if use.path in self._forbidden:
                raise StoreError(
                    f"{use.path} was being read or written when this process was forked, so this process cannot use "
                    "it. Fork outside of blocks of the store and while no call takes seconds, or start processes with "
                    "the method 'spawn'."
                )
            self._uses.add(use)
            return True

    def _used_by_others(self) -> bool:
        with self._lock:
            return any(use.thread != get_ident() for use in self._uses)


USES = FileUses()
"""Of all stores, and of whatever else opens a database."""

using = USES.using
