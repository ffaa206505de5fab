"""The plan of a learning step: what a reply does to the signals that were sent, and of which question they are cues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from streetai_core.arrays import Floats
from streetai_core.config import Config
from streetai_core.dynamics.learning import action_for, bounds_for, factor_for, helped, learned_weight
from streetai_core.dynamics.trust import is_trusted
from streetai_core.placement import decayed_total
from streetai_core.planning.trust import Standing
from streetai_core.state import MemoryState
from streetai_core.stores.types import Changes, CueRow, Learned, StackRow
from streetai_core.types import Vector
from streetai_core.vectors import kept


@dataclass(frozen=True, slots=True)
class LearningStep:
    """One signal before and after."""

    row: int
    old_weight: float
    new_weight: float
    learned: Learned


@dataclass(frozen=True, slots=True)
class Cue:
    """A question as a cue of what helped to answer it."""

    question: int
    """Fingerprint of its text."""
    vector: Vector
    """What it means, shape (dim,)."""


def plan_learning(
    state: MemoryState,
    keys: Sequence[int],
    credit: Floats,
    standing: Standing,
    config: Config,
    *,
    cue: Cue | None = None,
) -> tuple[Changes, list[LearningStep]]:
    """Boost, demote and refresh the signals that were sent; those that helped get the question as a cue.

    What is not trusted gets none: whoever planted it may have asked the question too.

    Args:
        state: the memory as it is.
        keys: the signals, all of which are there.
        credit: of each signal, shape (n,).
        standing: whose signals these are.
        config: thresholds and factors.
        cue: the question; `None`: it is not known, or the encoder failed.
    """
    rows = state.columns.rows(keys)
    steps = [_step(state, int(row), float(share), standing, config) for row, share in zip(rows, credit, strict=True)]
    changes = Changes(
        head=state.head,
        learned=[step.learned for step in steps],
        cues=[] if cue is None else _cues(state, steps, cue, standing, config),
        stacks=_reweighted_stacks(state, steps, config) if config.centroid == "decayed" else (),
    )
    return changes, steps


def _step(state: MemoryState, row: int, contribution: float, standing: Standing, config: Config) -> LearningStep:
    columns = state.columns
    low, high = bounds_for(standing.trust[int(columns.column("sequence")[row])], config)
    action = action_for(contribution, config)
    if action == "boost" and int(columns.keys[row]) in standing.boosted:
        # An echo of its own words must not lift a text from reply to reply.
        action = "none"
    factor = factor_for(action, config)
    base = float(columns.base[row])
    learned = Learned(
        key=int(columns.keys[row]),
        factor=factor,
        low=low,
        high=high,
        last_used_turn=state.head.next_turn,
        used=action == "boost",
        action=action,
        contribution=contribution,
        conversation=standing.conversation,
    )
    return LearningStep(row, base, learned_weight(base, factor, low, high), learned)


def _cues(
    state: MemoryState, steps: Sequence[LearningStep], cue: Cue, standing: Standing, config: Config
) -> list[CueRow]:
    """The question as a cue of each signal that helped; not of an echo of its own words."""
    vector = kept(cue.vector, config.vector_precision)
    sequences = state.columns.column("sequence")
    return [
        CueRow(key=step.learned.key, question=cue.question, vector=vector)
        for step in steps
        if helped(step.learned.contribution, config)
        and step.learned.key not in standing.boosted
        and is_trusted(standing.trust[int(sequences[step.row])], config)
    ]


def _reweighted_stacks(state: MemoryState, steps: Sequence[LearningStep], config: Config) -> list[StackRow]:
    """The published centroids follow the weights of their signals, of which all that were sent were used."""
    learned = {step.learned.key: step.new_weight for step in steps}
    changed = [step.row for step in steps if step.learned.action != "none"]
    stacks = sorted({int(state.columns.column("stack")[row]) for row in changed})
    return [
        StackRow(
            key=stack,
            total=decayed_total(state, stack, config, state.head.next_turn, learned=learned),
            size=state.stacks.size(stack),
        )
        for stack in stacks
    ]
