"""A pattern that matches any of many words."""

from __future__ import annotations

import re
from collections.abc import Iterable


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of `words`, the longest one that fits; it is a tree, so that each character is looked at once.

    Args:
        words: none of them empty.
    """
    branches: dict[str, set[str]] = {}
    for word in words:
        branches.setdefault(word[0], set()).add(word[1:])
    return f"(?:{'|'.join(re.escape(first) + _rest(branches[first]) for first in sorted(branches))})"


def _rest(endings: set[str]) -> str:
    """A pattern for any of the endings of words that begin alike; one that is empty is a word that ends here."""
    longer = endings - {""}
    if not longer:
        return ""
    return any_of(longer) + ("?" if "" in endings else "")
