"""Whether a sentence looks back or forward, as far as its words show it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from streetai_core.text.dates.verbs import ABLE, CLEAR, COPULA, CUE, GOVERNING, HINT, KINDS, PRESENT, kind_of

REACH = 120
"""How many characters of the sentence round a mention are read."""

ARRANGED = frozenset(
    {"rented", "reserved", "hired", "bought", "got", "found", "ordered", "made", "arranged", "signed", "asked"}
    | {"put", "set", "confirmed", "pencilled", "approved", "announced", "fixed"}
)
"""What was done so was done for a time that was still to come: "rented a van for 12 May"."""

GRANTED = ARRANGED | {"gave", "lent", "borrowed", "said", "told"}
"""What was done so was done until a time that was still to come: "gave me until Friday"."""

_SAYING = frozenset({"said", "told", "thought", "promised", "confirmed", "mentioned", "announced"})
"""What can be done, as somebody said, is still to be done."""

_BEGINS_CLAUSE = re.compile(r"(?:[,;:] (?:and |but |so )?|\b(?:so|but|and|cos|cuz|because) )(?:i|we|you|they)? ?$")
_LONGEST_JOINT = 16
_JOINT = re.compile(r",|\b(?:or|but|so)\b|\band (?:i|we|you|he|she|they|it)\b")
"""Where another clause begins."""

_DESCRIBED = re.compile(
    r"(?:\b(?:an?|the|my|our|your|his|their|its|of|with|am)|\b(?:i['\u2019]m|(?:we|they|you)['\u2019]re))"
    r" (?:(?:[a-z]+ly|all|so|too|still|not|also|just|now) )?$"
)
_LONGEST_DESCRIBED = 24
"""Behind these a word that ends in "ed" says what something is like."""

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
    found: list[Cue] = []
    governing = -1
    for match in CUE.finditer(lower, max(0, start - REACH), min(len(lower), end + REACH)):
        kind = kind_of(match)
        if kind == "backward" and governing >= 0 and _is_governed(lower, governing, match):
            continue
        if kind == "backward" and match.group().endswith("ed") and _is_described(lower, match.start()):
            continue  # "bring a packed lunch on Tuesday"
        if kind not in {"hint", "past"}:
            governing = match.end() if kind in GOVERNING else -1
        sign, strength = KINDS[kind]
        if kind == "copula" and _BEGINS_CLAUSE.search(lower, max(0, match.start() - _LONGEST_JOINT), match.start()):
            strength = PRESENT if match.group()[-2:] in {"'s", "\u2019s"} else CLEAR  # "so I'm on the ward Sunday"
        if kind == "can" and found and found[-1].word in _SAYING and match.start() - found[-1].end <= _LONGEST_GAP:
            strength = CLEAR  # "the vet said they can come out in ten days"
        found.append(Cue(match.start(), match.end(), sign, strength, match.group()))
    return found


def _is_governed(lower: str, governing: int, match: re.Match[str]) -> bool:
    """Whether what looks like the past is to be done, as the word that ends at `governing` says."""
    if match.start() - governing > _LONGEST_GAP or _FINITE.fullmatch(match.group()):
        return False
    return _GOVERNED.fullmatch(lower, governing, match.start()) is not None


def _is_described(lower: str, start: int) -> bool:
    """Whether the word at a place says what something is like, and not what was done."""
    return _DESCRIBED.search(lower, max(0, start - _LONGEST_DESCRIBED), start) is not None


def direction(lower: str, known: list[Cue], start: int, end: int, least: int = HINT) -> int:
    """-1 if the sentence round the characters from `start` to `end` tells of the past, 1 if of the future, else 0.

    The clear cue nearest before them decides, then the nearest behind, then the others unless they are weaker than
    `least`. Clear are also "can" and a verb in the present before them, and a verb of being right beside them. What
    stands in another clause decides where nothing nearer tells anything. `known` are the `cues` of `lower`.
    """
    weak, nearest = 0, start
    for cue in _round(known, start, end):
        # "They accepted me and I start in May", "the results come out in two days, fingers crossed".
        between = (end, cue.start) if cue.start >= end else (cue.end, nearest)
        if weak and _JOINT.search(lower, *between):
            return weak
        if cue.strength == COPULA:
            decides = _is_beside(cue, start, end)
        else:
            decides = cue.strength in {ABLE, PRESENT} and cue.start < start
        if cue.strength == CLEAR or (decides and cue.strength >= least):
            return cue.sign
        if cue.strength >= least and not weak:
            weak, nearest = cue.sign, min(cue.start, start)
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
