"""One memory in this process, kept in step with its store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import RLock
from typing import TypeVar
from uuid import uuid4

from streetai_core.errors import StaleMemoryError
from streetai_core.state import MemoryState
from streetai_core.stores.base import Changes, Head, ReadTransaction, Store, WriteTransaction

Result = TypeVar("Result")

Plan = Callable[[WriteTransaction, MemoryState], tuple[Changes | None, Result]]
"""Decides under the write lock what to change (`None`: nothing), and what to give back."""


class CoherentState:
    """The state of one memory: read from the store when it has moved on, changed only after a commit.

    The lock protects the state; it is never held while an encoder works.
    """

    def __init__(self, memory_id: str, store: Store, clock: Callable[[], datetime]) -> None:
        self.lock = RLock()
        self.stale = False
        """Whether a call has found out that the memory was reset."""
        self._memory_id = memory_id
        self._store = store
        self._clock = clock
        self._state: MemoryState | None = None
        self._generation: int | None = None

    @contextmanager
    def reading(self) -> Iterator[tuple[ReadTransaction, MemoryState | None]]:
        """One consistent view: a read transaction, and the state brought up to it (`None`: never written).

        Raises:
            StaleMemoryError: the memory was reset.
            StoreError: the file cannot be read.
        """
        with self.lock, self._store.reading(self._memory_id) as transaction:
            yield transaction, self._current(transaction)

    def write(self, plan: Plan[Result]) -> tuple[Result, MemoryState]:
        """Plan under the write lock, commit, and only then change RAM. Call with `lock` held.

        Returns:
            What the plan gives back, and the state afterwards.
        """
        try:
            with self._store.writing(self._memory_id) as transaction:
                state = self._current(transaction) or MemoryState(self._first_head())
                changes, result = plan(transaction, state)
                head = None if changes is None else transaction.apply(changes, now=self._clock())
        except BaseException:
            # Whether a failed COMMIT has stored anything is unknown: the store is the truth, so RAM is read anew.
            self.forget()
            raise
        if changes is not None and head is not None:
            self._generation = head.generation
            state.apply(changes, head)
            self._state = state
        return result, state

    def forget(self) -> None:
        """Read everything anew at the next call."""
        self._state = None

    def _current(self, transaction: ReadTransaction) -> MemoryState | None:
        """The state as of this transaction."""
        head = transaction.head
        if head is None:
            self._state = None
            return None
        self._check_generation(head)
        if self._state is None or self._state.head.version != head.version:
            rows = transaction.rows(None if self._state is None else self._state.head.version)
            if rows is None:
                return None
            if self._state is None or rows.complete:
                self._state = MemoryState.of(rows)
            else:
                self._state.update(rows)
        return self._state

    def _check_generation(self, head: Head) -> None:
        if self._generation is None:
            self._generation = head.generation
        elif head.generation != self._generation:
            self.stale = True
            raise StaleMemoryError(
                f"memory {self._memory_id!r} was reset; call registry.get({self._memory_id!r}) for a new handle"
            )

    def _first_head(self) -> Head:
        return Head(memory_id=self._memory_id, token=uuid4().hex[:12])
