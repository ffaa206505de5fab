"""The plan that makes words rows anew which older rules have made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from streetai_core.planning.words import renewed
from streetai_core.stores.types import Changes, Head, WordsRow
from streetai_core.types import Message


def plan_renewal(head: Head, rows: Sequence[WordsRow], messages: Mapping[int, Message]) -> Changes:
    """Make words rows anew; what their messages replace stays, and so does all else of the memory.

    Args:
        head: of the memory.
        rows: as they are.
        messages: that they are of, by sequence.
    """
    return Changes(head=head, words=[renewed(row, messages[row.sequence]) for row in rows])
