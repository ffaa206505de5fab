"""Whether a question leans on what was said just before it: "And in October?", "How did I find her?"; English only.

Alone such a question finds little, because what it is about stands in the one before.
"""

from __future__ import annotations

import re

from streetai_core.text.characters import words_up_to

_SHORT = 3
"""Words up to which a question is a follow-up whatever they are: "Since when?", "How much sugar?"."""

_LONGEST = 400
"""Characters of a question that may lean on another one."""

_LONG = 16
"""Words from which a question says itself what it is about."""

_MARKS = ("?", "\uff1f", "\u061f")
"""Question marks: Latin, full-width, Arabic."""

_ASKING = re.compile(
    r"[^a-z]*(?:who|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|will|would|should|has|have"
    r"|had)\b",
    re.IGNORECASE,
)
"""One of these is among the first words of a question whose mark was not typed. "Thanks!" and "ok, she told me" ask for
nothing."""
_FIRST = 4
"""Words that are looked at for that."""

_LEADS_ON = re.compile(
    r"^\W*(?:and|but|or|so|then|also|what about|how about|why not|until when|since when)\b", re.IGNORECASE
)
"""How a question begins that goes on from another one."""

_POINTS_BACK = re.compile(
    r"\b(?:he|her|hers|him|his|it|its|she|that|their|theirs|them|these|they|this|those)\b"
    r"|\b(?:the|which|that|this) (?:big |bigger |first |last |new |next |old |other |second |small |smaller )?ones?\b",
    re.IGNORECASE,
)
"""Words that stand for what was named before."""

_NAME = re.compile(r"(?<!^)(?<![.?!] )\b[A-Z][a-z]+")
"""A name, after which the others stand for it."""


def is_follow_up(question: str) -> bool:
    """Whether what a question is about is not in it."""
    words = question[:_LONGEST].split()
    if len(question) > _LONGEST or len(words) >= _LONG or not _asks(question, words):
        return False
    if words_up_to(question, _LONG) <= _SHORT or _LEADS_ON.search(question):
        return True
    found = _POINTS_BACK.search(question)
    return found is not None and not _NAME.search(question[: found.start()])


def _asks(question: str, words: list[str]) -> bool:
    """Whether it is a question at all."""
    if question.rstrip().endswith(_MARKS):
        return True
    return any(_ASKING.match(word) for word in words[:_FIRST])
