"""A transaction as a block: committed at its end, rolled back by any exception."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager

from streetai_core.errors import StoreError
from streetai_core.stores import _sqlite
from streetai_core.stores.faults import Faults


@contextmanager
def transaction(connection: _sqlite.Connection, path: str, begin: str) -> Iterator[None]:
    """Run the block between `begin` and COMMIT.

    Raises:
        MemoryBusyError: the lock was not free in time.
        StoreError: BEGIN or COMMIT failed. Whether a COMMIT that raised has stored anything is unknown: read
            the memory's version.
    """
    process = os.getpid()
    with Faults(path):
        connection.execute(begin)
    try:
        yield
        _commit(connection, path, process)
    except BaseException:
        # A forked child has the connection, but must not touch it.
        if connection.in_transaction and os.getpid() == process:
            # If even this fails, the connection stays in its transaction, and is closed instead of used again.
            with contextlib.suppress(*_sqlite.FAILURES):
                connection.execute("ROLLBACK")
        raise


def _commit(connection: _sqlite.Connection, path: str, process: int) -> None:
    if os.getpid() != process:
        raise StoreError(f"{path}: the process was forked inside this block; the transaction is the parent's")
    with Faults(path):
        connection.execute("COMMIT")
