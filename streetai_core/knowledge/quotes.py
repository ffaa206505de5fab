"""What stands in quotes: mostly it is of somebody else, or of a story, but a notice tells what is so."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"\"[^\"\n]{1,300}\"|\u201c[^\u201d\n]{1,300}\u201d|(?<!\w)'[^'\n]{2,300}'(?!\w)")
"""Within a line and not long: an apostrophe or an inch mark opens nothing."""

_NOTICE = re.compile(
    r"(?P<told>\b(?:letter|e-?mail|mail|text|message|notice|memo|sms|newsletter|bulletin|announcement|website|page|app"
    r"|board)\b[^\"\u201c.!?\n]{0,40}):\s*[\"\u201c](?P<said>[^\"\u201c\u201d\n]{1,300})[\"\u201d]",
    re.IGNORECASE,
)
"""What tells a notice in its own words: 'A letter from the court: "The hearing has been moved to 3 July."'."""

_OF_WRITER = re.compile(r"\b(?:i|me|my|mine|i['\u2019]\w+)\b", re.IGNORECASE)
"""Words by which a notice speaks of who wrote it, who is not the speaker."""


def without_quotes(sentence: str) -> str:
    """A sentence without what stands in quotes in it."""
    return _QUOTED.sub(" ", sentence)


def with_notices(text: str) -> str:
    """A text in which what a notice says stands as sentences of their own, without quotes."""
    return _NOTICE.sub(lambda one: one[0] if _OF_WRITER.search(one["said"]) else f"{one['told']}. {one['said']} ", text)
