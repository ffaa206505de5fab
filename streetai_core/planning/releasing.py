"""What comes back when a rule of quarantine is taken back, and what that has to do with what was said meanwhile."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from streetai_core.planning.linking import Linking
from streetai_core.planning.replacing import Replacing
from streetai_core.planning.words import Reader
from streetai_core.state import MemoryState
from streetai_core.stores.provenance import Quarantine
from streetai_core.stores.types import Changes
from streetai_core.types import Matrix, Message


def released_by(rules: Collection[Quarantine], state: MemoryState, words: Reader) -> list[int]:
    """Sequences of the messages that can be recalled again without some rules, ascending.

    Args:
        rules: these, which are taken back.
        state: the memory, with them.
        words: reads words rows.
    """
    left = state.quarantine.difference(rules)
    return [row.sequence for row in words(sorted(state.hidden)) if not any(rule.hides(row) for rule in left)]


def plan_links(
    state: MemoryState, messages: Mapping[int, Message], *, replacing: Replacing, words: Reader
) -> Changes | None:
    """Link messages that were hidden with what they replace, and with what replaces them; `None` if nothing is new.

    Args:
        state: the memory, in which they are again.
        messages: these, by sequence.
        replacing: finds what messages replace.
        words: reads words rows.
    """
    linking = Linking(replacing, words)
    for sequence in sorted(messages):
        vectors = _vectors_of(state, sequence)
        if vectors is not None:
            linking.release(messages[sequence], vectors)
    return Changes(head=state.head, words=linking.rows) if linking.rows else None


def _vectors_of(state: MemoryState, sequence: int) -> Matrix | None:
    """The vectors of a message in the order of its chunks; `None` if some are still to come, which link it then."""
    columns, rows = state.columns, state.rows_of_message(sequence)
    if not columns.without_vector.isdisjoint(columns.keys[rows].tolist()):
        return None
    return columns.vectors_of(rows[np.argsort(columns.column("chunk_index")[rows])])
