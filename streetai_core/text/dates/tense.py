"""Whether a sentence looks back or forward, as far as its words show it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from streetai_core.text.alternation import any_of
from streetai_core.text.dates.vocabulary import VOCABULARY

_TIMES = [
    word
    for word, (kind, _) in VOCABULARY.items()
    if kind in {"weekday", "month", "season", "quarter", "day", "unit", "part"}
]

REACH = 120
"""How many characters of the sentence round a mention are read."""


def _either(*phrases: str) -> str:
    """A pattern for any of the phrases, each a list of words with "|" between, with either apostrophe."""
    words = "|".join(phrases).split("|")
    return any_of([*words, *(word.replace("'", "\u2019") for word in words if "'" in word)])


_ADVERBS = r"(?:(?:not|also|just|still|now|only|all|both|probably|[a-z]{2,9}ly) ){0,2}"
_BE = _either("i'm|you're|we're|they're|he's|she's|it's|that's|there's|am|is|are")
_BEING = (
    rf"(?P<copula>{_BE})(?: (?:(?:i|you|we|they|he|she|it) )?{_ADVERBS}(?:(?P<governed>getting|having)|(?P<present>"
    + _either("closed|shut|set|sold out|fixed|required|needed|allowed|grounded|canceled|cancelled")
    + r")|(?P<doing>(?!(?:no|any|some|every)thing |morning|evening|during|spring)[a-z]+ing)))?"
)
"""A verb of being, and what somebody is doing or what is done. "Is closed" tells of what goes on."""

_COULD_HAVE = (
    r"(?:should|must|would|could|might|may)(?:n['\u2019]t)? have (?:come|become|[a-z]+(?:ed|en|ne|wn|ght|nt|ft|ld|st))"
)
_GOVERNING = (
    _either(
        "will|won't|gonna|going to|shall|need|needs|want|wants|wanna|should|must|have to|has to|supposed to|about to"
    )
    + r"|would(?! have)|might(?! have)|(?:have|has|i['\u2019]ve|we['\u2019]ve|they['\u2019]ve) decided to"
    + r"|(?:promised|agreed|offered|vowed|volunteered|accepted|asked|told) (?:(?:me|us|him|her|them|you) )?to"
)
"""What is said to be done behind these is yet to be done: "will be closed", "wants it shipped"."""

_PRESENT = _either(
    "i've got|you've got|we've got|they've got|he's got|she's got|it's got|have got|has got",
    "has a|has an|has my|has our|has no",
    "starts|begins|ends|leaves|opens|arrives|comes|returns|turns|closes|expires|finishes",
)
_BASE = (
    _either("have a|have an|have my|have our|have no|begin|leave|open|arrive|come")
    + r"|end(?<!the end)|start(?<!the start)"
)
"""Verbs that are in the present unless "did" stands before them."""

_MOVED = (
    _either("moved|pushed|shifted|changed|delayed|postponed|put off|slipped|brought|extended")
    + r" (?:[a-z'\u2019]+ ){0,4}?(?:to|until|till)(?= (?:(?:the|early|mid|late|end|of|next|this) )*"
    + rf"(?:[0-9]|(?:{any_of(_TIMES)})\b))"
)
"""Moved to a time, and not to a town."""

_FORWARD = (
    _either(
        "registered for|enrolled|ticket for|tickets for|appointment for|reservation for|plan|plans|planning|planned",
        "can't wait|looking forward|upcoming|coming up|slated|due|deadline|hope|hopes|hoping|lets|let's|see you",
        "excited for|excited about|invited|booked|remind|ready for|join me|could we|do you want",
    )
    + r"|closed(?<![a-z,] closed)(?= (?:until|till|from|between)\b)"
    + rf"|signed (?:\w+ )?up for|schedul\w+|reschedul\w+|intend\w*|expect\w*|{_MOVED}"
)
_HAD_DONE = r"had (?:all |almost |already |nearly |just |never )?[a-z]+(?:ed|en|ne|wn|ght|nt|ad|ft|ld)"
_BACKWARD = (
    rf"{_HAD_DONE}|"
    + _either(
        "was|were|wasn't|weren't|didn't|couldn't|hadn't|did|had|used to|have been|has been|been|went|met|got|saw|took",
        "made|came|bought|found|gave|told|said|thought|felt|left|won|lost|ran|ate|drove|flew|wrote|read|sent|spent|began",
        "broke|brought|built|caught|chose|drank|fell|fought|forgot|grew|heard|held|hurt|kept|knew|led|paid|put|quit",
        "rode|sang|sank|stole|shook|shot|hid|dug|drew|blew|bit|rang|rose|struck|swept|swore|tore|wept|lit|laid|lent",
        "meant|hit|cut|shut|sat|slept|sold|spoke|stood|swam|taught|threw|understood|woke|wore|became|ago",
    )
    + r"|\w{2,}(?<![eE])ed"
)
_CUE = re.compile(
    rf"(?<![a-z])(?:{_BEING}|(?P<could>{_COULD_HAVE})|(?P<going>{_PRESENT})|(?P<base>{_BASE})|(?P<governing>{_GOVERNING})|(?P<gets>(?:get|stay|remain|keep)s)|(?P<forward>{_FORWARD})"
    rf"|(?P<backward>{_BACKWARD})|(?P<able>get|stay|remain|keep|can(?:not|['\u2019]t)?)|(?P<hint>maybe|free|by)|(?P<past>since|just))(?!\w)"
    r"|['\u2019](?P<short>ll\b|d (?!(?:never|already|just|had|better|all)\b|[a-z]+(?:ed|en|ne|wn|ght|nt|ft)\b))"
    r"|(?P<end>[.!?\n;])"
)

HINT, COPULA, BASE, PRESENT, CLEAR = range(5)
"""How clearly a cue tells the time: by chance, by a verb of being, by one that may be or is in the present, by itself."""

_KINDS = {
    "present": (1, PRESENT),
    "going": (1, PRESENT),
    "base": (1, BASE),
    "doing": (1, CLEAR),
    "governed": (1, CLEAR),
    "governing": (1, CLEAR),
    "gets": (1, PRESENT),
    "forward": (1, CLEAR),
    "backward": (-1, CLEAR),
    "copula": (1, COPULA),
    "could": (-1, CLEAR),
    "able": (1, HINT),
    "hint": (1, HINT),
    "past": (-1, HINT),
    "short": (1, CLEAR),
    "end": (0, CLEAR),
}
"""Sign and strength of each kind of cue."""

_GOVERN = frozenset({"governing", "governed", "gets", "able", "short"})
"""Kinds of cues that tell what is to be done to something."""

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
    for match in _CUE.finditer(lower, max(0, start - REACH), min(len(lower), end + REACH)):
        kind = match.lastgroup or ""
        if kind == "backward" and governing >= 0 and _is_governed(lower, governing, match):
            continue
        if kind not in {"hint", "past"}:
            governing = match.end() if kind in _GOVERN else -1
        found.append(Cue(match.start(), match.end(), *_KINDS[kind], match.group()))
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
