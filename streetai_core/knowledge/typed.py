"""English as it is typed in a hurry: "im", "dont" and "shes" for "I'm", "don't" and "she's"."""

from __future__ import annotations

import re

from streetai_core.text.letter_case import lowered

_NEGATED = "are|ca|could|did|does|do|had|has|have|is|must|should|was|were|wo|would|need"
_SAID_OF = "he|she|that|there|they|what|where|who|you"
_LEFT_OUT = (
    rf"\b(?P<not>{_NEGATED})nt\b"
    rf"|\b(?:(?P<is>{_SAID_OF})s|(?P<are>they|you)re|(?P<have>i|they|you|we)ve)\b(?!['\u2019])"
    # "Im" is a word of other languages; an English clause begins with it.
    r"|(?:^|[.,:;!?(\n]\s*|\b(?:and|as|because|but|cause|cos|if|now|since|so|that|where) )(?P<am>i)m\b(?!['\u2019])"
)
"""Words without their apostrophe that are no other English words, as "were", "its", "ill" and "well" are."""

_IN_SMALL_LETTERS = re.compile(_LEFT_OUT)
_IN_ANY_LETTERS = re.compile(_LEFT_OUT, re.IGNORECASE)

_ENDINGS = {"not": "n't", "is": "'s", "are": "'re", "have": "'ve", "am": "'m"}


def with_apostrophes(text: str) -> str:
    """A text with the apostrophes that were left out."""
    # Most texts have none.
    return _IN_ANY_LETTERS.sub(_mended, text) if _IN_SMALL_LETTERS.search(lowered(text)) else text


def _mended(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    word = match[kind]
    return match[0][: match.start(kind) - match.start()] + word + _ENDINGS[kind]
