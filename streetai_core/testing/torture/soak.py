"""Hours of work by several processes, some of which are killed: nothing grows that should not.

Linux only: memory and open files are read from /proc.
"""

from __future__ import annotations

import ctypes
import os
import random
import signal
import time
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from streetai_core.testing.torture.checking import damage, open_registry, torn_parts
from streetai_core.testing.torture.reporting import Report
from streetai_core.testing.torture.work import Work, text_of

_LARGEST = 200
"""Messages of a memory from which its writer resets it: the work stays the same however long it lasts."""

_SAMPLE = 1.0
"""Seconds between two looks at the processes."""

_KILL_EVERY = 15
"""Looks between two kills."""

_LOG = 64
"""Megabytes that the log may have at most."""

_GROWTH = 1.0
"""Megabytes an hour by which a process may grow."""

_SETTLED = 0.5
"""Share of a process' samples after which growth counts: before that its caches fill."""

_LOW = 120.0
"""Seconds of which the lowest sample counts. A memory that fills and is emptied takes RAM and gives it back, some
megabytes up and down; what is lost for good is missing at the lows too."""

_LONG = 900.0
"""Seconds that a process has to be looked at before its growth says anything."""

_TRIM_EVERY = 50
"""Steps after which a writer gives freed memory back to the system. What the C library keeps for later is no growth: of
150 MB 72 were such."""

_MEGABYTE = 1024 * 1024


@dataclass(slots=True)
class Samples:
    """What was seen of one process."""

    times: list[float] = field(default_factory=list)
    """Seconds."""
    bytes: list[int] = field(default_factory=list)
    """In RAM."""
    files: list[int] = field(default_factory=list)
    """Open ones."""

    def lows(self) -> list[tuple[float, float]]:
        """Seconds and megabytes of the lowest sample of each span of the settled part; none if it was not long."""
        first = int(len(self.times) * _SETTLED)
        times, sizes = self.times[first:], self.bytes[first:]
        if not times or times[-1] - times[0] < _LONG * _SETTLED:
            return []
        spans: dict[int, tuple[int, float]] = {}
        for second, size in zip(times, sizes, strict=True):
            span = int((second - times[0]) / _LOW)
            spans[span] = min(spans.get(span, (size, second)), (size, second))
        return [(second, size / _MEGABYTE) for size, second in spans.values()]

    def growth(self) -> float | None:
        """Megabytes an hour, by least squares over the lows; `None` if it was not looked at for long."""
        lows = self.lows()
        if not lows:
            return None
        middle, mean = (sum(column) / len(lows) for column in zip(*lows, strict=True))
        rise = sum((second - middle) * (size - mean) for second, size in lows)
        slope: float = rise / sum((second - middle) ** 2 for second, _ in lows)
        return slope * 3600


