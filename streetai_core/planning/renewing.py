"""The plans that make words rows anew which older rules have made, and those that are lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from streetai_core.planning.words import renewed, words_row
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


def plan_lost(head: Head, messages: Mapping[int, Message]) -> Changes:
    """Make words rows that are not there; what their messages replaced is lost with them.

    Args:
        head: of the memory.
        messages: whose rows are lost, by sequence.
    """
    return Changes(head=head, words=[words_row(messages[sequence]) for sequence in sorted(messages)])
