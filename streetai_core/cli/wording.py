"""Text from anywhere, made fit for one line of a terminal."""

from __future__ import annotations


def one_line(text: str) -> str:
    """`text` on one line, without control characters, so that it can neither move the cursor nor colour anything."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


def counted(number: int, one: str, several: str) -> str:
    """A number with its noun: "1 memory", "2 memories"."""
    return f"{number:,} {one if number == 1 else several}"
