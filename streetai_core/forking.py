"""What becomes of locks in a forked child: it has none of its parent's threads, and all that they held."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

Owner = TypeVar("Owner")

_all: WeakKeyDictionary[object, Callable[[Any], None]] = WeakKeyDictionary()
"""All owners of locks that exist, for the moment of a fork."""


def renew_in_child(owner: Owner, renew: Callable[[Owner], None]) -> None:
    """Have `renew(owner)` called in every process that is forked from now on, as long as the owner exists.

    Args:
        owner: has locks, or what they protect.
        renew: gives it free ones, and drops what a thread of the parent may have been in the middle of changing.
    """
    _all[owner] = renew


def _after_fork_in_child() -> None:
    for owner, renew in list(_all.items()):
        renew(owner)


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_after_fork_in_child)
