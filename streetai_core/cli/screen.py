"""What goes to the screen: tables and lines, without colours where nobody wants them, one line where it is one row."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import click

from streetai_core.cli.wording import harmless, one_line
from streetai_core.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

# Rich is imported by what draws with it: no --help shall wait for it.

_WIDE = 400
"""Columns of a screen that is none: no row of a table in a file is broken."""

_SHOWN = 200
"""Characters of a message in a table."""


def console(*, stderr: bool = False) -> Console:
    """Where to print."""
    from rich.console import Console

    screen = Console(stderr=stderr, color_system=colours(), markup=False, highlight=False, emoji=False)
    if not screen.is_terminal:
        screen.width = _WIDE
    return screen


def colours() -> Any:
    """No escape code at all under NO_COLOR."""
    return None if os.environ.get("NO_COLOR") else "auto"


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, figures: Sequence[str] = ()) -> None:
    """Print a table, or where it has no room, a line for each cell; the columns named in `figures` are numbers."""
    from rich import box
    from rich.table import Table

    from streetai_core.cli.column_groups import has_room

    cells = [[one_line(str(cell)) for cell in row] for row in rows]
    screen = console()
    if not has_room(columns, cells, width=screen.width):
        _print_fields(columns, cells)
        return
    table = Table(box=box.SIMPLE_HEAD)
    for column in columns:
        # On a narrow screen words are broken, never cut off: the end of an id may be what tells two apart.
        table.add_column(column, justify="right" if column in figures else "left", overflow="fold")
    for row in cells:
        table.add_row(*row)
    screen.print(table)


def _print_fields(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print the cells of each row below each other, each behind its heading; the terminal breaks long ones."""
    for row in rows:
        fields = zip(columns, row, strict=True)
        click.echo("\n".join(f"{heading}: {cell}" if heading else cell for heading, cell in fields) + "\n")


def short(text: str) -> str:
    """The beginning of a text on one line."""
    line = one_line(text[: 4 * _SHOWN])
    return line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "..."


def lines_of(text: str) -> str:
    """A text with its lines, without control characters."""
    return "\n".join(harmless(line.expandtabs(4)) for line in text.splitlines())


def text_input() -> TextIO:
    """Standard input as UTF-8; bytes that are not become U+FFFD. Nothing at all where it is closed."""
    if sys.stdin is None:
        return io.StringIO()
    if isinstance(sys.stdin, io.TextIOWrapper) and not sys.stdin.isatty():
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    return sys.stdin


def text_output() -> TextIO:
    """Standard output as UTF-8, whatever the terminal is: for data, where a question mark would be a loss.

    Raises:
        InputError: it is closed.
    """
    if sys.stdout is None:
        raise InputError("standard output is closed, so nothing can be written to it; give a file with -o")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict")
    return sys.stdout


def confirm(question: str, *, yes: bool) -> None:
    """Go on if `yes`, or if the user says so; the question and the answer are no part of the output.

    Raises:
        ClickException: the user does not.
    """
    if yes:
        return
    click.echo(f"{one_line(question)} [y/N] ", err=True, nl=False)
    source = text_input()
    answer = source.readline()
    if answer.strip().lower() not in {"y", "yes"}:
        if not (answer.endswith("\n") and source.isatty()):
            # Nobody has pressed the return key where it shows.
            click.echo(err=True)
        raise click.ClickException("nothing was changed. Answer y, or give --yes to do it without a question.")


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar for some work, gone when it is done, told how much is done of how much."""
    with bars() as shown:
        task = shown.add_task(one_line(what), total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)


def bars() -> Progress:
    """A place for progress bars on stderr, gone at the end of its block; silent where none can see it."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    screen = console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal)
