"""Several memories timed beside each other: the same texts and vectors, calls in turn, CPU and wall time."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import faiss

from streetai_core.evaluation.provenance import provenance
from streetai_core.evaluation.speed_systems import TIMED_VERBS, TimedMemory, TimedSystem, Verb
from streetai_core.evaluation.speed_texts import MadeUpTexts, TimedTexts

_MILLISECONDS = 1_000
_MEGABYTE = 1_000_000

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
"""What libraries read when they are loaded; a pool on busy cores burns time that no system spends."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One verb of one system at one size, medians in milliseconds."""

    system: str
    verb: str
    size: int
    cpu: float
    """Of all threads of the process."""
    wall: float

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "system": self.system,
            "verb": self.verb,
            "size": self.size,
            "cpu_ms": self.cpu,
            "wall_ms": self.wall,
        }


@dataclass(frozen=True, slots=True)
class Filled:
    """What filling a system took, and what it takes on disk."""

    system: str
    size: int
    cpu_seconds: float
    disk_megabytes: float

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "system": self.system,
            "size": self.size,
            "cpu_seconds": self.cpu_seconds,
            "disk_megabytes": self.disk_megabytes,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """All figures of a run."""

    material: str
    """What the texts and vectors were."""
    compared: tuple[Compared, ...]
    filled: tuple[Filled, ...]
    left_out: tuple[str, ...]
    """Systems that were not timed, or not at all sizes, and why."""


def compare_speed(
    systems: Sequence[TimedSystem],
    *,
    sizes: Sequence[int],
    repeats: int,
    material: TimedTexts | None = None,
    watch: Callable[[str], None] | None = None,
) -> Comparison:
    """Time every verb of every system, the systems in turn for each text, a different one first each time.

    Args:
        systems: those that are missing are left out, and named.
        sizes: texts in each memory, each from 1.
        repeats: timings of each verb and system, from 2; a first one, which fills caches, is not counted.
        material: the texts and their vectors; made-up ones unless said.
        watch: told what is done, once for each size and system filled, and for each size and verb.
    """
    tell, chosen = watch or _nobody, material or MadeUpTexts()
    compared: list[Compared] = []
    filled: list[Filled] = []
    left_out = [f"{system.name}: {system.missing}" for system in systems if system.missing is not None]
    for size in sizes:
        here = [system for system in systems if system.missing is None and _fits(system, size)]
        left_out += [
            f"{system.name} at {size:,}: filling it takes too long above {system.most:,}"
            for system in systems
            if system.missing is None and not _fits(system, size)
        ]
        compared_here, filled_here = _at_size(here, size, repeats, chosen, tell)
        compared += compared_here
        filled += filled_here
    return Comparison(chosen.name, tuple(compared), tuple(filled), tuple(left_out))


def comparison_report(comparison: Comparison, systems: Sequence[TimedSystem]) -> dict[str, Any]:
    """All figures, each also as a multiple of those of the first system that is not missing, as JSON values."""
    first = next((system.name for system in systems if system.missing is None), None)
    yardstick = {(one.verb, one.size): one for one in comparison.compared if one.system == first}
    return {
        "benchmark": "speed-systems",
        **provenance(),
        "vectors": comparison.material,
        "threads": {name: os.environ.get(name) for name in _THREADS},
        "compared_with": first,
        "durability": {system.name: system.durability for system in systems if system.missing is None},
        "left_out": list(comparison.left_out),
        "timings": [
            {**one.to_dict(), **_ratios(one, yardstick.get((one.verb, one.size)))} for one in comparison.compared
        ],
        "filled": [one.to_dict() for one in comparison.filled],
    }


def _ratios(one: Compared, yardstick: Compared | None) -> dict[str, float | None]:
    if yardstick is None:
        return {"times_cpu": None, "times_wall": None}
    # A clock that does not tell the first system's time from none gives no ratio.
    return {
        "times_cpu": one.cpu / yardstick.cpu if yardstick.cpu else None,
        "times_wall": one.wall / yardstick.wall if yardstick.wall else None,
    }


def _at_size(
    systems: Sequence[TimedSystem], size: int, repeats: int, material: TimedTexts, tell: Callable[[str], None]
) -> tuple[list[Compared], list[Filled]]:
    # Of this thread only, and every search is made on it.
    faiss.omp_set_num_threads(1)
    texts = material.stored(size)
    fresh = {verb: material.fresh(repeats + 1, f"{verb} {size}") for verb in TIMED_VERBS}
    encoder = material.encoder(size)
    memories: dict[str, TimedMemory] = {}
    took: dict[str, float] = {}
    with ExitStack() as stack:
        root = Path(stack.enter_context(TemporaryDirectory(prefix="streetai-bench-", ignore_cleanup_errors=True)))
        for system in systems:
            folder = root / system.name
            folder.mkdir()
            memory = memories[system.name] = system.make(folder, encoder)
            stack.callback(memory.close)
            took[system.name], _ = _timed(partial(memory.fill, texts))
            tell(f"{system.name} filled with {size}")
        verbs = {name: memory.verbs() for name, memory in memories.items()}
        compared: list[Compared] = []
        for verb in TIMED_VERBS:
            compared += _in_turn(verb, {name: of[verb] for name, of in verbs.items() if verb in of}, size, fresh[verb])
            tell(f"{verb} at {size}")
        # At the end: what a system writes to be opened quickly takes room too.
        filled = [
            Filled(name, size, cpu / _MILLISECONDS, _bytes_in(root / name) / _MEGABYTE) for name, cpu in took.items()
        ]
    return compared, filled


def _in_turn(verb: str, calls: Mapping[str, Verb], size: int, texts: Sequence[str]) -> list[Compared]:
    """One verb of all systems that have it."""
    names = list(calls)
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for number, text in enumerate(texts):
        start = number % len(names) if names else 0
        for name in names[start:] + names[:start]:
            took[name].append(_timed(calls[name](text)))
    return [
        Compared(name, verb, size, median(cpu for cpu, _ in runs[1:]), median(wall for _, wall in runs[1:]))
        for name, runs in took.items()
    ]


def _timed(call: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall time of a call, in milliseconds."""
    wall, cpu = perf_counter(), process_time()
    call()
    return (process_time() - cpu) * _MILLISECONDS, (perf_counter() - wall) * _MILLISECONDS


def _fits(system: TimedSystem, size: int) -> bool:
    return system.most is None or size <= system.most


def _bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _nobody(_what: str) -> None:
    """Whom nothing is told."""
