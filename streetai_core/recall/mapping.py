"""A memory on a plane: signals with like vectors lie near each other, as far as two dimensions can show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from streetai_core.arrays import Floats
from streetai_core.config import Config
from streetai_core.recall.looking import all_signals
from streetai_core.state import MemoryState
from streetai_core.types import Matrix, Message, Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class MapPoint:
    """One signal on the map."""

    signal: Signal
    x: float
    y: float
    """Where it lies, in units of the cosine: the first two principal components of the vectors."""
    effective_weight: float
    """Its weight after decay, at the memory's next turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackMap:
    """All signals on a plane."""

    points: tuple[MapPoint, ...] = ()
    """In the order they were said."""
    explained: tuple[float, float] = (0.0, 0.0)
    """Share of the vectors' variance that each axis shows, in [0, 1]. The rest is not on the map."""

    def __repr__(self) -> str:
        return f"StackMap({len(self.points)} signals, {sum(self.explained):.0%} of the variance)"


def stack_map(state: MemoryState, messages: Sequence[Message], config: Config) -> StackMap:
    """The map of a memory; `messages` are all its messages."""
    columns = state.columns
    order = np.lexsort((columns.column("chunk_index"), columns.column("sequence")))
    places, explained = principal_plane(columns.vectors_of(order))
    weights = state.effective(order, state.head.next_turn, config)
    points = [
        MapPoint(signal=signal, x=float(x), y=float(y), effective_weight=float(weight))
        for signal, (x, y), weight in zip(all_signals(state, messages), places, weights, strict=True)
    ]
    return StackMap(points=tuple(points), explained=explained)


def principal_plane(vectors: Matrix) -> tuple[Floats, tuple[float, float]]:
    """Where vectors lie on the plane on which they spread most.

    Args:
        vectors: shape (n, dim).

    Returns:
        Places, shape (n, 2), and the share of the variance on each axis. The signs of the axes are fixed, by their
        largest component, so that the same vectors give the same picture.
    """
    places = np.zeros((len(vectors), 2))
    centred = vectors.astype(np.float64)
    centred -= centred.mean(axis=0) if len(vectors) else 0.0
    total = float((centred**2).sum())
    if not total > 0.0:
        return places, (0.0, 0.0)
    # The directions are those of the vectors' covariance, (dim, dim), however many vectors there are.
    values, directions = np.linalg.eigh(centred.T @ centred)
    axes = directions[:, ::-1][:, : places.shape[1]]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    places[:, : axes.shape[1]] = centred @ axes
    shares = [*np.maximum(values[::-1][:2], 0.0) / total, 0.0]
    return places, (float(shares[0]), float(shares[1]))
