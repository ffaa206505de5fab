"""English as it is typed in a hurry: "im", "dont" and "shes" for "I'm", "don't" and "she's"."""

from __future__ import annotations

import re

_NEGATED = "are|ca|could|did|does|do|had|has|have|is|must|should|was|were|wo|would|need"
_SAID_OF = "he|she|that|there|they|what|where|who|you"
_LEFT_OUT = re.compile(
    rf"\b(?P<not>{_NEGATED})nt\b"
    rf"|\b(?:(?P<is>{_SAID_OF})s|(?P<are>they|you)re|(?P<have>i|they|you|we)ve)\b(?!['\u2019])"
    # "Im" is a word of other languages; an English clause begins with it.
    r"|(?:^|[.,:;!?(\n]\s*|\b(?:and|as|because|but|cause|cos|if|now|since|so|that|where) )(?P<am>i)m\b(?!['\u2019])",
    re.IGNORECASE,
)
"""Words without their apostrophe that are no other English words, as "were", "its", "ill" and "well" are."""

_ENDINGS = {"not": "n't", "is": "'s", "are": "'re", "have": "'ve", "am": "'m"}


def with_apostrophes(text: str) -> str:
    """A text with the apostrophes that were left out."""
    return _LEFT_OUT.sub(_mended, text)


def _mended(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    word = match[kind]
    return match[0][: match.start(kind) - match.start()] + word + _ENDINGS[kind]
