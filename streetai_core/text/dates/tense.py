"""Whether a sentence looks back or forward, as far as its words show it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

REACH = 120
"""How many characters of the sentence round a mention are read."""

_FORWARD = (
    r"(?:moved|pushed|shifted|changed|delayed|postponed|put off)(?: back| forward| up)?(?: to| until| till)"
    r"|will|won't|gonna|going to|'ll|\u2019ll|shall|plan(?:s|ning|ned)?|can't wait|looking forward|upcoming|coming up"
    r"|(?:re)?schedul\w+|due|deadline|need|needs|want|wants|wanna|hop(?:e|es|ing)|intend\w*|expect\w*|let's|let\u2019s|lets"
    r"|see you|should|must|have to|has to|about to|excited (?:for|about)|invited|booked|remind|ready for|join me"
    r"|(?:i'm|we're|you're|they're|he's|she's|it's|i\u2019m|we\u2019re|am|is|are) (?:not |also |just |still )?[a-z]+ing"
    r"|(?:am|is|are) (?:i|you|we|they|he|she|it) [a-z]+ing"
    r"|is|are|starts?|begins?|ends?|leaves?|opens?|arrives?|can|could we|maybe|free|do you want|by"
)
_BACKWARD = (
    r"was|were|wasn't|weren't|did|didn't|had|hadn't|used to|have been|has been|been|went|met|got|saw|took|made|came"
    r"|bought|found|gave|told|said|thought|felt|left|won|lost|ran|ate|drove|flew|wrote|read|sent|spent|began|began|broke"
    r"|brought|built|caught|chose|drank|fell|fought|forgot|grew|heard|held|hurt|kept|knew|led|paid|put|quit|rode|sang"
    r"|sank|stole|shook|shot|hid|dug|drew|blew|bit|rang|rose|stuck|struck|swept|swore|tore|wept|lit|laid|lent|meant|hit|cut"
    r"|sat|slept|sold|spoke|stood|swam|taught|threw|understood|woke|wore|became|since|just|finally|\w{2,}(?<![eE])ed|ago"
)
_CUE = re.compile(
    rf"(?<![a-z])(?:(?P<forward>{_FORWARD})|(?P<backward>{_BACKWARD}))(?!\w)|['\u2019](?P<short>ll\b)|(?P<end>[.!?\n;])"
)

_WEAK = re.compile(r"(?:is|are|can|maybe|by|free|since|just|starts?|begins?|ends?|leaves?|opens?|arrives?)\Z")
"""Words that say so only where nothing clearer does."""


class Cue(NamedTuple):
    """A word that looks back (`sign` -1) or forward (1), or the end of a sentence (0), and where it begins."""

    start: int
    sign: int
    weak: bool


def cues(lower: str, start: int, end: int) -> list[Cue]:
    """The cues in and round `lower[start:end]`, in the order of the text."""
    found = []
    for match in _CUE.finditer(lower, max(0, start - REACH), min(len(lower), end + REACH)):
        sign = 0 if match["end"] else -1 if match["backward"] else 1
        found.append(Cue(match.start(), sign, _WEAK.match(match.group()) is not None))
    return found


def direction(known: list[Cue], start: int, end: int, *, clear: bool = False) -> int:
    """-1 if the sentence round the characters from `start` to `end` tells of the past, 1 if of the future, else 0.

    The clear cue nearest before them decides, then the nearest behind, then the weak ones unless only
    `clear` ones count. `known` are the `cues`.
    """
    weak = 0
    first = bisect_left(known, start, key=_start)
    for cue in chain(_before(known, first - 1, start - REACH), _behind(known, first, end)):
        if cue.sign and not cue.weak:
            return cue.sign
        weak = weak or cue.sign
    return 0 if clear else weak


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
