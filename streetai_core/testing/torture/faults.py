"""Whatever goes wrong in a write, RAM is what the disk says, and the write is there whole or not at all.

Errors are raised at every statement of every call that writes, before it is carried out and after; the encoder fails;
and the call is interrupted at random moments.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from streetai_core.encoders.base import InputKind
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import EncoderError, MemoryBusyError, StorageFullError, StoreError
from streetai_core.registry import MemoryRegistry
from streetai_core.stores import _sqlite
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.testing.torture.calls import CALLS, MEMORY, make_template
from streetai_core.testing.torture.checking import CONFIG, ENCODER, open_registry, picture, torn_parts
from streetai_core.testing.torture.reporting import Report
from streetai_core.testing.torture.trap import Moments, Trap, coded, trapped
from streetai_core.types import Matrix

_WAIT = 0.5
"""Seconds to wait for a lock that should be free: a call that was interrupted must not have kept it."""


_ERRORS: dict[str, tuple[Callable[[], BaseException], type[BaseException]]] = {
    "busy": (partial(coded, "database is locked", _sqlite.BUSY), MemoryBusyError),
    "full": (partial(coded, "database or disk is full", _sqlite.FULL), StorageFullError),
    "failing": (partial(coded, "disk I/O error", _sqlite.IOERR), StoreError),
    "interrupt": (KeyboardInterrupt, KeyboardInterrupt),
    "no memory": (MemoryError, MemoryError),
}
"""What the driver raises, and what the caller must get."""


class FailingEncoder(HashingEncoder):
    """Fails while it is told to."""

    failing = False

    def embed(self, texts: Sequence[str], kind: InputKind) -> Matrix:
        """Embed, or fail as a model does."""
        if self.failing:
            raise RuntimeError("the model was told to fail")
        return super().embed(texts, kind)


class _Bench:
    """One memory on which calls fail, and its picture before.

    Args:
        folder: where its files are.
        report: where the outcome goes.
        template: the file to begin with; `None`: there is none yet.
    """

    def __init__(self, folder: Path, report: Report, template: Path | None) -> None:
        self.report = report
        self.trap = Trap()
        self.encoder = FailingEncoder(dim=ENCODER.dim)
        self._template = template
        self._folder = folder
        self._path = folder
        self._copies = 0
        self._registry: MemoryRegistry | None = None
        self._before: dict[str, Any] = {}

    @property
    def registry(self) -> MemoryRegistry:
        """The handle on which the next call is made; fresh, or the one that has just survived a fault."""
        if self._registry is None:
            self._copies += 1
            # A name of its own: an interrupted call may have left its connection to the garbage collector.
            self._path = self._folder / f"faults-{self._copies}{'' if self._template else '-new'}.db"
            if self._template is not None:
                shutil.copyfile(self._template, self._path)
            store = SqliteStore(self._path, busy_timeout=_WAIT, durability="fast", opener=trapped(self.trap))
            self._registry = MemoryRegistry(store, config=CONFIG, encoder=self.encoder)
            self._before = picture(self._registry.get(MEMORY))
        return self._registry

    def anew(self) -> None:
        """Begin from the template again."""
        self.trap.remaining = 0
        if self._registry is not None:
            self._registry.close()
            self._registry = None
            if self.report.passed:
                self._path.unlink(missing_ok=True)

    def compare(self, name: str) -> None:
        """After a fault: RAM is what the disk says, and the call has been made whole or not at all."""
        self.trap.remaining = 0
        self.report.counts["faults"] += 1
        memory = self.registry.get(MEMORY)
        in_ram = picture(memory)
        with open_registry(self._path, durability="fast") as other:
            on_disk = picture(other.get(MEMORY))
            if on_disk != self._before:
                self.report.fail("half", *(f"{name}: {fault}" for fault in torn_parts(other.get(MEMORY))))
        if in_ram != on_disk:
            wrong = [part for part in in_ram if in_ram[part] != on_disk[part]]
            self.report.fail("ram_is_not_disk", f"{name}: {', '.join(wrong)} differ")
        steps = on_disk["stats"]["version"] - self._before["stats"]["version"]
        if steps not in (0, 1) or (steps == 0 and on_disk != self._before):
            self.report.fail("half", f"{name}: neither the state before nor that after")
        if steps or in_ram != on_disk:
            self.report.counts["stored_all_the_same"] += 1
            self.anew()

    @contextmanager
    def expecting(self, name: str, kind: type[BaseException]) -> Iterator[None]:
        """The block raises nothing, or exactly this."""
        try:
            yield
        except BaseException as error:  # noqa: BLE001 - interrupts are among what is raised
            if type(error) is not kind:
                self.report.fail("wrong_error", f"{name}: {type(error).__name__}: {error}")
            # So that nothing keeps what the frames of the call had open.
            error.__traceback__ = None


def run(folder: Path, *, stride: int, moments: int, seed: int) -> Report:
    """Raise at every `stride`-th statement of each call, and interrupt each at `moments` random moments."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, no secret
    report = Report.of(seed, "ram_is_not_disk", "half", "wrong_error", "stuck")
    template = folder / "template.db"
    make_template(template)
    for call in CALLS:
        _all_faults(_Bench(folder, report, template), call, stride, moments, rng)
    _all_faults(_Bench(folder, report, None), "add_message", stride, moments, rng)
    if report.counts["stored_all_the_same"] == 0:
        report.unproved.append("no error came after a commit")
    return report


