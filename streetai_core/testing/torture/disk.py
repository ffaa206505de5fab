"""The disk fails at every call that a write makes to it; the memory stays whole, and goes on when the disk does.

An error of COMMIT leaves open whether the write is stored: the process sees that it is not, but if it dies at that very
moment, the next one may find it. So after each failure the files are copied as a crash would leave them, and must be
whole either way. Then the same handle has to write again, and RAM is compared with the file as others find it.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

import apsw

from streetai_core.errors import StorageFullError, StoreError
from streetai_core.testing.torture.calls import CALLS, MEMORY, make_template
from streetai_core.testing.torture.checking import damage, open_registry, picture, torn_parts
from streetai_core.testing.torture.exclusive import ExclusiveFile
from streetai_core.testing.torture.failing import FailingFiles, Fault
from streetai_core.testing.torture.reporting import Report

_FILES = "failing"
"""Name of the file system for SQLite."""

_ERRORS: tuple[tuple[type[apsw.Error], type[StoreError]], ...] = (
    (apsw.FullError, StorageFullError),
    (apsw.IOError, StoreError),
)
"""What the disk says, and what the caller must get (the second, or a kind of it)."""


def run(folder: Path, *, stride: int, syncs: int, seed: int) -> Report:
    """Fail at every `stride`-th write, sync and truncation of each call that writes, and at every `syncs`-th sync."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, no secret
    report = Report.of(seed, "ram_is_not_disk", "half", "wrong_error", "stuck", "damaged")
    template = folder / "template.db"
    make_template(template)
    fault = Fault()
    # As long as this object lives, SQLite knows the file system.
    files = FailingFiles(_FILES, fault)
    for call in CALLS:
        for error, expected in _ERRORS:
            for only, step in (("", stride), ("sync", syncs)):
                # Syncs by themselves: after one of them what was written may be there, and may be not.
                numbers = count(rng.randint(1, step), step)
                for number in numbers:
                    fault.set(number, error, only)
                    attempt = _Attempt(template, folder / f"{call}-{only}{number}.db", fault, report)
                    if not attempt.fails(call, expected):
                        break
    files.unregister()
    if report.counts["unknown_outcome_stored"] == 0:
        report.unproved.append("no failure came after the write was safe")
    return report


class _Attempt:
    """One call on one copy, with one failure."""

    def __init__(self, template: Path, path: Path, fault: Fault, report: Report) -> None:
        self._path = path
        self._fault = fault
        self._report = report
        shutil.copyfile(template, path)

    def fails(self, call: str, expected: type[StoreError]) -> bool:
        """Make the call; whether there was a failure at all."""
        number, self._fault.remaining = self._fault.remaining, 0
        name = f"{call}, {self._fault.error.__name__} at {self._fault.only or 'call'} {number}"
        registry = open_registry(self._path, opener=ExclusiveFile(_FILES))
        memory = registry.get(MEMORY)
        before = picture(memory)
        verb = CALLS[call](registry)
        self._fault.remaining = number
        raised = ""
        try:
            verb()
        except expected as caught:
            raised = type(caught).__name__
        except StoreError as caught:
            self._report.fail("wrong_error", f"{name}: {type(caught).__name__}: {caught}")
        self._fault.remaining = 0
        sprung = self._fault.sprung
        if sprung:
            name += f" ({self._fault.where})"
            self._report.counts["faults"] += 1
            after = picture(registry.get(MEMORY))
            self._compare(name, before, after)
            self._crash(name, before, after, raised=bool(raised))
            try:
                registry.get(MEMORY).add_message("The disk works again.", "user", message_id="again")
            except StoreError as caught:
                self._report.fail("stuck", f"{name}: {caught}")
            after = picture(registry.get(MEMORY))
        registry.close()
        if sprung:
            self._reopen(name, after)
        if self._report.passed:
            self._path.unlink()
        return sprung

    def _compare(self, name: str, before: dict[str, Any], after: dict[str, Any]) -> None:
        """What the handle says now is the state before the call or the one after it."""
        steps = after["head"].version - before["head"].version
        if steps not in (0, 1) or (steps == 0 and after != before):
            self._report.fail("half", f"{name}: neither the state before nor that after")

    def _crash(self, name: str, before: dict[str, Any], after: dict[str, Any], *, raised: bool) -> None:
        """If the process died now, the next one would find the state before the call or the one after it."""
        place = self._path.with_suffix("")
        place.mkdir()
        for file in self._path.parent.glob(f"{self._path.name}*"):
            shutil.copyfile(file, place / file.name)
        with open_registry(place / self._path.name, durability="fast") as registry:
            found = picture(registry.get(MEMORY))
            self._report.fail("half", *(f"{name}, crash: {fault}" for fault in torn_parts(registry.get(MEMORY))))
        stored = found["head"].version > before["head"].version
        if not stored and found != before:
            self._report.fail("half", f"{name}, crash: neither the state before nor that after")
        if found["head"].version < after["head"].version:
            self._report.fail("half", f"{name}, crash: what was stored is gone")
        if raised:
            self._report.counts["unknown_outcome_stored" if stored else "unknown_outcome_not_stored"] += 1
        if self._report.passed:
            shutil.rmtree(place)

    def _reopen(self, name: str, in_ram: dict[str, Any]) -> None:
        """The file, as anybody else finds it, is what the handle said."""
        try:
            with open_registry(self._path, durability="fast") as registry:
                on_disk = picture(registry.get(MEMORY))
                found: Iterable[str] = torn_parts(registry.get(MEMORY))
            self._report.fail("half", *(f"{name}: {fault}" for fault in found))
            if on_disk != in_ram:
                wrong = [part for part in in_ram if in_ram[part] != on_disk[part]]
                self._report.fail("ram_is_not_disk", f"{name}: {', '.join(wrong)} differ")
            found = damage(self._path)
        except StoreError as error:
            found = [str(error)]
        self._report.fail("damaged", *(f"{name}: {fault}" for fault in found))
