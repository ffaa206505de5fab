"""One open block a thread: what keeps a thread from waiting for itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from weakref import ref

from streetai_core.errors import StoreError


class _Stay:
    """That a thread is inside; lives as long as the block does."""

    __slots__ = ("__weakref__",)


def _nobody() -> None:
    """No stay."""


class OneBlock(threading.local):
    """Makes context managers that each thread is in once; knows nothing of what other threads are in.

    Ctrl-C may come at any moment, also while a block is being left. Then nothing says any more that the block has
    ended; but what stood for it is gone, and the thread is free again.
    """

    def __init__(self) -> None:
        self._stay: Callable[[], _Stay | None] = _nobody

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Be inside.

        Raises:
            StoreError: the thread is inside already; a second lock would wait for the first for ever.
        """
        if self._stay() is not None:
            raise StoreError(
                "this thread is inside a reading or writing block of the store already; "
                "leave that block first, or use the transaction that it gave"
            )
        stay = _Stay()
        self._stay = ref(stay)
        try:
            yield
        finally:
            # A block that was abandoned may be closed later, and by another thread: it ends its own stay only.
            if self._stay() is stay:
                self._stay = _nobody
