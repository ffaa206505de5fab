"""What goes into a learning step and what comes out of it, in the caller's terms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real

from streetai_core.errors import InputError
from streetai_core.planning.learning import LearningStep
from streetai_core.recall.hits import signals_at
from streetai_core.state import MemoryState
from streetai_core.types import Hit, Message, Prompt, Signal, WeightUpdate

Recalled = Hit | Signal | str | tuple[Signal | str, float]
"""What `post_process` takes for a recalled signal: a hit, a signal, or its id, or a pair of one of these two with the
retrieval score."""

_EXCERPT = 80
"""Characters of a signal in the report of a learning step; the published length."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What was recalled for a reply, as the caller gives it back."""

    ids: list[str]
    """Signal ids in the order given; one may be there twice."""
    scores: dict[str, float]
    """Retrieval scores by signal id, of hits and of pairs with a finite number; of the first, if one is there twice."""
    question: str | None
    """What the hits were found for; `None` without hits."""
    asked_in: str | None = None
    """The conversation that they were found for."""


def sent_in(retrieved: Iterable[Recalled]) -> Sent:
    """What `post_process` needs to know of everything that was recalled.

    Raises:
        InputError: it is not a collection of what `post_process` takes.
    """
    given: object = retrieved
    if isinstance(given, str) or not isinstance(given, Iterable):
        so = "; of a prompt give prompt.retrieved" if isinstance(given, Prompt) else ""
        raise InputError(f"retrieved must be a collection of hits, signals or ids, got {type(given).__name__}{so}")
    ids: list[str] = []
    scores: dict[str, float] = {}
    question: str | None = None
    asked_in: str | None = None
    for item in retrieved:
        name, score = id_of(item), _score_of(item)
        ids.append(name)
        if score is not None:
            scores.setdefault(name, score)
        if question is None and isinstance(item, Hit):
            question, asked_in = item.question, item.asked_in
    return Sent(ids, scores, question, asked_in)


def id_of(item: Recalled) -> str:
    """The signal id behind anything that `post_process` takes.

    Raises:
        InputError: it is none of them.
    """
    if isinstance(item, Hit):
        return item.signal.signal_id
    signal = item[0] if isinstance(item, tuple) and item else item
    if isinstance(signal, str):
        return signal
    if isinstance(signal, Signal):
        return signal.signal_id
    raise InputError(f"retrieved must hold hits, signals or signal ids, got {type(item).__name__}")


def _score_of(item: Recalled) -> float | None:
    """The retrieval score of a hit or a pair; `None` if there is none that can be compared."""
    score: object = None
    if isinstance(item, Hit):
        score = item.score
    elif isinstance(item, tuple) and len(item) == 2:  # noqa: PLR2004 - a pair
        score = item[1]
    # Arrays hold numbers that are no float; a whole number too large for one is no score.
    try:
        number = float(score) if isinstance(score, Real) else math.nan
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def weight_updates(
    state: MemoryState, steps: Sequence[LearningStep], messages: Mapping[int, Message]
) -> list[WeightUpdate]:
    """What learning steps did to their signals; `messages` has their messages, by sequence."""
    columns = state.columns
    said = [messages[sequence] for sequence in columns.column("sequence")[[step.row for step in steps]].tolist()]
    signals = signals_at(state, [(step.row, message) for step, message in zip(steps, said, strict=True)])
    return [
        WeightUpdate(
            signal_id=signal.signal_id,
            content=signal.content[:_EXCERPT],
            contribution=step.learned.contribution,
            old_weight=step.old_weight,
            new_weight=step.new_weight,
            action=step.learned.action,
        )
        for signal, step in zip(signals, steps, strict=True)
    ]
