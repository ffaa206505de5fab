"""What becomes of locks in a forked child: it has none of its parent's threads, and all that they held.

A lock that another thread held would never be free there. Nobody asks at each use whose process it is, which costs more
than the lock itself: all locks are found at the moment of a fork.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock, RLock
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary, WeakSet

Owner = TypeVar("Owner")

_locks: WeakSet[Lock | RLock] = WeakSet()
"""All that exist, for the moment of a fork."""

_owners: WeakKeyDictionary[object, tuple[Callable[[Any], None], Lock | RLock | None]] = WeakKeyDictionary()
"""What is begun anew in a child, how, and the lock that must have been held for it."""


def fork_safe_lock() -> RLock:
    """A lock of Python's own, which is free in a forked child if another thread of the parent holds it.

    It is a reentrant one, which costs the same and knows its owner: a child that is forked inside the block of this
    very thread can leave it, and a finalizer that the garbage collector runs in there is not stopped for ever. Such a
    one may find what the lock protects half changed.
    """
    lock = RLock()
    _locks.add(lock)
    return lock


def fork_safe_plain_lock() -> Lock:
    """Like `fork_safe_lock`, but not reentrant, and with `locked()`: for blocks in which nobody forks."""
    lock = Lock()
    _locks.add(lock)
    return lock


def renew_in_child(owner: Owner, renew: Callable[[Owner], None], *, if_held: Lock | RLock | None = None) -> None:
    """Have `renew(owner)` called in every process that is forked from now on, as long as the owner exists.

    Args:
        owner: what a thread of the parent may be in the middle of changing; it is registered once.
        renew: begins it anew. All locks made here that other threads held are free by then.
        if_held: one of them; `renew` is called only if another thread held it at the fork. `None`: always.
    """
    _owners[owner] = renew, if_held


def _after_fork_in_child() -> None:
    held = {lock for lock in list(_locks) if not _is_free(lock)}
    for lock in held:
        # No public name does it: nobody but its owner can release it. Python's own locks are renewed so.
        cast("Any", lock)._at_fork_reinit()  # noqa: SLF001 - as above
    for owner, (renew, if_held) in list(_owners.items()):
        if if_held is None or if_held in held:
            renew(owner)


def _is_free(lock: Lock | RLock) -> bool:
    """Whether a lock can be taken; this thread may have it, if it is reentrant."""
    if not lock.acquire(blocking=False):
        return False
    lock.release()
    return True


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_after_fork_in_child)
