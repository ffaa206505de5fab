"""Text from anywhere, made fit for one line of a terminal."""

from __future__ import annotations

from datetime import datetime


def one_line(text: str) -> str:
    """`text` on one line, without control characters, so that it can neither move the cursor nor colour anything."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


def counted(number: int, one: str, several: str) -> str:
    """A number with its noun: "1 memory", "2 memories"."""
    return f"{number:,} {one if number == 1 else several}"


def minute(moment: datetime) -> str:
    """A time to the minute, where it was said, with the distance of that place from UTC: "2026-03-01 18:00+01:00"."""
    return moment.isoformat(sep=" ", timespec="minutes")
