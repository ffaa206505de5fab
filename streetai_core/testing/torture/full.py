"""The disk is full: a typed error, nothing half, reading goes on, and writing too as soon as there is space.

A process limits the size of its files and writes until it is refused; then the limit is raised. Where file systems can
be mounted, the same is done on one of a few megabytes, which is made larger.
"""

from __future__ import annotations

import multiprocessing
import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from streetai_core.errors import StorageFullError, StoreError
from streetai_core.registry import MemoryRegistry
from streetai_core.testing.torture.checking import damage, differences, open_registry, picture, torn_parts
from streetai_core.testing.torture.reporting import Report
from streetai_core.testing.torture.work import Intent, Model, Work

_MEMORY = "tortured"

_BYTES = (150_000, 900_000)
"""Where a file may end: from soon after its tables are made to some hundred messages later."""

_DISK = 3
"""Megabytes of the file system."""

_LARGER = 40
"""Megabytes that it has when there is space again."""

_STEPS_AFTER = 10
"""Operations on the same handle after there is space again."""

_REFUSED: type[StoreError] = StorageFullError if sys.version_info >= (3, 11) else StoreError
"""Before 3.11 Python does not tell a limit on the size of files from another failure of the disk."""


@dataclass(frozen=True, slots=True)
class _Space:
    """How space runs out, and comes back."""

    limit: Callable[[], None]
    make_room: Callable[[], None]
    refused: type[StoreError]
    """What a write that finds none must raise."""


def run(folder: Path, *, points: int, seed: int) -> Report:
    """Fill the disk so many times, each time up to another point."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, no secret
    report = Report.of(seed, "lost", "half", "wrong_error", "stuck")
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    # A process of its own, because a limit holds for all of its files.
    child = context.Process(target=_limited, args=(folder, points, rng.getrandbits(32), theirs))
    child.start()
    theirs.close()
    for kind, problems in ours.recv().items():
        if isinstance(problems, int):
            report.counts[kind] += problems
        else:
            report.fail(kind, *problems)
    child.join()
    _mounted(folder / "mounted", rng, report)
    if report.counts["refused"] == 0:
        report.unproved.append("no write was refused")
    return report


def _limited(folder: Path, points: int, seed: int, answers: Connection) -> None:
    """Fill files up to a limit of their size."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, no secret
    report = Report.of(seed, "lost", "half", "wrong_error", "stuck")
    _, highest = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (rng.randint(*_BYTES), highest))

    def raise_limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (highest, highest))

    space = _Space(limit, raise_limit, _REFUSED)
    for point in range(points):
        _fill(folder / f"full-{point}.db", rng, space, report)
    answers.send({**report.counts, **report.failures})


def _fill(path: Path, rng: random.Random, space: _Space, report: Report) -> None:
    """Write until there is no space, look, make room, and go on with the same handle."""
    intents: list[Intent] = []
    with open_registry(path, durability="fast") as registry:
        work = Work(registry, _MEMORY, rng, intents.append)
        work.add()
        space.limit()
        model, finished, error = _until_refused(work, intents)
        report.counts["points"] += 1
        report.counts["acknowledged"] += len(intents) - 1
        report.counts["refused"] += isinstance(error, space.refused)
        if not isinstance(error, space.refused):
            report.fail("wrong_error", f"{path.name}: {type(error).__name__}: {error}")
        _check_reading(path, registry, model, finished, report)
        space.make_room()
        _check_writing(path, Work(registry, _MEMORY, rng, intents.append), report)
        held = picture(registry.get(_MEMORY))
    with open_registry(path) as registry:
        if picture(registry.get(_MEMORY)) != held:
            report.fail("half", f"{path.name}: RAM was not what the disk says")
        report.fail("half", *torn_parts(registry.get(_MEMORY)))
    report.fail("half", *damage(path))
    if report.passed:
        path.unlink()


def _until_refused(work: Work, intents: list[Intent]) -> tuple[Model, Model, StoreError]:
    """Write until the store refuses; the model before and after what was refused, and the error."""
    followed = 0
    model: Model = {}
    while True:
        try:
            # Mostly what needs room.
            work.bulk() if len(intents) % 2 else work.step()
        except StoreError as error:
            for intent in intents[followed:-1]:
                model = intent.applied(model)
            return model, intents[-1].applied(model), error
        for intent in intents[followed:]:
            model = intent.applied(model)
        followed = len(intents)


def _check_reading(path: Path, registry: MemoryRegistry, model: Model, finished: Model, report: Report) -> None:
    """All that was acknowledged can be read, and what was refused is there whole or not at all."""
    try:
        memory = registry.get(_MEMORY)
        report.fail("half", *torn_parts(memory))
        if differences(memory, finished):
            report.fail("lost", *(f"{path.name}: message {one}" for one in differences(memory, model)))
    except StoreError as error:
        report.fail("stuck", f"{path.name}: reading stopped: {error}")


def _check_writing(path: Path, work: Work, report: Report) -> None:
    """With space again, the same handle writes."""
    try:
        for _ in range(_STEPS_AFTER):
            work.step()
    except StoreError as error:
        report.fail("stuck", f"{path.name}: writing did not go on: {error}")


def _mounted(folder: Path, rng: random.Random, report: Report) -> None:
    """Fill a real disk: a small file system that is mounted for it, if this user may mount one."""
    folder.mkdir(exist_ok=True)
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    if (
        mount is None
        or unmount is None
        or not _succeeds(mount, "-t", "tmpfs", "-o", f"size={_DISK}m", "tmpfs", str(folder))
    ):
        report.skipped.append(
            "a real file system of its own: only root may mount one, and not in every container; run it as root on a "
            "Linux machine"
        )
        return
    space = _Space(
        limit=lambda: None,
        make_room=lambda: _require(mount, "-o", f"remount,size={_LARGER}m", str(folder)),
        refused=StorageFullError,
    )
    try:
        _fill(folder / "full.db", rng, space, report)
        report.counts["mounted"] += 1
    finally:
        _require(unmount, str(folder))


def _succeeds(*command: str) -> bool:
    return subprocess.run(command, check=False, capture_output=True).returncode == 0  # noqa: S603 - programs by their full path


def _require(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - as above
