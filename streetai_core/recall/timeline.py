"""The life of a signal, told from the learning log: used, of no use, sent, revived, edited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

import numpy as np

from streetai_core.config import Config
from streetai_core.dynamics.decay import TOLERANCE, effective_weights
from streetai_core.recall.hits import signal_id
from streetai_core.rendering import number
from streetai_core.state import MemoryState
from streetai_core.stores.types import CreditRow
from streetai_core.types import Action

Event: TypeAlias = Literal["boost", "demote", "refresh", "revival", "edit"]

_EVENTS: Mapping[Action, Event] = {"boost": "boost", "demote": "demote", "none": "refresh", "edit": "edit"}


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """One thing that happened to a signal."""

    signal_id: str
    turn: int
    """The memory's clock when it happened."""
    events: tuple[Event, ...]
    """What happened: "revival" in front of the others if the signal was dead until then."""
    cause: str
    """Why, with the numbers that decided."""
    action: Action
    contribution: float
    """The credit that the reply gave, in [0, 1]; a cosine in [-1, 1] with the published credit; 0 for an edit."""
    old_weight: float
    new_weight: float
    """The base weight before and after."""
    faded_weight: float
    """The effective weight just before: `old_weight` after decay."""
    created_at: datetime

    def __repr__(self) -> str:
        weights = f"{number(self.old_weight)} -> {number(self.new_weight)}"
        return f"HistoryEntry(turn {self.turn}, {' and '.join(self.events)}, {weights}: {self.cause})"


def timeline(
    state: MemoryState, entries: Iterable[CreditRow], said: Mapping[int, int], config: Config
) -> list[HistoryEntry]:
    """Log entries as history, in the order given, which is that in which they were made.

    Entries of signals that are gone are left out.

    Args:
        state: the memory.
        entries: the log, of one signal or of all.
        said: message sequence -> turn, of the messages of these signals.
        config: how weights fade, and when a signal is dead.
    """
    columns = state.columns
    last_used: dict[int, int] = {}
    history: list[HistoryEntry] = []
    for entry in entries:
        row = columns.row(entry.key)
        if row is None:
            continue
        turn = last_used.get(entry.key, said.get(int(columns.column("sequence")[row]), entry.turn))
        faded = _faded(entry.old_weight, turn, entry.turn, config)
        last_used[entry.key] = max(turn, entry.turn)
        revived = entry.action != "edit" and faded < config.death_threshold - TOLERANCE
        history.append(
            HistoryEntry(
                signal_id=signal_id(state, entry.key),
                turn=entry.turn,
                events=("revival", _EVENTS[entry.action]) if revived else (_EVENTS[entry.action],),
                cause=_cause(entry, faded, revived=revived),
                action=entry.action,
                contribution=entry.contribution,
                old_weight=entry.old_weight,
                new_weight=entry.new_weight,
                faded_weight=faded,
                created_at=entry.created_at,
            )
        )
    return history


def sequences_with(state: MemoryState, keys: Iterable[int]) -> list[int]:
    """The messages of those of these signals that are there, each once, ascending."""
    rows = [row for key in keys if (row := state.columns.row(key)) is not None]
    return sorted(set(state.columns.column("sequence")[rows].tolist())) if rows else []


def _faded(base: float, last_used: int, turn: int, config: Config) -> float:
    """The effective weight of one signal."""
    weights = effective_weights(np.array([base]), np.array([last_used]), turn, config.decay_rate)
    return float(weights[0])


def _cause(entry: CreditRow, faded: float, *, revived: bool) -> str:
    """Why it happened."""
    if entry.action == "edit":
        return "its message was given another text, so it starts anew"
    cause = {
        "boost": "sent, and the reply used it",
        "demote": "sent, and the reply had no use for it",
        "none": "sent, and whether the reply used it is not clear",
    }[entry.action]
    back = f"brought back from a weight of {number(faded)}; " if revived else ""
    return f"{back}{cause} (credit {entry.contribution:.2f})"
