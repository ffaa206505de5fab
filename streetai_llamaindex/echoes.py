"""Tool results that only repeat what a retriever of the same memory has found: nobody said anything new. No I/O."""

from __future__ import annotations

from collections.abc import Collection


def is_echo(text: str, retrieved: Collection[str]) -> bool:
    """Whether a text has no word but those of texts that were retrieved; numbers and marks may stand between them.

    Args:
        text: a tool's result.
        retrieved: what was found in the same turn, in all forms in which it may be given to a model.
    """
    rest = text
    for found in sorted(filter(None, retrieved), key=len, reverse=True):
        rest = rest.replace(found, "")
    return len(rest) < len(text) and not any(map(str.isalpha, rest))
