"""Cues of change: the words by which people say that something is no longer as they said before."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from streetai_core.knowledge.forms import STRONG, WEAK, CueKind


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


@cache
def _forms() -> tuple[tuple[bool, CueKind, tuple[str, ...], re.Pattern[str]], ...]:
    """All forms, compiled, as (strong, kind, needs, pattern); at the first use: it takes a while."""
    return tuple(
        (strong, form.kind, tuple(form.needs.split("|")), re.compile(form.pattern, re.IGNORECASE | re.MULTILINE))
        for strong, forms in ((True, STRONG), (False, WEAK))
        for form in forms
    )


def change_cue(text: str) -> ChangeCue | None:
    """The cue of change in `text`, a strong one before a weak one; `None` if there is none, as in most sentences.

    Args:
        text: a sentence or a short message, in English; other languages have no cues. Questions and quotes are read
            like other text: leave them out before (`streetai_core.knowledge.clauses` does).
    """
    lowered = text.lower()
    for strong, kind, needs, form in _forms():
        for need in needs:
            if need in lowered:
                if match := form.search(text):
                    return ChangeCue(kind, match.start(), match.end(), _old_value(match), strong)
                break
    return None


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
