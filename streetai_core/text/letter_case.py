"""Patterns of many words, looked for in small letters.

One that takes letters of either case tries each of its words at each place of a text, and takes five times as long.
"""

from __future__ import annotations

import re


def lowered(text: str) -> str:
    """A text in small letters, character by character, so that offsets stay what they are."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(small if len(small := character.lower()) == 1 else character for character in text)
    return lower


def without(said: re.Pattern[str], text: str) -> str:
    """A text with a space in place of what a pattern of small letters finds."""
    kept, end = [], 0
    for match in said.finditer(lowered(text)):
        kept.append(text[end : match.start()])
        end = match.end()
    return " ".join((*kept, text[end:]))
