"""Beginning anew under the same id."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

from streetai_core.conductor import Conductor
from streetai_core.observing.observer import observed
from streetai_core.stores.types import Changes


class Resetting(Conductor):
    """A memory for the one verb that outdates every handle on it; no part of `Memory`, whose handles it outdates."""

    @observed(lambda messages: {"messages": messages}, "write")
    def reset(self) -> int:
        """Delete everything. Returns how many messages there were; 0, and nothing is written, if there was no memory.

        Raises:
            StoreError: the database failed; nothing was changed.
        """
        store = self._around.store
        with store.reading(self.memory_id) as transaction:
            if transaction.head is None:
                return 0
        with store.writing(self.memory_id) as writing:
            head = writing.head
            if head is None:
                return 0
            emptied = replace(
                head,
                token=uuid4().hex[:12],
                generation=head.generation + 1,
                next_turn=0,
                message_count=0,
                history_tokens=0,
                encoder=None,
                dim=None,
            )
            writing.apply(Changes(head=emptied, wipe=True), now=self._around.clock())
            return head.message_count
