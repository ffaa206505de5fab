"""Where new signals go, and what their coming and going does to the stacks of a memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from streetai_core.arrays import Floats, Integers, RowNumbers
from streetai_core.config import Config
from streetai_core.dynamics.decay import alive, effective_weights
from streetai_core.index.columns import SignalColumns
from streetai_core.stacks import Assignment, assign
from streetai_core.state import MemoryState
from streetai_core.stores.types import StackRow
from streetai_core.types import Matrix, Vector
from streetai_core.vectors import dots, unit

_SUMMED_ANEW = 1024
"""Signals left in a stack up to which its sum is made anew when others go, in half a millisecond; nearly all stacks
have fewer. So nothing of what goes stays in it, also where `Config.classic()` had weighed it otherwise."""


class Placement:
    """What adding and removing signals does to the stacks: a plan, nothing is changed."""

    def __init__(self, state: MemoryState, vectors: Matrix, config: Config, *, without: Sequence[int] = ()) -> None:
        """Find stacks for `vectors`, shape (n, dim), when the signals `without` (keys) go at the same time."""
        self._state = state
        self._vectors = vectors
        self._config = config
        self._turn = state.head.next_turn
        self._gone = set(without)
        self._left = self._losses()
        self.assignment = self._assign()

    @property
    def stack_rows(self) -> list[StackRow]:
        """Stacks that are new or changed, and not empty."""
        rows = {key: StackRow(key=key, total=total, size=size) for key, (total, size) in self._left.items() if size}
        for key, total in self.assignment.totals.items():
            rows[key] = StackRow(key=key, total=total, size=self._size(key) + len(self.assignment.joined[key]))
        return list(rows.values())

    @property
    def deleted_stacks(self) -> list[int]:
        """Stacks that nobody is left in."""
        return [key for key, (_, size) in self._left.items() if not size and key not in self.assignment.totals]

    @property
    def next_stack(self) -> int:
        """The first key that is free afterwards."""
        return max([self._state.head.next_stack, *(key + 1 for key in self.assignment.totals)])

    def _assign(self) -> Assignment:
        stacks = self._state.stacks
        centroids, keys, compare = stacks.centroids, stacks.keys, stacks.cosines
        if self._left:
            # A stack that loses its last signal must not attract new ones.
            keep = [row for row, key in enumerate(keys) if self._size(key)]
            changed = {key: total for key, (total, size) in self._left.items() if size}
            centroids, keys = _with_totals(centroids[keep], [keys[row] for row in keep], changed)
            compare = partial(_compared, centroids)
        return assign(
            self._vectors,
            centroids=centroids,
            compare=compare,
            keys=keys,
            first_new_key=self._state.head.next_stack,
            threshold=self._config.stack_threshold,
            total_of=self._total,
        )

    def _size(self, key: int) -> int:
        return self._left[key][1] if key in self._left else self._state.stacks.size(key)

    def _total(self, key: int) -> Vector:
        """The sum of a stack without new signals, which count fully: under the decayed rule, too, their age is 0."""
        if self._config.centroid == "mean":
            return self._left[key][0] if key in self._left else self._state.stacks.total(key)
        living = _living_total(_members(self._state, key, without=self._gone), self._config, self._turn)
        # What new signals join is the mean of those that are alive: of dead ones nothing counts beside them.
        return np.zeros(self._state.columns.dim, dtype=np.float32) if living is None else living

    def _losses(self) -> dict[int, tuple[Vector, int]]:
        """Stack -> its sum and size when the signals that go are gone."""
        if not self._gone:
            return {}
        columns = self._state.columns
        rows = columns.rows(self._gone)
        losses: dict[int, tuple[Vector, int]] = {}
        for key in set(columns.column("stack")[rows].tolist()):
            lost = rows[columns.column("stack")[rows] == key]
            size = self._state.stacks.size(key) - len(lost)
            if self._config.centroid == "mean" and size > _SUMMED_ANEW:
                total = self._state.stacks.total(key) - columns.vectors_of(lost).sum(axis=0, dtype=np.float32)
            elif self._config.centroid == "mean":
                left = _members(self._state, key, without=self._gone).rows
                in_order = left[np.argsort(columns.keys[left])]
                total = columns.vectors_of(in_order).sum(axis=0, dtype=np.float32)
            else:
                total = left_total(self._state, key, self._config, self._turn, without=self._gone)
            losses[key] = (total, size)
        return losses


@dataclass(frozen=True, slots=True)
class _Members:
    """Signals of one stack."""

    columns: SignalColumns
    rows: RowNumbers
    base: Floats
    used: Integers
    """At which turn each was last used."""

    def effective(self, turn: int, config: Config) -> Floats:
        """What each weighs at a turn."""
        return effective_weights(self.base, self.used, turn, config.decay_rate)

    def total(self, weights: Floats) -> Vector:
        """Their sum by weights; the vectors of those that weigh nothing are not read."""
        some = np.flatnonzero(weights)
        total: Vector = (self.columns.vectors_of(self.rows[some]) * weights[some, None]).sum(axis=0).astype(np.float32)
        return total


def decayed_total(
    state: MemoryState, stack: int, config: Config, turn: int, *, learned: Mapping[int, float] = {}
) -> Vector:
    """The published centroid: living signals weighted by effective weight; the old one if none is alive.

    Args:
        state: where the signals are.
        stack: the stack's key.
        config: decay rate and death threshold.
        turn: the clock.
        learned: key -> base weight that a signal is about to get, by being used now.
    """
    living = _living_total(_members(state, stack, learned=learned, turn=turn), config, turn)
    return state.stacks.total(stack) if living is None else living


def left_total(state: MemoryState, stack: int, config: Config, turn: int, *, without: Collection[int] = ()) -> Vector:
    """The published centroid of a stack that signals were taken out of.

    If none is alive the old one would keep what is gone. So those that are left weigh what they weighed when the last
    of them was used, as far as that can be told: then at least one of them was alive.

    Args:
        state: where the signals are.
        stack: the stack's key.
        config: decay rate and death threshold.
        turn: the clock.
        without: keys of signals that are about to go.
    """
    members = _members(state, stack, without=without)
    living = _living_total(members, config, turn)
    if living is not None:
        return living
    return members.total(members.effective(int(members.used.max(initial=0)), config))


def _members(
    state: MemoryState,
    stack: int,
    *,
    without: Collection[int] = (),
    learned: Mapping[int, float] = {},
    turn: int = 0,
) -> _Members:
    """The signals of a stack, but for some; those that learn get another weight and are used at `turn`."""
    columns = state.columns
    rows = state.members([stack])
    rows = rows[~np.isin(columns.keys[rows], list(without))]
    base, used = columns.base[rows].copy(), columns.column("last_used_turn")[rows].copy()
    for number, key in enumerate(columns.keys[rows].tolist()):
        if key in learned:
            base[number], used[number] = learned[key], turn
    return _Members(columns, rows, base, used)


def _living_total(members: _Members, config: Config, turn: int) -> Vector | None:
    """The sum of those that are alive, by effective weight; `None` if nobody is."""
    effective = members.effective(turn, config)
    living = alive(effective, config.death_threshold)
    return members.total(np.where(living, effective, 0.0)) if living.any() else None


def _compared(centroids: Matrix, vector: Vector, _: float) -> Vector:
    """The cosine of each centroid with a unit vector, all of them exact."""
    return dots(centroids, vector)


def _with_totals(centroids: Matrix, keys: list[int], totals: Mapping[int, Vector]) -> tuple[Matrix, list[int]]:
    """Centroids in which some stacks have other sums."""
    centroids = centroids.copy()
    for row, key in enumerate(keys):
        if key in totals:
            centroids[row] = unit(totals[key])
    return centroids, keys
