"""Which columns of a table of figures stand beside each other where the screen has no room for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

_FRAME = 1
"""Characters of a table beside its columns: the left edge."""

_BETWEEN = 3
"""Characters of each column beside its text: a blank on either side, and a blank or the edge behind it."""

_READABLE = 6
"""Characters of a column that can be read, if need be: "-0.379" whole, and most words."""


@dataclass(frozen=True, slots=True)
class Group:
    """Columns that are shown together."""

    columns: tuple[int, ...]
    """Their places in the whole table; first those that name a row."""
    widths: tuple[int, ...]
    """Characters for each."""


def column_groups(columns: Sequence[str], rows: Sequence[Sequence[str]], *, names: int, width: int) -> list[Group]:
    """All columns in their order: one table if nothing has to be broken for it, else as few as can be.

    Each begins with the columns that name a row. A figure is never broken where there is room for it alone, a heading
    only between words. Names take at most half of the width together, if breaking them between words is enough for it.

    Args:
        columns: the headings.
        rows: as many cells each.
        names: so many columns at the left name a row.
        width: characters of the screen.
    """
    cells = [[heading, *(row[place] for row in rows)] for place, heading in enumerate(columns)]
    whole = tuple(map(_longest, cells))
    if _FRAME + _taken(whole) <= width:
        return [Group(tuple(range(len(whole))), whole)]
    named = _name_widths(cells[:names], (width - _FRAME) // 2)
    room = max(1 + _BETWEEN, width - _FRAME - _taken(named))
    groups: list[Group] = []
    chosen: list[int] = []
    widths: list[int] = []
    for place, (heading, *figures) in enumerate(cells[names:], start=names):
        needed = min(max(_longest(heading.split()), _longest(figures)), room - _BETWEEN)
        if chosen and _taken((*widths, needed)) > room:
            groups.append(_group(named, chosen, widths))
            chosen, widths = [], []
        chosen.append(place)
        widths.append(needed)
    return [*groups, _group(named, chosen, widths)]


def has_room(columns: Sequence[str], rows: Sequence[Sequence[str]], *, width: int) -> bool:
    """Whether all columns can stand beside each other, each whole or wide enough to be read.

    Args:
        columns: the headings.
        rows: as many cells each.
        width: characters of the screen.
    """
    longest = (_longest([heading, *(row[place] for row in rows)]) for place, heading in enumerate(columns))
    return _FRAME + _taken([min(one, _READABLE) for one in longest]) <= width


def _group(named: Sequence[int], chosen: Sequence[int], widths: Sequence[int]) -> Group:
    return Group((*range(len(named)), *chosen), (*named, *widths))


def _name_widths(cells: Sequence[Sequence[str]], room: int) -> list[int]:
    """Names in full where they have room, else broken between words, the longest first."""
    widths = [_longest(lines) for lines in cells]
    least = [_longest([word for line in lines for word in line.split()]) for lines in cells]
    while _taken(widths) > room:
        spare = [place for place, one in enumerate(widths) if one > least[place]]
        if not spare:
            break
        widths[max(spare, key=lambda place: widths[place])] -= 1
    return widths


def _taken(widths: Sequence[int]) -> int:
    """Characters of columns with what is between them."""
    return sum(one + _BETWEEN for one in widths)


def _longest(lines: Sequence[str]) -> int:
    return max(map(cell_len, lines), default=0)
