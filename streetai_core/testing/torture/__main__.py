"""`python -m streetai_core.testing.torture`."""

from __future__ import annotations

import importlib.util
import logging
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from streetai_core.errors import MissingExtraError
from streetai_core.testing.torture import coherence, contention, faults, fuzz, isolation, kill, soak
from streetai_core.testing.torture.reporting import Report

Program = Callable[..., Report]


@click.group()
def torture() -> None:
    """Try to lose or tear data, in a folder of its own on this machine's disk."""
    # Disks are made to fail here; what the store has to say about that is not news.
    logging.getLogger("streetai_core").setLevel(logging.ERROR)


def _program(name: str, *options: Any) -> Callable[[Program], click.Command]:
    """Make a command of a function that takes a folder, a seed and its own options, and returns a report."""

    def decorate(program: Program) -> click.Command:
        def command(folder: Path | None, seed: int | None, **chosen: Any) -> None:
            chosen_seed = secrets.randbits(31) if seed is None else seed
            chosen_folder = Path(tempfile.mkdtemp(prefix="streetai-torture-")) if folder is None else folder.absolute()
            chosen_folder.mkdir(parents=True, exist_ok=True)
            click.echo(f"{name}: --seed {chosen_seed} --folder {chosen_folder}")
            report = program(chosen_folder, seed=chosen_seed, **chosen)
            for line in report.lines():
                click.echo(f"{name}: {line}")
            if not report.passed:
                click.echo(f"{name}: FAILED, the files are kept in {chosen_folder}")
            elif folder is None:
                shutil.rmtree(chosen_folder)
            sys.exit(not report.passed)

        command.__doc__ = program.__doc__
        made: Any = command
        for option in (
            *reversed(options),
            click.option("--folder", type=click.Path(path_type=Path), help="Where to write; kept on failure."),
            click.option("--seed", type=int, help="Repeat a run; a random one is printed otherwise."),
        ):
            made = option(made)
        return torture.command(name=name)(made)

    return decorate


def _number(name: str, default: int, meaning: str) -> Any:
    """A whole number from 1 as an option."""
    return click.option(f"--{name}", default=default, show_default=True, type=click.IntRange(min=1), help=meaning)


def _apsw() -> None:
    """Programs that fail a disk need a driver whose files can be made of Python.

    Raises:
        MissingExtraError: it is not installed.
    """
    if importlib.util.find_spec("apsw") is None:
        raise MissingExtraError("apsw", "torture")


@_program("kill", _number("cycles", 1000, "How often the writer is killed."))
def kill_command(folder: Path, seed: int, cycles: int) -> Report:
    """Kill a writer with SIGKILL at random moments."""
    return kill.run(folder, cycles=cycles, seed=seed)


@_program(
    "power",
    _number("images", 1000, "Crashes with full durability."),
    _number("controls", 300, "Crashes with fast durability, and as many without syncing."),
    _number("operations", 120, "What is done before; so many copy the log into the file dozens of times."),
)
def power_command(folder: Path, seed: int, images: int, controls: int, operations: int) -> Report:
    """Cut the power at random moments of what the store writes."""
    _apsw()
    from streetai_core.testing.torture import power  # noqa: PLC0415 - needs an extra

    return power.run(folder, images=images, controls=controls, operations=operations, seed=seed)


@_program(
    "contend",
    _number("processes", 8, "Writers at once."),
    _number("messages", 250, "Messages of each."),
)
def contend_command(folder: Path, seed: int, processes: int, messages: int) -> Report:
    """Write one memory, and many, from several processes at once."""
    return contention.run(folder, processes=processes, messages=messages, seed=seed)


@_program("isolation", _number("operations", 100_000, "On fifty memories with hostile ids."))
def isolation_command(folder: Path, seed: int, operations: int) -> Report:
    """Try to see or change one memory through another."""
    return isolation.run(folder, operations=operations, seed=seed)


@_program("coherence", _number("rounds", 10_000, "Writes in one process that another one reads."))
def coherence_command(folder: Path, seed: int, rounds: int) -> Report:
    """Write in one process and read in another, in turns."""
    return coherence.run(folder, rounds=rounds, seed=seed)


@_program(
    "faults",
    _number("stride", 1, "Raise at every so-manieth statement of each call."),
    _number("moments", 200, "Random moments at which each call is interrupted."),
)
def faults_command(folder: Path, seed: int, stride: int, moments: int) -> Report:
    """Raise errors at the statements of every call that writes, and interrupt it."""
    return faults.run(folder, stride=stride, moments=moments, seed=seed)


@_program(
    "disk",
    _number("stride", 1, "Fail at every so-manieth write, sync and truncation of each call."),
    _number("syncs", 1, "Fail besides at every so-manieth sync."),
)
def disk_command(folder: Path, seed: int, stride: int, syncs: int) -> Report:
    """Let the disk fail under every call that writes."""
    _apsw()
    from streetai_core.testing.torture import disk  # noqa: PLC0415 - needs an extra

    return disk.run(folder, stride=stride, syncs=syncs, seed=seed)


@_program("full", _number("points", 50, "How often the disk is filled, each time up to another point."))
def full_command(folder: Path, seed: int, points: int) -> Report:
    """Fill the disk, make room, and go on."""
    from streetai_core.testing.torture import full  # noqa: PLC0415 - needs limits of resources, which Windows has not

    return full.run(folder, points=points, seed=seed)


@_program(
    "soak",
    _number("processes", 4, "Writers at once."),
    _number("minutes", 60, "How long they work."),
)
def soak_command(folder: Path, seed: int, processes: int, minutes: int) -> Report:
    """Work for a long time, kill writers now and then, and look for what grows."""
    return soak.run(folder, processes=processes, minutes=minutes, seed=seed)


@_program(
    "fuzz",
    _number("texts", 20_000, "Texts that nobody would write."),
    _number("files", 2_000, "Files whose bytes are changed."),
    _number("imports", 2_000, "Files to import that nobody should have written."),
)
def fuzz_command(folder: Path, seed: int, texts: int, files: int, imports: int) -> Report:
    """Give every call texts and files that nobody would make."""
    return fuzz.run(folder, texts=texts, files=files, imports=imports, seed=seed)


if __name__ == "__main__":
    torture()
