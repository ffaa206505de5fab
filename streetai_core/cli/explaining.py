"""Why each hit was recalled, as a table, or where that has no room, as lines."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import click

from streetai_core.cli.screen import console, print_table, short
from streetai_core.cli.wording import one_line

if TYPE_CHECKING:
    from streetai_core.types import Hit, Why

_Explained: TypeAlias = "tuple[Hit, str]"
"""A hit, and why it is where it is."""

_FIGURE = 6
"""Characters of a part in the table, "-0.379"."""

_BETWEEN = 3
"""Blanks between two columns of it."""

_TEXTS = 60
"""Characters that reason and text need, for a table that can be read."""

_NARROWEST = 20
"""Characters a line of a text has at least, however narrow the screen."""

_SCORE = 9
"""Characters before the text of a hit in lines."""


def print_why(answer: Why) -> None:
    """Print what was recalled and what was left out."""
    click.echo("Recalled:")
    _print_parts(list(zip(answer.hits, answer.gates, strict=True)))
    click.echo("Left out:")
    _print_parts([(miss.hit, miss.reason) for miss in answer.near_misses])
    if answer.considered:
        click.echo("Asked about:")
        _print_parts([(one.hit, f"rank {one.rank}: {one.reason}") for one in answer.considered])


def _print_parts(found: Sequence[_Explained]) -> None:
    """The hits with the parts of their scores."""
    if not found:
        click.echo("  nothing")
        return
    names = list(dict.fromkeys(name for hit, _ in found for name, part in hit.parts.items() if part))
    columns = sum(max(len(name), _FIGURE) + _BETWEEN for name in ("score", *names))
    width = console().width
    if columns + _TEXTS <= width:
        _print_table(found, names)
    else:
        _print_lines(found, width)


def _print_table(found: Sequence[_Explained], names: Sequence[str]) -> None:
    """A column for each part that any of them has."""
    reasons = ["reason"] if any(reason for _, reason in found) else []
    rows = [
        (
            f"{hit.score:.3f}",
            *(f"{hit.parts.get(name, 0.0):.3f}" for name in names),
            *([reason] if reasons else []),
            short(hit.signal.content),
        )
        for hit, reason in found
    ]
    print_table(("score", *names, *reasons, "text"), rows, figures=("score", *names))


def _print_lines(found: Sequence[_Explained], width: int) -> None:
    """The text of each on the lines of its score, and below it what the score is made of, and why."""
    from streetai_core.rendering import sum_of

    indent = " " * _SCORE
    for hit, reason in found:
        told = [short(hit.signal.content), sum_of(hit.parts), one_line(reason)]
        folded = [line for text in told for line in textwrap.wrap(text, max(width - _SCORE, _NARROWEST))]
        click.echo(f"{hit.score:{_SCORE - 2}.3f}  " + f"\n{indent}".join(folded) + "\n")
