"""The contract of a store: the durable truth of all memories.

A store knows nothing of embedding, ranking or learning. It opens read and write transactions on one memory; the
conductor (`Memory`) reads rows, decides, and hands back `Changes`, which one transaction applies whole or not at all.
The values that go in and come out are in `types`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

import numpy as np

from streetai_core.arrays import Integers
from streetai_core.errors import StoreError
from streetai_core.stores.columns import Loaded, StackArrays, loaded_from
from streetai_core.stores.images import Content, Image
from streetai_core.stores.provenance import Edit, JournalRow, Origins
from streetai_core.stores.traces import Traces
from streetai_core.stores.types import Changes, CreditRow, Erased, Head, MessageQuery, Rows, WordsRow
from streetai_core.types import KeptMatrix, Message


class ReadTransaction(ABC):
    """One consistent view of one memory."""

    @property
    @abstractmethod
    def head(self) -> Head | None:
        """The memory's row; `None` if nothing was ever written."""

    @abstractmethod
    def rows(self, since: int | None) -> Rows | None:
        """Rows written after version `since` (`None`: all of them); all of them too if rows were deleted since."""

    def loaded(self) -> Loaded | None:
        """All rows of the memory, as columns; `None` if nothing was ever written."""
        rows = self.rows(None)
        return None if rows is None else loaded_from(rows)

    def image(self) -> Image | None:
        """An image of the memory at this version or an earlier one of which nothing was deleted since.

        `None`: there is none. Close it.
        """
        return None

    def keep_image(self, content: Content) -> None:  # noqa: B027 - may do nothing
        """Keep an image of the memory at this version, where the store has images and it can be written."""

    def vectors(self, keys: Integers) -> KeptMatrix:
        """The stored vectors of signals that are there, by key, shape (len(keys), dim). For memories from an image."""
        signals = self._whole().signals
        return signals.vectors[np.searchsorted(signals.key, keys)]

    def stacks(self) -> StackArrays:
        """All stacks. For memories from an image."""
        return self._whole().stacks

    def _whole(self) -> Loaded:
        loaded = self.loaded()
        if loaded is None:
            raise StoreError("the memory is not there any more")
        return loaded

    @abstractmethod
    def messages(self, query: MessageQuery) -> list[Message]:
        """Messages with their texts."""

    def words(self, sequences: Sequence[int]) -> list[WordsRow]:
        """The words rows of messages, of those that have one, in order of `sequence`.

        Stores that can read some of them read no others.
        """
        rows, wanted = self.rows(None), set(sequences)
        return [] if rows is None else [row for row in rows.words if row.sequence in wanted]

    @abstractmethod
    def credits(self, key: int | None = None) -> list[CreditRow]:
        """The learning log, of one signal or of all, oldest first."""

    def boosts(self, keys: Collection[int], conversation: int) -> Mapping[int, int]:
        """How often each of some signals was boosted in a conversation, by its number; only of those that were.

        Stores that can read these entries of the learning log read no others.
        """
        wanted = set(keys)
        told = (entry for entry in self.credits() if entry.action == "boost" and entry.conversation == conversation)
        return Counter(entry.key for entry in told if entry.key in wanted)

    @abstractmethod
    def journal(self) -> list[JournalRow]:
        """What was done to messages since the last reset, oldest first."""

    def edits(self) -> list[Edit]:
        """What was done to messages behind the library, as far as it shows; nothing in stores without files."""
        return []

    @abstractmethod
    def origins(self) -> list[Origins]:
        """Who wrote how many messages, by source and writer, sorted."""


class WriteTransaction(ReadTransaction):
    """A view of one memory that can change it: it holds the write lock until it ends."""

    @abstractmethod
    def apply(self, changes: Changes, *, now: datetime) -> Head:
        """Write `changes` and return the head with its new version. `now` is the time of the log entries."""

    @abstractmethod
    def remove(self) -> None:
        """Delete the memory with all its rows, its own included: as if it had never been written."""


class Store(ABC):
    """Where memories live. Safe to use from several threads and processes at once.

    Every method may raise a `StoreError`; then nothing was changed.
    """

    @abstractmethod
    def reading(self, memory_id: str) -> AbstractContextManager[ReadTransaction]:
        """A consistent view of one memory."""

    @abstractmethod
    def writing(self, memory_id: str) -> AbstractContextManager[WriteTransaction]:
        """The write lock: taken before the first read, committed when the block ends, rolled back if it raises."""

    def unforked(self) -> AbstractContextManager[object]:
        """A block that a fork of this process waits for, as it does for `reading` and `writing`.

        Whoever takes a lock that a writer waits for takes it in such a block: else the fork would wait for the writer,
        who waits for the lock, whose owner may not begin to read before the fork is done. A store that a child can go
        on with has none to wait for.
        """
        return nullcontext()

    @abstractmethod
    def memory_ids(self) -> list[str]:
        """The ids of all memories that were written and not forgotten since, also of those that were reset, sorted."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections. Closing twice is fine."""

    def settle(self) -> tuple[str, ...]:
        """Finish what deletions have left to do, and say what cannot be done now; a store without files has nothing."""
        return ()

    def erase(self, traces: Traces) -> Erased:  # noqa: ARG002 - for stores with files
        """Make sure that nothing of what was deleted is left in files; a store without files has nothing."""
        return Erased()

    def __enter__(self) -> Store:  # noqa: PYI034 - Self needs Python 3.11, and nobody subclasses further
        """Use the store as a context manager that closes it."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close."""
        self.close()
