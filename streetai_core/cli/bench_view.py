"""How `streetai bench` shows things: a progress bar on stderr while it runs, tables on stdout at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich import box
from rich.progress import Progress
from rich.table import Table

from streetai_core.cli.column_groups import Group, column_groups
from streetai_core.cli.screen import bars, console
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
    with bars() as shown:
        yield Bar(shown, total)


def show(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = (), *, names: int = 1
) -> None:
    """Print a table; on a screen that it is too wide for, several with some of its columns each.

    Args:
        title: above it.
        columns: the first is text, the others are figures.
        rows: as many cells each.
        notes: lines below it.
        names: so many columns at the left name a row, and stand in each of several tables.
    """
    cells = [list(map(one_line, row)) for row in rows]
    screen = console()
    show_line(title)
    for group in column_groups(columns, cells, names=names, width=screen.width):
        screen.print(_table(group, columns, cells))
    for note in notes:
        show_line(note)


def _table(group: Group, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """The columns of a group."""
    table = Table(box=box.SIMPLE_HEAD)
    for place, width in zip(group.columns, group.widths, strict=True):
        # A name that is longer than the screen is broken, never cut off: its end may be what tells two apart.
        table.add_column(columns[place], justify="right" if place else "left", overflow="fold", width=width)
    for row in rows:
        table.add_row(*(row[place] for place in group.columns))
    return table


def show_line(text: str) -> None:
    """Print a line of text."""
    console().print(one_line(text))
