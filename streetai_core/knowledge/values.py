"""Values in a sentence: numbers, times, dates, colours, addresses, names; what differs when a fact is told anew."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from streetai_core.knowledge.wording import word_set

ValueKind: TypeAlias = Literal["number", "date", "colour", "contact", "name"]
"""`contact`: addresses, handles and codes. `name`: words with a capital letter inside a sentence."""

_NUMBER_WORDS = word_set(
    """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million half noon
    midnight"""
)
_DATE_WORDS = word_set(
    """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays january february march april june july august september october november december spring summer
    autumn winter morning afternoon evening tomorrow"""
)
_COLOURS = word_set(
    """black blue brown green grey gray orange pink purple red teal turquoise violet white yellow beige"""
)
_ORDINARY = _NUMBER_WORDS | _DATE_WORDS | _COLOURS
"""The lower-case words that are values."""

_NUMBER = re.compile(r"\d[\d.,:/-]*[a-z]{0,2}|\d+(?:[.,]\d+)?-[a-z]+", re.IGNORECASE)
_CONTACT = re.compile(r"@|\w\.\w{2,}$")
"""Mail addresses, handles, host names."""

_CODE = re.compile(r"[a-z]+[\d_]\w*|[a-z_]+_\w*")
"""User names, file names, versions with a letter in front."""

_TITLES = frozenset({"mr", "mrs", "ms", "dr", "professor", "i"})
"""Capital letters that name nobody."""


def kind_of(word: str, *, first: bool) -> ValueKind | None:
    """The kind of value that a word is; `None` for an ordinary word.

    Args:
        word: the word as written.
        first: whether it opens the sentence, where a capital letter says nothing.
    """
    if word.isalpha() and word.islower() and word not in _ORDINARY:
        return None
    lowered = word.lower()
    tests: tuple[tuple[ValueKind, bool], ...] = (
        ("contact", _CONTACT.search(word) is not None),
        ("number", _NUMBER.fullmatch(word) is not None or lowered.split("-")[0] in _NUMBER_WORDS),
        ("date", lowered in _DATE_WORDS or (word == "May" and not first)),
        ("contact", _CODE.fullmatch(lowered) is not None),
        ("colour", lowered in _COLOURS),
        ("name", not first and word[0].isupper() and lowered.split("'")[0] not in _TITLES),
    )
    return next((kind for kind, fits in tests if fits), None)
