"""One memory in this process, kept in step with its store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import datetime
from itertools import islice
from typing import TypeVar
from uuid import uuid4
from weakref import WeakKeyDictionary

from streetai_core.errors import StaleMemoryError, StreetAIError
from streetai_core.forking import fork_safe_lock, renew_in_child
from streetai_core.imaging import content_of, state_of
from streetai_core.state import MemoryState
from streetai_core.stores.base import ReadTransaction, Store, WriteTransaction
from streetai_core.stores.images import UNREADABLE
from streetai_core.stores.types import Changes, Head
from streetai_core.stores.values import is_complete

Result = TypeVar("Result")

Plan = Callable[[WriteTransaction, MemoryState], tuple[Changes | None, Result]]
"""Decides under the write lock what to change (`None`: nothing), and what to give back."""


_NEW = 8
"""An image is made anew when an eighth of the signals are not in it: each is then written some eight times while a
memory grows to any size."""


class HotStates:
    """Which states are in RAM; of too many the least recently used go. Safe to share between threads.

    They are not kept for their own sake: the state of a handle that is gone goes with it.

    Args:
        most: how many stay, from 1.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = fork_safe_lock()
        self._used: WeakKeyDictionary[CoherentState, None] = WeakKeyDictionary()
        """The least recently used first."""
        renew_in_child(self, HotStates._begin_anew, if_held=self._lock)

    def _begin_anew(self) -> None:
        """In a forked child: a table that no thread is in the middle of going through."""
        self._used = WeakKeyDictionary((one, None) for key in self._used.keyrefs() if (one := key()) is not None)

    def __len__(self) -> int:
        return len(self._used)

    def used(self, coherent: CoherentState) -> None:
        """This state was just used. Call with its lock held."""
        with self._lock:
            self._used.pop(coherent, None)
            self._used[coherent] = None
            surplus = list(islice(self._used, max(0, len(self._used) - self._most)))
        for one in surplus:
            # Without its lock: whoever holds it is using the state, and waiting could be for ever.
            one.forget()
            with self._lock:
                self._used.pop(one, None)

    def keep_images(self) -> None:
        """Keep images of what is in RAM, where that is worth it."""
        with self._lock:
            found = list(self._used)
        for one in found:
            one.keep_image()

    def forget(self, memory_id: str) -> None:
        """Keep nothing of a memory in RAM, whoever holds a handle on it."""
        with self._lock:
            found = [one for one in self._used if one.memory_id == memory_id]
        for one in found:
            one.forget()


