"""Reading past what is in quarantine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from streetai_core.stores.base import ReadTransaction
from streetai_core.stores.types import MessageQuery
from streetai_core.types import Message


def last_shown(
    transaction: ReadTransaction, query: MessageQuery, last: int, hides: Callable[[Message], bool]
) -> list[Message]:
    """The last messages that a query finds and nothing hides, in the order they were stored.

    Args:
        transaction: the view.
        query: what is looked for, without a number.
        last: how many at most; none for 0 or less.
        hides: whether a message is in quarantine.
    """
    looked_at = max(1, last)
    while True:
        # Mostly nothing among the last ones is hidden; if much is, twice as many are read.
        read = transaction.messages(replace(query, last=looked_at))
        found = [one for one in read if not hides(one)]
        if len(found) >= last or len(read) < looked_at:
            return found[max(0, len(found) - max(0, last)) :]
        looked_at *= 2
