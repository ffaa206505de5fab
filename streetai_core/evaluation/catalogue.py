"""The systems that a benchmark can compare, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from streetai_core.config import Config
from streetai_core.encoders.base import Encoder
from streetai_core.errors import InputError
from streetai_core.evaluation.baselines import RANKERS, Baseline
from streetai_core.evaluation.replay import MemorySystem
from streetai_core.evaluation.rivals import RIVALS
from streetai_core.evaluation.systems import System
from streetai_core.evaluation.units import UNITS

OURS = ("streetai", "classic")
"""This library, with the given and with the published configuration."""

EVERYTHING = "all"
"""Stands for every system that is installed."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The systems to compare, and those that cannot be run here."""

    systems: tuple[System, ...]
    missing: tuple[str, ...]
    """For each that cannot be run its name and what would help."""


def select(names: Sequence[str], units: Sequence[str], config: Config, encoder: Encoder) -> Selection:
    """The systems of these names, each once; a simple ranker once for each kind of units.

    Args:
        names: of `OURS`, `RANKERS` and `RIVALS`; `EVERYTHING` stands for all of them.
        units: keys of `UNITS`.
        config: of the system `streetai`.
        encoder: shared by all.

    Raises:
        InputError: a name is unknown.
    """
    known = (*OURS, *RANKERS, *RIVALS)
    wanted = [one for name in names for one in (known if name == EVERYTHING else (name,))]
    _check("system", wanted, known)
    _check("kind of units", units, tuple(UNITS))
    missing = {name: why for name in wanted if name in RIVALS and (why := RIVALS[name].why_missing) is not None}
    systems = [
        system
        for name in dict.fromkeys(wanted)
        if name not in missing
        for system in _systems(name, units, config, encoder)
    ]
    return Selection(tuple(systems), tuple(f"{name}: {why}" for name, why in missing.items()))


def _systems(name: str, units: Sequence[str], config: Config, encoder: Encoder) -> list[System]:
    if name in RANKERS:
        # The newest lines are the newest lines, whatever they are cut into.
        kinds = units[:1] if name == "last" else dict.fromkeys(units)
        return [Baseline(name, kind, encoder) for kind in kinds]
    if name in RIVALS:
        return [RIVALS[name].make(encoder)]
    return [MemorySystem(config if name == "streetai" else Config.classic(), encoder, name)]


def _check(kind: str, given: Sequence[str], known: Sequence[str]) -> None:
    unknown = [name for name in given if name not in known]
    if unknown:
        raise InputError(f"there is no {kind} {', '.join(unknown)}; known are {', '.join(known)}")
