"""Text from anywhere, made fit for one line of a terminal."""

from __future__ import annotations

_JOINERS = "\u200c\u200d"
"""Invisible, and part of what is written: without them Persian words fall apart, and families of emoji."""


def harmless(text: str, *, also: str = "") -> str:
    """`text` with a space for each control character, so that it can neither move the cursor nor colour anything.

    Args:
        text: from anywhere.
        also: control characters that stay.
    """
    kept = _JOINERS + also
    return "".join(character if character.isprintable() or character in kept else " " for character in text)


def one_line(text: str) -> str:
    """`text` on one line, without control characters."""
    return " ".join(harmless(text).split())


def counted_rows(number: int, table: str) -> str:
    """How many rows of a table: "1 signal", "2 signals"."""
    return counted(number, table.removesuffix("s"), table)


def counted(number: int, one: str, several: str) -> str:
    """A number with its noun: "1 memory", "2 memories"."""
    return f"{number:,} {one if number == 1 else several}"
