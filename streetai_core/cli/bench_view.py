"""How `streetai bench` shows things: a progress bar on stderr while it runs, tables on stdout at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich import box
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from streetai_core.cli.screen import console
from streetai_core.cli.wording import one_line


class Bar:
    """A progress bar; silent where stderr is no terminal."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=total)

    def advance(self, what: str, steps: int = 1) -> None:
        """So many steps more are done, of the work that `what` names."""
        self._progress.update(self._task, advance=steps, description=one_line(what))


@contextmanager
def progress_bar(total: int) -> Iterator[Bar]:
    """A bar for `total` steps, gone when the work is done."""
    screen = console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        yield Bar(progress, total)


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> None:
    """Print a table; the first column is text, the others are figures."""
    table = Table(box=box.SIMPLE_HEAD)
    for number, column in enumerate(columns):
        # On a narrow screen words are broken, never cut off: the end of a name may be what tells two apart.
        table.add_column(column, justify="left" if number == 0 else "right", overflow="fold")
    for row in rows:
        table.add_row(*map(one_line, row))
    show_line(title)
    console().print(table)
    for note in notes:
        show_line(note)


def show_line(text: str) -> None:
    """Print a line of text."""
    console().print(one_line(text))