class CoherentState:
    """The state of one memory: read from the store when it has moved on, changed only after a commit.

    The lock protects the state; it is never held while an encoder works. `forget` needs no lock: whoever uses the state
    has it in a variable of its own.
    """

    def __init__(self, memory_id: str, store: Store, clock: Callable[[], datetime], hot: HotStates) -> None:
        self.lock = fork_safe_lock()
        self.stale = False
        """Whether the memory was reset, as a call has found out or this process has done it."""
        self.memory_id = memory_id
        self._store = store
        self._clock = clock
        self._hot = hot
        self._state: MemoryState | None = None
        self._imaged = 0
        """The first signal that is not in the image that is there, by key."""
        self._known: tuple[int, str] | None = None
        """Generation and token of the memory that this is the state of."""
        self._is_seen = False
        """Whether whoever has it now has seen anything of that memory."""
        # What a thread of the parent was at may be half done there.
        renew_in_child(self, CoherentState.forget, if_held=self.lock)

    def hand_on(self) -> None:
        """Give it to a handle that has seen nothing yet: if the memory was reset, that goes on with what there is."""
        self._is_seen = False

    def outdate(self) -> None:
        """Have whoever has it now told of a reset, whatever it has seen, and if there was nothing yet to be seen."""
        self.stale = True

    @property
    def known(self) -> MemoryState | None:
        """The state as it was last seen, without a look at the store; `None`: not read yet, or written to in vain."""
        return self._state

    @contextmanager
    def reading(self) -> Iterator[tuple[ReadTransaction, MemoryState | None]]:
        """One consistent view: a read transaction, and the state brought up to it (`None`: never written).

        Raises:
            StaleMemoryError: the memory was reset.
            StoreError: the file cannot be read.
        """
        with self._store.unforked(), self.lock, self._store.reading(self.memory_id) as transaction:
            state = self._current(transaction)
            if state is None:
                yield transaction, None
                return
            self._hot.used(self)
            state.read_in(transaction)
            try:
                yield transaction, state
            finally:
                state.read_in(None)

    @contextmanager
    def written(self, plan: Plan[Result]) -> Iterator[tuple[Result, MemoryState]]:
        """Plan under the write lock, commit, and only then change RAM. Call without `lock`: the block has it.

        It is taken when the file is there to be written: who waits for that keeps nobody from reading this memory, and
        is told so when it has waited for too long.

        Yields:
            What the plan gives back, and the state afterwards.

        Raises:
            StaleMemoryError: the memory was reset.
            StoreError: the file could not be written.
        """
        with ExitStack() as locked:
            is_begun = False
            try:
                with self._store.writing(self.memory_id) as transaction:
                    locked.enter_context(self.lock)
                    is_begun = True
                    state = self._current(transaction) or MemoryState(self._first_head())
                    state.read_in(transaction)
                    try:
                        changes, result = plan(transaction, state)
                    finally:
                        state.read_in(None)
                    head = None if changes is None else transaction.apply(changes, now=self._clock())
            except BaseException:
                # Whether a failed COMMIT has stored anything is unknown: the store is the truth, so RAM is read anew.
                if is_begun:
                    self.forget()
                raise
            if changes is not None and head is not None:
                self._known = head.generation, head.token
                # Until all is done, there is no state: an interrupt in the middle must leave none that is half changed.
                self._state = None
                state.apply(changes, head)
                # What is hidden is in no index: where that changes, they are made anew; and where most of them is gone.
                self._state = None if changes.quarantined or changes.released or state.is_worn else state
            self._hot.used(self)
            yield result, state

    def keep_image(self) -> None:
        """Keep an image for whoever opens the memory next, if that is worth it; a store that fails has none."""
        with (
            suppress(StreetAIError),
            self._store.unforked(),
            self.lock,
            self._store.reading(self.memory_id) as transaction,
        ):
            state = self._state
            if state is not None and transaction.head == state.head:
                state.read_in(transaction)
                try:
                    self._keep_image(transaction, state)
                finally:
                    state.read_in(None)

    def remove(self, look: Callable[[WriteTransaction], Result]) -> Result:
        """Delete the memory with all its rows, and be the state of one that was never written. Call without `lock`.

        Args:
            look: is given the transaction before that; its result is returned.
        """
        with ExitStack() as locked:
            with self._store.writing(self.memory_id) as transaction:
                locked.enter_context(self.lock)
                self.forget()
                self._check_known(transaction.head)
                result = look(transaction)
                transaction.remove()
            self._known = None
        return result

    def forget(self) -> None:
        """Read everything anew at the next call."""
        self._state = None

    def _current(self, transaction: ReadTransaction) -> MemoryState | None:
        """The state as of this transaction."""
        head = transaction.head
        self._check_known(head)
        if head is None:
            return None
        state = self._state
        if state is None or state.head.version != head.version:
            self._state = None  # as above
            state = self._followed(state, transaction, head) or self._opened(transaction, head)
            self._state = state
        return state

    def _opened(self, transaction: ReadTransaction, head: Head) -> MemoryState | None:
        """The state from an image and what was done since, or else from all rows."""
        state = self._from_image(transaction, head)
        if state is None:
            self._imaged = 0
            state = _loaded(transaction)
        if state is not None:
            self._keep_image(transaction, state)
        return state

    def _from_image(self, transaction: ReadTransaction, head: Head) -> MemoryState | None:
        """The state from an image; `None` if there is none, or one that would be no help."""
        image = transaction.image()
        if image is None:
            return None
        with closing(image), suppress(*UNREADABLE):
            state = state_of(image, head)
            self._imaged = int(state.columns.keys.max()) + 1
            if head.next_signal - self._imaged > len(state.columns):
                # Loading all is quicker than row by row.
                return None
            return state if image.version == head.version else self._followed(state, transaction, head)
        return None

    def _keep_image(self, transaction: ReadTransaction, state: MemoryState) -> None:
        """Keep an image, unless there is one that has nearly all."""
        if (state.head.next_signal - self._imaged) * _NEW >= len(state.columns):
            found = content_of(state)
            if found is not None:
                transaction.keep_image(found)
                self._imaged = state.head.next_signal

    @staticmethod
    def _followed(state: MemoryState | None, transaction: ReadTransaction, head: Head) -> MemoryState | None:
        """A state brought up to this transaction; `None` if it has to be read anew."""
        if state is None or is_complete(state.head.version, head):
            return None
        rows = transaction.rows(state.head.version)
        if rows is None or rows.complete or rows.quarantine != state.quarantine:
            return None
        state.update(rows)
        return None if state.is_worn else state

    def _check_known(self, head: Head | None) -> None:
        """Refuse to go on with another memory under the same id: this one was reset, or forgotten and begun anew."""
        found = None if head is None else (head.generation, head.token)
        is_seen, self._is_seen = self._is_seen, True
        if found == self._known and not self.stale:
            return
        self._state = None
        if not self.stale and (self._known is None or not is_seen):
            self._known = found
        else:
            self.stale = True
            raise StaleMemoryError(
                f"memory {self.memory_id!r} was reset or forgotten; "
                f"call registry.get({self.memory_id!r}) for a new handle"
            )

    def _first_head(self) -> Head:
        return Head(memory_id=self.memory_id, token=uuid4().hex[:12])


def _loaded(transaction: ReadTransaction) -> MemoryState | None:
    """The state of a memory read from its beginning."""
    loaded = transaction.loaded()
    return None if loaded is None else MemoryState.loaded(loaded)
