"""Values shown to people: in a terminal, in a notebook, on a page. Whatever was said in a memory stays text.

Content comes from anybody. In HTML every character that means something there is escaped, and characters that nobody
sees (controls, marks that turn the direction of writing, tags) are shown by their number, so that no text can look like
another one or leave its cell.
"""

from __future__ import annotations

import html
import shlex
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

_EXCERPT = 60
"""Characters of a text in a terminal: with what stands around it one line of 120."""

_KEPT = frozenset("\n\t\u200c\u200d")
"""Invisible characters that texts need: line ends, tabs, and what joins and parts letters and emoji."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories without a shape of their own."""

_TABLE = "border-collapse:collapse;text-align:left;font-size:90%"
_CELL = "padding:.15em .7em .15em 0;vertical-align:top;text-align:left;white-space:pre-wrap;max-width:40em"
_BAR = "display:inline-block;height:.7em;background:#0072b2;vertical-align:baseline"
_BAR_BELOW = "display:inline-block;height:.7em;background:#d55e00;vertical-align:baseline"
"""Blue for what speaks for a hit and orange for what speaks against it; told apart by everybody."""

_BAR_WIDTH = 8.0
"""Width in em of a bar of 1."""


def visible(text: str) -> str:
    """The text with what cannot be seen shown as `[U+202E]`."""
    return "".join(
        f"[U+{ord(one):04X}]" if one not in _KEPT and unicodedata.category(one) in _UNSEEN else one for one in text
    )


def escaped(value: object) -> str:
    """A value as text of an HTML page or of a quoted attribute."""
    return html.escape(visible(value if isinstance(value, str) else str(value)), quote=True)


def excerpt(text: str) -> str:
    """The start of a text as Python writes it, on one line: `'My boat is ...'`."""
    return repr(text if len(text) <= _EXCERPT else f"{text[: _EXCERPT - 3]}...")


def command(*words: object) -> str:
    """A command line to copy. What a shell would take for more than a word is quoted: ids and names are anybody's."""
    return shlex.join(map(str, words))


def number(value: float) -> str:
    """Three decimals; without the sign of a zero."""
    return f"{round(value, 3) + 0.0:.3f}"


def minute(moment: datetime) -> str:
    """A time to the minute, where it was said, with the distance of that place from UTC: "2026-03-01 18:00+01:00"."""
    return moment.isoformat(sep=" ", timespec="minutes")


def sum_of(parts: Mapping[str, float]) -> str:
    """`meaning 0.612 + words 0.105`: the parts that are not nothing, the largest first."""
    there = sorted(((name, value) for name, value in parts.items() if value), key=lambda one: -abs(one[1]))
    return " + ".join(f"{name} {number(value)}" for name, value in there)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table of cells that are HTML already; the names of the columns and the caption are text."""
    head = "".join(f'<th scope="col" style="{_CELL}">{escaped(name)}</th>' for name in columns)
    body = "".join("<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in row) + "</tr>" for row in rows)
    shown = f'<caption style="text-align:left">{escaped(caption)}</caption>' if caption else ""
    header = f"<thead><tr>{head}</tr></thead>" if columns else ""
    return f'<table style="{_TABLE}">{shown}{header}<tbody>{body}</tbody></table>'


def bars(parts: Mapping[str, float]) -> str:
    """Each part of a sum as a bar with its name and number."""
    rows = []
    for name, value in parts.items():
        if value:
            width = min(_BAR_WIDTH, abs(value) * _BAR_WIDTH)
            style = f"{_BAR if value > 0 else _BAR_BELOW};width:{width:.2f}em"
            rows.append(f'<span style="{style}"></span> {escaped(name)} {number(value)}')
    return "<br>".join(rows)


def folded(title: str, content: str) -> str:
    """Content that is HTML already, below a title that is text, closed until it is clicked."""
    return f"<details><summary>{escaped(title)}</summary>{content}</details>"
