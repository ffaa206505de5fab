"""Cues of change: the words by which people say that something is no longer as they said before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from streetai_core.knowledge.forms import STRONG, WEAK, CueKind
from streetai_core.text.triggers import Triggers


@dataclass(frozen=True, slots=True)
class ChangeCue:
    """The words that announce a change, and the old value where it is said."""

    kind: CueKind
    start: int
    end: int
    """The cue's span in the text, in characters."""
    old: tuple[int, int] | None = None
    """The span of the old value ("switched from *tea* to coffee"), in characters; `None` if it is not said."""
    strong: bool = True
    """Whether the words mean a change by themselves. "Actually" or "instead" are weak: they need a closer match."""


class _Forms:
    """All forms, compiled, those that are tried first before the others."""

    def __init__(self) -> None:
        forms = [(strong, form) for strong, some in ((True, STRONG), (False, WEAK)) for form in some]
        self._triggers = Triggers([form.needs.split("|") for _, form in forms])
        self._patterns = [
            (strong, form.kind, re.compile(form.pattern, re.IGNORECASE | re.MULTILINE)) for strong, form in forms
        ]

    def worth_trying(self, text: str) -> Iterator[tuple[bool, CueKind, re.Pattern[str]]]:
        """Those that a text has a word of, as (strong, kind, pattern)."""
        return (self._patterns[number] for number in self._triggers.of(text.lower()))


@cache
def _forms() -> _Forms:
    """Made at the first use: it takes a while."""
    return _Forms()


_UNREAL = re.compile(
    r"(?:\b(?:never|not|almost|nearly|try(?:ing)?|tempted to|refus(?:e|ed|ing) to|without(?: ever)?)|n['\u2019]t)"
    r"(?: (?:have|be|been|being|get|getting|really|even|ever|yet|want(?:ed)? to|going to)){0,3} $",
    re.IGNORECASE,
)
"""What stands right before a change that has not come."""

_LONG_AGO = re.compile(
    r"\bwhen (?:i|we|he|she) (?:was|were) (?:a (?:kid|child|boy|girl|baby|teenager|student)\b|young\b"
    r"|little\b|small\b|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|(?:thir|four|fif|six|seven)teen|\d|1[0-7])\b)"
    r"|\bas an? (?:kid|child|boy|girl|baby|teenager|student)\b",
    re.IGNORECASE,
)
"""A change of times that are over, told as a memory."""


def change_cue(text: str) -> ChangeCue | None:
    """The cue of change in `text`, a strong one before a weak one; `None` if there is none, as in most sentences.

    Args:
        text: a sentence or a short message, in English; other languages have no cues. Questions and quotes are read
            like other text: leave them out before (`streetai_core.knowledge.clauses` does).
    """
    for strong, kind, form in _forms().worth_trying(text):
        for match in form.finditer(text):
            if kind != "changed" or _has_come(match):
                return ChangeCue(kind, match.start(), match.end(), _old_value(match), strong)
    return None


def _has_come(match: re.Match[str]) -> bool:
    """Whether a change has come about, and lately."""
    return not (_UNREAL.search(match.string, 0, match.start()) or _LONG_AGO.search(match.string))


_REPLACED = re.compile(r"\b(?:instead of|rather than) (?P<old>[^,;.!?]*\w)", re.IGNORECASE)
"""Where the old value stands when the cue itself does not tell it."""


def _old_value(match: re.Match[str]) -> tuple[int, int] | None:
    """The span of the old value in the match, without white space at its ends; `None` if it is not there."""
    for name in ("old", "old2"):
        if match.re.groupindex.get(name) and (value := match[name]) and value.strip():
            start, end = match.span(name)
            return start + len(value) - len(value.lstrip()), end - (len(value) - len(value.rstrip()))
    named = _REPLACED.search(match.string)
    return named.span("old") if named else None
