"""The power fails at a random moment: what was acknowledged must be there, and nothing half.

The real statements of the store are recorded as they reach the disk; images of the disk are made from prefixes of the
recording, and opened with the driver that users have. Each image must be equal to the memory at one of its versions:
with `durability="full"` one that is not older than the last acknowledged; with "fast" any. The same images with
syncing turned off must be seen to be torn, or the program has shown nothing.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

from streetai_core.errors import StreetAIError
from streetai_core.testing.torture.checking import damage, open_registry, picture, torn_parts
from streetai_core.testing.torture.exclusive import ExclusiveFile
from streetai_core.testing.torture.recording import FATES, Recorder, RecordingFiles, crash
from streetai_core.testing.torture.reporting import Report
from streetai_core.testing.torture.work import Work

_MEMORY = "tortured"


class Recording:
    """Mixed work on a new memory, and its picture at every version.

    Args:
        folder: where the memory is written while it is recorded.
        seed: decides what is done.
        durability: as the store takes it, or "off", which no store offers.
        operations: how many.
    """

    def __init__(self, folder: Path, seed: int, durability: str, operations: int) -> None:
        recorder = Recorder()
        name = f"recording-{durability}"
        self.files = RecordingFiles(name, recorder)
        self.pictures: dict[int, dict[str, Any]] = {}
        folder.mkdir(parents=True, exist_ok=True)
        opener = ExclusiveFile(name, "OFF" if durability == "off" else None)
        rng = random.Random(seed)  # noqa: S311 - reproducible, no secret
        setting = "full" if durability == "off" else durability
        with open_registry(folder / "power.db", durability=setting, opener=opener) as registry:
            work = Work(registry, _MEMORY, rng)
            # A disk on which nothing has arrived yet holds the memory that was never written.
            self.pictures[0] = picture(work.memory)
            for _ in range(operations):
                work.step()
                version = work.memory.stats()["version"]
                self.pictures[version] = picture(work.memory)
                recorder.acknowledge(version)
            # Closing copies the log; a crash in the middle of that is a crash like any other.
        self.steps = recorder.steps
        self.first = next(number for number, step in enumerate(self.steps) if step.kind == "acknowledged")

    def acknowledged(self, steps: int) -> int:
        """The last version that was acknowledged in so many steps."""
        return max(step.number for step in self.steps[:steps] if step.kind == "acknowledged")


def run(folder: Path, *, images: int, controls: int, operations: int, seed: int) -> Report:
    """Make `images` images with durability "full", and `controls` each with "fast" and without syncing.

    They are made from three recordings of `operations` operations each.
    """
    report = Report.of(seed, "lost", "torn", "torn_fast")
    rng = random.Random(seed)  # noqa: S311 - reproducible, no secret
    full = _results(folder, "full", images, operations, rng)
    fast = _results(folder, "fast", controls, operations, rng)
    off = _results(folder, "off", controls, operations, rng)
    report.counts.update(
        images=images,
        controls=controls,
        copies_of_log=full.copies,
        fast_images_without_tail=len(fast.lost),
        off_images_torn_or_without_tail=len(off.torn) + len(off.lost),
        off_images_torn=len(off.torn),
    )
    report.fail("lost", *full.lost)
    report.fail("torn", *full.torn)
    report.fail("torn_fast", *fast.torn)
    if not off.torn:
        report.unproved.append("no image was torn without syncing either")
    if not fast.lost:
        report.unproved.append("no image lost its tail with fast durability either")
    return report


class _Found:
    """What the images of one recording were like."""

    def __init__(self, copies: int) -> None:
        self.copies = copies
        self.lost: list[str] = []
        self.torn: list[str] = []


def _results(folder: Path, durability: str, images: int, operations: int, rng: random.Random) -> _Found:
    recording = Recording(folder / durability, rng.getrandbits(32), durability, operations)
    copied = sum(step.kind == "truncate" and step.file.endswith("-wal") for step in recording.steps)
    found = _Found(copied)
    for number in range(images):
        cut = rng.randint(recording.first + 1, len(recording.steps))
        fate = FATES[number % len(FATES)]
        place = folder / f"{durability}-{number}"
        name = f"{place.name}: {cut} steps, {fate} of the unsafe writes"
        _write(place, crash(recording.steps[:cut], fate, rng))
        before = len(found.lost) + len(found.torn)
        _check(place / "power.db", recording, cut, name, found)
        failed = len(found.lost) + len(found.torn) > before and (durability == "full" or "torn" in found.torn)
        if not failed:
            shutil.rmtree(place)
    return found


def _write(folder: Path, files: dict[str, bytes]) -> None:
    """Make the image. There is no index of the log: SQLite makes it anew."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def _check(path: Path, recording: Recording, cut: int, name: str, found: _Found) -> None:
    """Open an image, and compare it with the memory at the version that it says to have."""
    try:
        with open_registry(path, durability="fast") as registry:
            memory = registry.get(_MEMORY)
            version = memory.stats()["version"]
            faults = torn_parts(memory)
            same = picture(memory) == recording.pictures.get(version)
        faults += damage(path)
    except StreetAIError as error:
        found.torn.append(f"{name}: {error}")
        return
    if faults or not same:
        found.torn += [f"{name}: {fault}" for fault in faults or [f"version {version} is not what it was"]]
    elif version < recording.acknowledged(cut):
        found.lost.append(f"{name}: version {recording.acknowledged(cut)} was acknowledged, {version} is stored")
