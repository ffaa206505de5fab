"""Whether a sentence looks back or forward, as far as its words show it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from streetai_core.text.dates.verbs import CLEAR, COPULA, CUE, GOVERNING, HINT, KINDS, PRESENT, kind_of

REACH = 120
"""How many characters of the sentence round a mention are read."""

ARRANGED = frozenset(
    {"rented", "reserved", "hired", "bought", "got", "found", "ordered", "made", "arranged", "signed", "asked"}
)
"""What was done so was done for a time that was still to come: "rented a van for 12 May"."""

GRANTED = ARRANGED | {"gave", "lent", "borrowed", "said", "told"}
"""The same for a time until which it is so: "gave me until Friday"."""

_LONGEST_GAP = 40
_GOVERNED = re.compile(
    r" (?:(?!(?:who|that|which|what|how|where|when|why|if|i|we|you|he|she|they|because|after|before|and|but|so)\b)"
    r"[a-z'\u2019-]+ ){0,4}"
)
"""What may stand between a governing word and what is to be done: no other clause."""

_FINITE = re.compile(r"was|were|did|had|used to|(?:have |has )?been|went|came|ago|(?:was|were|did|had)n['\u2019]t")
"""Cues of the past that are never to be done: "needs it done" but not "needs it was"."""

_NEAR = 8
"""Characters between a verb of being and the date that it is about ("is on the 3rd", "in two days it's")."""


class Cue(NamedTuple):
    """A word that looks back (`sign` -1) or forward (1), or the end of a sentence (0), how clearly, and its place."""

    start: int
    end: int
    sign: int
    strength: int
    word: str


def cues(lower: str, start: int, end: int) -> list[Cue]:
    """The cues in and round `lower[start:end]`, in the order of the text."""
    found = []
    governing = -1
    for match in CUE.finditer(lower, max(0, start - REACH), min(len(lower), end + REACH)):
        kind = kind_of(match)
        if kind == "backward" and governing >= 0 and _is_governed(lower, governing, match):
            continue
        if kind not in {"hint", "past"}:
            governing = match.end() if kind in GOVERNING else -1
        found.append(Cue(match.start(), match.end(), *KINDS[kind], match.group()))
    return found


def _is_governed(lower: str, governing: int, match: re.Match[str]) -> bool:
    """Whether what looks like the past is to be done, as the word that ends at `governing` says."""
    if match.start() - governing > _LONGEST_GAP or _FINITE.fullmatch(match.group()):
        return False
    return _GOVERNED.fullmatch(lower, governing, match.start()) is not None


def direction(known: list[Cue], start: int, end: int, least: int = HINT) -> int:
    """-1 if the sentence round the characters from `start` to `end` tells of the past, 1 if of the future, else 0.

    The clear cue nearest before them decides, then the nearest behind, then the others unless they are weaker than
    `least`. Clear are also a verb in the present before them, and a verb of being right beside them. `known` are the
    `cues`.
    """
    weak = 0
    for cue in _round(known, start, end):
        decides = (
            _is_beside(cue, start, end) if cue.strength == COPULA else cue.strength == PRESENT and cue.start < start
        )
        if cue.strength == CLEAR or (decides and cue.strength >= least):
            return cue.sign
        if cue.strength >= least:
            weak = weak or cue.sign
    return weak


def cue_before(known: list[Cue], start: int) -> Cue | None:
    """The clear cue that is nearest before a place in its sentence."""
    cues_before = _before(known, bisect_left(known, start, key=_start) - 1, start - REACH)
    return next((cue for cue in cues_before if cue.strength == CLEAR), None)


def is_state(known: list[Cue], cue: Cue) -> bool:
    """Whether a cue is what something is now, behind a verb of being in the present: "is suspended"."""
    before = known[bisect_left(known, cue.start, key=_start) - 1]
    return before.strength == COPULA and 0 <= cue.start - before.end <= _NEAR


def _round(known: list[Cue], start: int, end: int) -> Iterator[Cue]:
    """The cues before a place, nearest first, then those behind it."""
    first = bisect_left(known, start, key=_start)
    return chain(_before(known, first - 1, start - REACH), _behind(known, first, end))


def _is_beside(cue: Cue, start: int, end: int) -> bool:
    return (cue.start - end if cue.start >= end else start - cue.end) <= _NEAR


def _start(cue: Cue) -> int:
    return cue.start


def _before(known: list[Cue], index: int, limit: int) -> Iterator[Cue]:
    """The cues before a place, nearest first, back to the end of the sentence before."""
    while index >= 0 and known[index].start >= limit and known[index].sign:
        yield known[index]
        index -= 1


def _behind(known: list[Cue], index: int, end: int) -> Iterator[Cue]:
    """The cues behind a place, nearest first, up to the end of its sentence."""
    while index < len(known) and known[index].start < end + REACH:
        cue = known[index]
        if cue.start >= end:
            if not cue.sign:
                return
            yield cue
        index += 1
