"""Several processes write at once: every message is stored, and no two of a memory share a turn.

First all write one memory, then each its own and all of them another in one file. Then a lock is held for longer than
a call waits. The same work with transactions that take the lock too late must be seen to fail.
"""

from __future__ import annotations

import multiprocessing
import shutil
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

from streetai_core.errors import MemoryBusyError, StreetAIError
from streetai_core.memory import Memory
from streetai_core.stores import _sqlite
from streetai_core.stores._sqlite import Connect
from streetai_core.testing.torture.calls import CALLS, MEMORY, Call, make_template
from streetai_core.testing.torture.checking import damage, open_registry, picture, torn_parts
from streetai_core.testing.torture.reporting import Report

_SHARED = "shared"

_WAIT = 0.05
"""Seconds that a call waits for a lock which is not set free."""

_CONTROL = 40
"""Messages of each writer that takes the lock too late: enough to fail many times."""


def run(folder: Path, *, processes: int, messages: int, seed: int) -> Report:
    """`processes` writers add `messages` messages each; nothing here is random."""
    report = Report.of(seed, "errors", "faults", "busy")
    _busy(folder / "busy.db", report)
    with open_registry(folder / "late.db") as registry:
        registry.get(_SHARED).add_message("The file is there.", "user")
    # The same processes write all files: to start one takes as long as to write hundreds of messages.
    # None begins before all are there; else the first would have done the work of all, with nobody beside it.
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes, context.Barrier(processes).wait) as pool:
        writers = _Writers(pool, processes)
        _one_memory(writers, folder / "shared.db", messages, report)
        _many_memories(writers, folder / "many.db", max(1, messages // 4), report)
        late = writers.write(folder / "late.db", [(_SHARED,)] * processes, _CONTROL, _late)
    report.counts["errors_of_late_locks"] = len(late)
    if not late:
        report.unproved.append("transactions that take the lock too late had no errors either")
    return report


@dataclass(frozen=True, slots=True)
class _Writers:
    """Processes that write at once."""

    pool: Pool
    count: int

    def write(
        self, path: Path, memories: Sequence[tuple[str, ...]], messages: int, opener: Connect | None = None
    ) -> list[str]:
        """Let each process write its memories in turn; returns the errors."""
        tasks = [(path, writer, memories[writer], messages, opener) for writer in range(self.count)]
        return [error for one in self.pool.starmap(_write, tasks, 1) for error in one]


def _one_memory(writers: _Writers, path: Path, messages: int, report: Report) -> None:
    """All write one memory."""
    wanted = writers.count * messages
    report.fail("errors", *writers.write(path, [(_SHARED,)] * writers.count, messages))
    report.counts.update(wanted=wanted, stored=_check(path, _SHARED, wanted, report))
    report.fail("faults", *damage(path))


def _many_memories(writers: _Writers, path: Path, messages: int, report: Report) -> None:
    """Each writes its own memory, and all of them another, in one file."""
    owners = [(f"of {writer}", _SHARED) for writer in range(writers.count)]
    report.fail("errors", *writers.write(path, owners, messages))
    report.counts["wanted"] += 2 * writers.count * messages
    for own, _ in owners:
        report.counts["stored"] += _check(path, own, messages, report)
    report.counts["stored"] += _check(path, _SHARED, writers.count * messages, report)
    report.fail("faults", *damage(path))


def _check(path: Path, memory_id: str, wanted: int, report: Report) -> int:
    """Look for all messages of a memory, at turns 0 to n-1; returns how many there are."""
    with open_registry(path) as registry:
        memory = registry.get(memory_id)
        turns = [message.turn for message in memory.messages()]
        faults = torn_parts(memory)
    if turns != list(range(wanted)):
        faults.append("the turns are not 0 to n-1")
    report.fail("faults", *(f"memory {memory_id!r}: {fault}" for fault in faults))
    return len(turns)


def _write(path: Path, writer: int, memories: tuple[str, ...], messages: int, opener: Connect | None) -> list[str]:
    """Add messages; returns the errors."""
    errors: list[str] = []
    with open_registry(path, busy_timeout=30.0, opener=opener) as registry:
        for number in range(messages):
            for memory_id in memories:
                errors += _added(registry.get(memory_id), f"Writer {writer} says number {number} out loud.")
    return errors


def _added(memory: Memory, text: str) -> list[str]:
    """Add one message; returns the error, if there was one."""
    try:
        memory.add_message(text, "user")
    except StreetAIError as error:
        return [f"{text} {error}"]
    return []


def _late(uri: str, *, timeout: float) -> _sqlite.Connection:
    """A connection whose transactions take the write lock at their first write, not at their beginning."""

    class Late(_sqlite.Connection):
        def execute(self, sql: str, values: Any = ()) -> Any:
            return super().execute("BEGIN" if sql == "BEGIN IMMEDIATE" else sql, values)

    return _sqlite.connect(uri, timeout=timeout, factory=Late)


def _busy(template: Path, report: Report) -> None:
    """Somebody holds the lock: every call that writes says so after its time, and changes nothing, nor RAM."""
    make_template(template)
    for call, prepared in CALLS.items():
        path = template.with_name(f"busy-{call}.db")
        shutil.copyfile(template, path)
        with (
            open_registry(path, busy_timeout=_WAIT) as registry,
            closing(_sqlite.connect(path.as_uri(), timeout=0)) as holder,
        ):
            before = picture(registry.get(MEMORY))
            verb = prepared(registry)
            holder.execute("BEGIN IMMEDIATE")
            report.counts["refused"] += _is_refused(call, verb, report)
            if picture(registry.get(MEMORY)) != before:
                report.fail("busy", f"{call} changed something")
            holder.execute("ROLLBACK")
            _works(call, verb, report)
            if registry.get(MEMORY).version == before["head"].version:
                report.fail("busy", f"{call} did nothing after the lock was set free")


def _works(call: str, verb: Call, report: Report) -> None:
    """The lock is free again."""
    try:
        verb()
    except StreetAIError as error:
        report.fail("busy", f"{call} does not work after the lock was set free: {error}")


def _is_refused(call: str, verb: Call, report: Report) -> bool:
    """Whether a call says that it has waited for as long as it may."""
    try:
        verb()
    except MemoryBusyError as error:
        if error.waited_seconds < _WAIT * 0.8:
            report.fail("busy", f"{call} says to have waited {error.waited_seconds} s")
        return True
    except StreetAIError as error:
        report.fail("busy", f"{call}: {error}")
    else:
        report.fail("busy", f"{call} wrote although the lock was held")
    return False
