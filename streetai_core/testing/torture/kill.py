"""A writer is killed with SIGKILL at random moments; what it had acknowledged must be there, and nothing half."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from streetai_core.errors import StreetAIError
from streetai_core.memory import Memory
from streetai_core.testing.torture.checking import damage, differences, open_registry, torn_parts, unlogged_weights
from streetai_core.testing.torture.reporting import Report
from streetai_core.testing.torture.work import Intent, Model, Work, text_of

_MEMORY = "tortured"

_LARGEST = 600
"""Messages from which the memory is reset, so that the checks stay quick."""

_CHECK_EVERY = 10
"""Cycles between two full checks of the file; the acknowledged messages are checked in every cycle."""

_BIRTH_EVERY = 10
"""Cycles between two kills of a process that makes a new file: its tables are there as a whole or not at all."""

_SECONDS = (0.002, 0.100)
"""How long a writer may write: from one operation to some."""

_BIRTH_SECONDS = (0.0, 0.080)
"""How long a process may make tables and write its first messages."""


def run(folder: Path, *, cycles: int, seed: int) -> Report:
    """Kill a writer `cycles` times. Needs an operating system with fork, and no other thread in this process."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, no secret
    report = Report.of(seed, "lost", "torn")
    path = folder / "killed.db"
    _warm_up(path)
    model: Model = {}
    version = 0
    for cycle in range(cycles):
        report.counts["cycles"] += 1
        lines = _kill_a_writer(path, rng.getrandbits(32), rng.uniform(*_SECONDS))
        acknowledged = [int(line.split(" ")[1]) for line in lines if line.startswith("done")]
        report.counts["acknowledged"] += len(acknowledged)
        version = max([version, *acknowledged])
        log = path.with_name(path.name + "-wal")
        # Without any unfinished log, the kills would test nothing.
        report.counts["unfinished_log"] += log.exists() and log.stat().st_size > 0
        model, version = _checked(path, *_followed(model, lines), version, report)
        if cycle % _CHECK_EVERY == 0 or cycle == cycles - 1:
            report.fail("torn", *damage(path), *_check_log(path))
        if cycle % _BIRTH_EVERY == 0:
            _kill_at_birth(folder / f"born-{cycle}.db", rng, report)
    if report.counts["unfinished_log"] <= cycles // 2:
        report.unproved.append("most kills came when nothing was being written")
    return report


def write_until_killed(path: Path, seed: int, say: Callable[[str], None]) -> None:
    """Mixed work without end; says what it is about to do, and `done VERSION` after it."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, no secret
    registry = open_registry(path)
    work = Work(registry, _MEMORY, rng, lambda intent: say(intent.line()))
    while True:
        work.step()
        say(f"done {work.memory.stats()['version']}")


def _warm_up(path: Path) -> None:
    """Do once what every process does once (tables of patterns, the stemmer); the writers are forks and inherit it.

    Else a kill would mostly come before the first write.
    """
    with open_registry(path) as registry:
        memory = registry.get("warm")
        memory.add_message(text_of("warm"), "user")
        memory.retrieve(text_of("warm"))


def _kill_a_writer(path: Path, seed: int, seconds: float, *, at_birth: bool = False) -> list[str]:
    """Fork a writer, kill it so many seconds after it has begun to write (or lives); returns what it said."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(readable)
        with suppress(BaseException):
            write_until_killed(path, seed, lambda line: _ignore(os.write(writable, f"{line}\n".encode())))
        os._exit(1)
    os.close(writable)
    received = b"" if at_birth else os.read(readable, 65536)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while part := os.read(readable, 65536):
        received += part
    os.close(readable)
    # The last line may have been cut by the kill.
    return received.decode().split("\n")[:-1]


def _ignore(_: object) -> None:
    """The number of bytes written to the pipe is of no interest."""


def _followed(model: Model, lines: list[str]) -> tuple[Model, Model]:
    """The model after what was acknowledged, and after the operation that was cut off as well."""
    finished = model
    for line in lines:
        if line.startswith("done"):
            model = finished
        else:
            finished = Intent.parsed(line).applied(model)
    return model, finished


def _checked(path: Path, model: Model, finished: Model, version: int, report: Report) -> tuple[Model, int]:
    """Compare the file with the model, with and without the operation that was cut off; returns which it is."""
    with open_registry(path) as registry:
        memory = registry.get(_MEMORY)
        started = time.perf_counter()
        memory.messages()
        taken = round((time.perf_counter() - started) * 1000)
        report.counts["slowest_reopen_ms"] = max(report.counts["slowest_reopen_ms"], taken)
        report.fail("torn", *torn_parts(memory))
        if not differences(memory, finished):
            model = finished
        report.fail("lost", *differences(memory, model))
        stored = memory.stats()["version"]
        if stored < version:
            report.fail("lost", f"version {version} was acknowledged, {stored} is stored")
        if len(model) > _LARGEST:
            registry.reset(_MEMORY)
            return {}, stored + 1
    return model, stored


def _check_log(path: Path) -> list[str]:
    """Compare the weights with the learning log."""
    with open_registry(path) as registry:
        return unlogged_weights(registry.get(_MEMORY))


def _kill_at_birth(path: Path, rng: random.Random, report: Report) -> None:
    """Kill a process that makes a new file; whatever it left can be opened and written."""
    lines = _kill_a_writer(path, rng.getrandbits(32), rng.uniform(*_BIRTH_SECONDS), at_birth=True)
    report.counts["births"] += 1
    report.counts["unborn"] += not path.exists() or path.stat().st_size == 0
    model, finished = _followed({}, lines)
    try:
        with open_registry(path) as registry:
            memory: Memory = registry.get(_MEMORY)
            report.fail("torn", *torn_parts(memory))
            if differences(memory, finished):
                report.fail("lost", *differences(memory, model))
            memory.add_message("It can be written again.", "user")
        found = damage(path)
    except StreetAIError as error:
        found = [f"{path.name}: {error}"]
    report.fail("torn", *found)
    if not found:
        path.unlink()
