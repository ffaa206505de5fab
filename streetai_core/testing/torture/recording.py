"""A disk that notes what SQLite writes, and what of it is left when the power fails."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import apsw

_SECTOR = 512
"""Bytes that a disk writes whole or not at all."""

_KEPT, _NOISE = 0.50, 0.05
"""Of the sectors that were not yet safe: the share that is there, and the share that is garbage; the rest is lost."""

Fate = Literal["none", "all", "prefix", "mixed"]
"""What becomes of writes that were not yet safe: lost, kept, kept up to a point, each sector for itself."""

FATES: Sequence[Fate] = ("none", "all", "prefix", "mixed")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened to the disk, or that the memory acknowledged."""

    kind: Literal["write", "truncate", "sync", "delete", "acknowledged"]
    file: str = ""
    """Name without folder."""
    number: int = 0
    """Offset of a write, size after truncating, version that was acknowledged."""
    data: bytes = b""


@dataclass(slots=True)
class Recorder:
    """What happened, in order."""

    steps: list[Step] = field(default_factory=list)

    def acknowledge(self, version: int) -> None:
        """A call has returned; the memory has this version."""
        self.steps.append(Step("acknowledged", number=version))


class RecordingFiles(apsw.VFS):
    """A file system that passes everything on to the real one, and notes it."""

    def __init__(self, name: str, recorder: Recorder) -> None:
        self._recorder = recorder
        super().__init__(name, "", maxpathname=0)

    def xOpen(self, name: Any, flags: Any) -> Any:  # noqa: N802 - SQLite's name
        """A file that notes what is done to it."""
        return _RecordingFile(name, flags, self._recorder)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: FBT001, N802 - SQLite's name and arguments
        """Delete, and note it."""
        super().xDelete(filename, syncdir)
        self._recorder.steps.append(Step("delete", Path(filename).name))


class _RecordingFile(apsw.VFSFile):
    def __init__(self, name: Any, flags: Any, recorder: Recorder) -> None:
        self._name = Path(name.filename() if isinstance(name, apsw.URIFilename) else name or "").name
        self._recorder = recorder
        super().__init__("", name, flags)

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802 - SQLite's name
        """Write, and note it."""
        super().xWrite(data, offset)
        self._recorder.steps.append(Step("write", self._name, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - SQLite's name
        """Truncate, and note it."""
        super().xTruncate(newsize)
        self._recorder.steps.append(Step("truncate", self._name, newsize))

    def xSync(self, flags: int) -> None:  # noqa: ARG002, N802 - SQLite's name and arguments
        """Note it. The real disk is not waited for: this machine stays on, and only the recording will be cut."""
        self._recorder.steps.append(Step("sync", self._name))


def crash(steps: Sequence[Step], fate: Fate, rng: random.Random) -> dict[str, bytes]:
    """The files that a power failure after these steps leaves.

    What was written to a file before its last sync is there. Of the rest `fate` and chance decide. That a file was
    deleted is taken for safe at once.
    """
    files: dict[str, bytearray] = {}
    for name, ours in _by_file(steps).items():
        safe = max((number for number, step in enumerate(ours) if step.kind == "sync"), default=-1) + 1
        content = bytearray()
        for step in ours[:safe]:
            _apply(content, step)
        for step in _surviving(ours[safe:], fate, rng):
            _apply(content, step)
        files[name] = content
    return {name: bytes(content) for name, content in files.items()}


def _by_file(steps: Iterable[Step]) -> dict[str, list[Step]]:
    """Steps by the file that they are about; those of a file that was deleted are gone."""
    files: dict[str, list[Step]] = {}
    for step in steps:
        if step.kind == "delete":
            files.pop(step.file, None)
        elif step.file:  # not what was acknowledged, nor the files without a name that SQLite sorts in
            files.setdefault(step.file, []).append(step)
    return files


def _surviving(steps: Sequence[Step], fate: Fate, rng: random.Random) -> list[Step]:
    """What of the steps that were not yet safe has reached the disk."""
    if fate == "none":
        return []
    if fate == "all":
        return list(steps)
    if fate == "prefix":
        return list(steps[: rng.randint(0, len(steps))])
    kept: list[Step] = []
    for step in steps:
        if step.kind == "write":
            kept += _sectors(step, rng)
        elif rng.random() < _KEPT:
            kept.append(step)
    return kept


def _sectors(step: Step, rng: random.Random) -> list[Step]:
    """The sectors of one write that have reached the disk, some of them as garbage."""
    kept: list[Step] = []
    for start in range(0, len(step.data), _SECTOR):
        sector = step.data[start : start + _SECTOR]
        chance = rng.random()
        if chance < _KEPT:
            kept.append(Step("write", step.file, step.number + start, sector))
        elif chance < _KEPT + _NOISE:
            kept.append(Step("write", step.file, step.number + start, rng.randbytes(len(sector))))
    return kept


def _apply(content: bytearray, step: Step) -> None:
    if step.kind == "truncate":
        del content[step.number :]
    elif step.kind == "write":
        content.extend(bytes(max(0, step.number - len(content))))
        content[step.number : step.number + len(step.data)] = step.data