def _all_faults(bench: _Bench, call: str, stride: int, moments: int, rng: random.Random) -> None:
    """Everything that can go wrong in one call."""
    for error in _ERRORS:
        for late in (False, True):
            _at_statements(bench, call, error, late=late, numbers=_from(rng.randint(1, stride), stride))
    _with_failing_encoder(bench, call)
    _at_moments(bench, call, moments, rng)
    _goes_on(bench, call)
    bench.anew()


def _from(first: int, stride: int) -> Iterator[int]:
    """first, first + stride, and so on without end."""
    number = first
    while True:
        yield number
        number += stride


def _at_statements(bench: _Bench, call: str, error: str, *, late: bool, numbers: Iterator[int]) -> None:
    """Raise one error at one statement after the other, until the call has no more of them."""
    made, kind = _ERRORS[error]
    for number in numbers:
        name = f"{call}, {error} {'after' if late else 'at'} statement {number}"
        verb = CALLS[call](bench.registry)
        bench.trap.set(number, made, late=late)
        with bench.expecting(name, kind):
            verb()
        sprung = bench.trap.sprung
        if not sprung:
            bench.anew()
            return
        bench.compare(f"{name} ({bench.trap.statement})")


def _with_failing_encoder(bench: _Bench, call: str) -> None:
    """The model fails: nothing is stored."""
    bench.anew()
    verb = CALLS[call](bench.registry)
    bench.encoder.failing = True
    with bench.expecting(f"{call}, encoder", EncoderError):
        verb()
    bench.encoder.failing = False
    bench.compare(f"{call}, encoder")


def _at_moments(bench: _Bench, call: str, count: int, rng: random.Random) -> None:
    """Interrupt the call at random moments, as Ctrl-C does."""
    bench.anew()
    counter = Moments()
    counter.run(CALLS[call](bench.registry))
    bench.report.counts["moments"] += counter.seen
    bench.anew()
    for _ in range(count):
        moment = rng.randint(1, counter.seen)
        name = f"{call}, interrupted at moment {moment} of {counter.seen}"
        verb = CALLS[call](bench.registry)
        with bench.expecting(name, KeyboardInterrupt):
            Moments(interrupt_at=moment).run(verb)
        try:
            bench.compare(name)
        except StoreError as error:
            bench.report.fail("stuck", f"{name}: {error}")
            with suppress(StoreError):
                bench.anew()


def _goes_on(bench: _Bench, call: str) -> None:
    """After all that, the call works."""
    before = bench.registry.get(MEMORY).stats()["version"]
    CALLS[call](bench.registry)()
    if bench.registry.get(MEMORY).stats()["version"] != before + 1:
        bench.report.fail("stuck", f"{call} does not work any more")
    bench.anew()
