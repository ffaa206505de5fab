"""One open block a thread: what keeps a thread from waiting for itself."""

from __future__ import annotations

import threading

from streetai_core.errors import StoreError


class OneBlock(threading.local):
    """A context manager that each thread is in once; knows nothing of what other threads are in."""

    def __init__(self) -> None:
        self._inside = False

    def __enter__(self) -> None:
        """Be inside.

        Raises:
            StoreError: the thread is inside already; a second lock would wait for the first for ever.
        """
        if self._inside:
            raise StoreError(
                "this thread is inside a reading or writing block of the store already; "
                "leave that block first, or use the transaction that it gave"
            )
        self._inside = True

    def __exit__(self, *exception: object) -> None:
        self._inside = False
