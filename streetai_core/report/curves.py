"""How the weight of a signal went: learned in steps, fading between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from streetai_core.recall.timeline import HistoryEntry
from streetai_core.types import Signal


@dataclass(frozen=True, slots=True)
class Curve:
    """The effective weight of a signal over turns."""

    signal: Signal
    turns: tuple[int, ...]
    weights: tuple[float, ...]
    """At each of these turns; a turn with a step has two, before and after."""


def weight_curve(signal: Signal, history: Sequence[HistoryEntry], until: int, decay_rate: float) -> Curve:
    """The weight of a signal from its first turn on.

    Args:
        signal: which one.
        history: what happened to it, oldest first.
        until: the last turn of the curve.
        decay_rate: per turn.
    """
    edited = next((entry.turn for entry in history if entry.action == "edit"), None)
    turns, weights = [signal.turn if edited is None else edited], [1.0]
    for entry in history:
        if entry.action == "edit":
            continue
        _fade(turns, weights, entry.turn, decay_rate)
        turns.append(max(turns[-1], entry.turn))
        weights.append(entry.new_weight)
    _fade(turns, weights, until, decay_rate)
    return Curve(signal, tuple(turns), tuple(weights))


def _fade(turns: list[int], weights: list[float], until: int, rate: float) -> None:
    """Append the turns after the last one up to `until`."""
    turn, weight = turns[-1], weights[-1]
    for later in range(turn + 1, until + 1):
        turns.append(later)
        weights.append(weight * math.exp(-rate * (later - turn)))
