"""What goes into a learning step and what comes out of it, in the caller's terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from streetai_core.errors import InputError
from streetai_core.planning.learning import LearningStep
from streetai_core.recall.hits import signal_at
from streetai_core.state import MemoryState
from streetai_core.types import Hit, Message, Signal, WeightUpdate

Recalled = Hit | Signal | str | tuple[Signal, float]
"""What `post_process` takes for a recalled signal: a hit, a `(signal, score)` pair, a signal, or its id."""

_EXCERPT = 80
"""Characters of a signal in the report of a learning step; the published length."""


def id_of(item: Recalled) -> str:
    """The signal id behind anything that `post_process` takes.

    Raises:
        InputError: it is none of them.
    """
    if isinstance(item, str):
        return item
    if isinstance(item, Hit):
        return item.signal.signal_id
    signal = item[0] if isinstance(item, tuple) and item else item
    if isinstance(signal, Signal):
        return signal.signal_id
    raise InputError(f"retrieved must hold hits, signals or signal ids, got {type(item).__name__}")


def ids_of(retrieved: Iterable[Recalled]) -> list[str]:
    """The signal ids behind everything that was recalled.

    Raises:
        InputError: it is not a collection of what `post_process` takes.
    """
    if isinstance(retrieved, str) or not isinstance(retrieved, Iterable):
        raise InputError(f"retrieved must be a collection of hits, signals or ids, got {type(retrieved).__name__}")
    return [id_of(item) for item in retrieved]


def weight_update(state: MemoryState, step: LearningStep, messages: Mapping[int, Message]) -> WeightUpdate:
    """What a learning step did to one signal; `messages` has its message, by sequence."""
    signal = signal_at(state, step.row, messages[int(state.columns.column("sequence")[step.row])])
    return WeightUpdate(
        signal_id=signal.signal_id,
        content=signal.content[:_EXCERPT],
        contribution=step.learned.contribution,
        old_weight=step.old_weight,
        new_weight=step.new_weight,
        action=step.learned.action,
    )
