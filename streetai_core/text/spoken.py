"""What of a text is said, without the code, the logs and the configurations that are pasted into it, and quotations.

Length and statements are of what is said (`planning/words.py`, `knowledge/statements.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from streetai_core.text.fences import fences
from streetai_core.text.pasted import pasted
from streetai_core.text.quoted import quoted
from streetai_core.types import Role

_SPOKEN = 0.25
"""What a character of pasted code counts beside one that is said. Of three long talks about code, 75 questions, 69.1
percent of the evidence is found with 500 tokens in place of 63.1, with a half 65.1 and without code 70.4; but where all
messages are long, those with code then stand above others: of 192 details of such 170 are found in place of 171, and
164 without code. What is quoted counts the same: in four mailboxes, 140 questions, 74.2 percent are found with 500
tokens in place of 72.2."""

_MOST_KEPT, _LONGEST_KEPT = 256, 20_000
"""Texts whose prose is remembered, and their characters at most: ten megabytes. Each is asked for several times when it
is stored, and with each of the next messages that are compared with it."""


def prose(text: str, role: Role) -> str:
    """The text without what is pasted or quoted, a line feed in place of each fence and of each stretch of lines.

    Args:
        text: a message.
        role: its author's. An assistant sets off behind ">" what it drafts, and that is its answer.
    """
    return prose_of_short(text, role) if len(text) <= _LONGEST_KEPT else _prose(text, role)


def spoken_length(text: str, role: Role) -> int:
    """Characters of a message by somebody in this role, of what is pasted or quoted `_SPOKEN` of them, rounded down."""
    said = len(prose(text, role))
    return said + int(_SPOKEN * (len(text) - said))


@lru_cache(maxsize=_MOST_KEPT)
def prose_of_short(text: str, role: Role) -> str:
    """The same of a text of at most `_LONGEST_KEPT` characters."""
    return _prose(text, role)


def _prose(text: str, role: Role) -> str:
    said = _without(pasted, _without(fences, text))
    return said if role == "assistant" else _without(quoted, said)


def _without(spans: Callable[[str], Iterable[tuple[int, int]]], text: str) -> str:
    """The text without some of its spans, a line feed in place of each."""
    parts, position = [], 0
    for start, end in spans(text):
        parts.append(text[position:start])
        position = end
    return "\n".join((*parts, text[position:])) if parts else text