def run(folder: Path, *, processes: int, minutes: int, seed: int) -> Report:
    """Let `processes` writers work for so long; all but the first are killed now and then."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, no secret
    report = Report.of(seed, "grown", "faults")
    if not Path("/proc/self/statm").exists():
        report.unproved.append("this system has no /proc; run it on Linux")
        return report
    path = folder / "soak.db"
    with open_registry(path) as registry:
        registry.get("shared").add_message(text_of("first"), "user")
    writers = {_start(path, number, rng.getrandbits(32)): (number, Samples()) for number in range(processes)}
    everybody = list(writers.values())
    log, deadline, looks = path.with_name(path.name + "-wal"), time.monotonic() + minutes * 60, 0
    while time.monotonic() < deadline:
        time.sleep(_SAMPLE)
        looks += 1
        report.counts["largest_log_bytes"] = max(report.counts["largest_log_bytes"], _size(log))
        for process, (_, samples) in writers.items():
            _look(process, samples)
        if looks % _KILL_EVERY == 0 and processes > 1:
            victim = rng.choice([process for process, (number, _) in writers.items() if number])
            number, _ = writers.pop(victim)
            _kill(victim, report)
            writers[_start(path, number, rng.getrandbits(32))] = (number, Samples())
            everybody += [writers[process] for process in list(writers)[-1:]]
            report.counts["kills"] += 1
    for process in writers:
        _kill(process, report)
    _judge([samples for _, samples in everybody], report)
    _check(path, processes, report)
    return report


def _start(path: Path, number: int, seed: int) -> int:
    """Fork a writer; it works on a memory of its own and on one that all share."""
    child = os.fork()
    if child:
        return child
    try:
        _work(path, number, seed)
    except BaseException as error:  # noqa: BLE001 - a child that fails must not go on as its parent
        path.with_name(f"error-{os.getpid()}.txt").write_text(f"{type(error).__name__}: {error}")
    finally:
        os._exit(1)


def _work(path: Path, number: int, seed: int) -> None:
    """Mixed work without end."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, no secret
    registry = open_registry(path)
    own = Work(registry, f"of {number}", rng)
    for step in count(1):
        if step % _TRIM_EVERY == 0:
            _trim()
        own.step()
        if len(own.known) > _LARGEST:
            own.reset()
        shared = registry.get("shared")
        shared.add_message(text_of(f"{rng.getrandbits(48):x}"), "user")
        if shared.stats()["messages"] > _LARGEST:
            shared.delete_conversation(None)


def _trim() -> None:
    """Give freed memory back, where the C library can (glibc)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _kill(process: int, report: Report) -> None:
    """End a writer that must still be at work."""
    os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    if not os.WIFSIGNALED(status):
        report.fail("faults", f"writer {process} had ended by itself; see error-{process}.txt")


def _look(process: int, samples: Samples) -> None:
    """Note memory and open files of a process."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        files = len(os.listdir(f"/proc/{process}/fd"))  # noqa: PTH208 - of a process that may be gone, in one call
    except (OSError, IndexError):
        return
    samples.times.append(time.monotonic())
    samples.bytes.append(pages * os.sysconf("SC_PAGE_SIZE"))
    samples.files.append(files)


def _judge(everybody: list[Samples], report: Report) -> None:
    """Compare what was seen with what may be."""
    if report.counts["largest_log_bytes"] > _LOG * _MEGABYTE:
        report.fail("grown", f"the log had {report.counts['largest_log_bytes']} bytes")
    report.counts["most_open_files"] = max((max(one.files, default=0) for one in everybody), default=0)
    report.counts["largest_process_bytes"] = max((max(one.bytes, default=0) for one in everybody), default=0)
    for one in everybody:
        growth = one.growth()
        if growth is None:
            continue
        report.counts["processes_watched_long"] += 1
        report.counts["growth_kilobytes_an_hour"] = max(report.counts["growth_kilobytes_an_hour"], int(growth * 1024))
        if growth > _GROWTH:
            lows = ", ".join(f"{size:.1f}" for _, size in one.lows())
            report.fail("grown", f"a process grew by {growth:.1f} MB an hour; its lows were {lows} MB")
        # The least at any time: erasing opens some for a moment. At first a process has not opened all that it needs.
        quarter, middle = len(one.files) // 4, len(one.files) // 2
        first, last = min(one.files[quarter:middle]), min(one.files[middle:])
        if last > first:
            report.fail("grown", f"a process had at least {last} files open in its second half, {first} before")


def _check(path: Path, processes: int, report: Report) -> None:
    """All memories are whole."""
    with open_registry(path) as registry:
        for memory_id in registry.ids():
            report.counts["memories"] += 1
            report.counts["versions"] += registry.get(memory_id).stats()["version"]
            report.fail("faults", *(f"{memory_id}: {fault}" for fault in torn_parts(registry.get(memory_id))))
    report.fail("faults", *damage(path))
    if report.counts["memories"] != processes + 1:
        report.fail("faults", f"there are {report.counts['memories']} memories, not {processes + 1}")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
