"""`python -m streetai_core.testing.torture`."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import click

from streetai_core.testing.torture import contention, kill


@click.group()
def torture() -> None:
    """Try to lose or tear data, in a folder of its own on this machine's disk."""


@torture.command(name="kill")
@click.option("--cycles", default=1000, show_default=True, help="How often the writer is killed.")
@click.option("--seed", default=None, type=int, help="Repeat a run; a random one is printed otherwise.")
@click.option("--folder", default=None, type=click.Path(path_type=Path), help="Where to write; kept on failure.")
def kill_command(cycles: int, seed: int | None, folder: Path | None) -> None:
    """Kill a writer with SIGKILL at random moments."""
    seed = int(time.time()) if seed is None else seed
    outcome = kill.run(_folder(folder), cycles=cycles, seed=seed)
    click.echo(f"kill: {outcome}")
    for problem in (*outcome.lost[:10], *outcome.torn[:10]):
        click.echo(f"  {problem}")
    sys.exit(not outcome.passed)


@torture.command(name="contend")
@click.option("--processes", default=8, show_default=True, help="Writers at once.")
@click.option("--messages", default=250, show_default=True, help="Messages of each.")
@click.option("--folder", default=None, type=click.Path(path_type=Path), help="Where to write.")
def contend_command(processes: int, messages: int, folder: Path | None) -> None:
    """Write one memory from several processes."""
    outcome = contention.run(_folder(folder), processes=processes, messages=messages)
    click.echo(f"contend: {outcome}")
    for problem in (*outcome.errors[:10], *outcome.faults[:10]):
        click.echo(f"  {problem}")
    sys.exit(not outcome.passed)


def _folder(folder: Path | None) -> Path:
    """The folder given, or a new one whose path is printed."""
    chosen = Path(tempfile.mkdtemp(prefix="streetai-torture-")) if folder is None else folder
    chosen.mkdir(parents=True, exist_ok=True)
    click.echo(f"files are in {chosen}")
    return chosen


if __name__ == "__main__":
    torture()
