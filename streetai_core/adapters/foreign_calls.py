"""Calls of tools in the form that a provider takes which did not make them: a memory is told to several."""

from __future__ import annotations

import re
from hashlib import sha256

_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_OTHER = re.compile(r"[^A-Za-z0-9_-]")

_LONGEST_ID = 40
"""Characters of an id that all of them take, OpenAI's Chat Completions the fewest; vLLM makes longer ones."""
_LONGEST_NAME = 64
_DIGITS = 32
"""Hexadecimal digits of an id in place of another: 128 bits."""


def fitting_call_id(given: str) -> str:
    """The id of a call, or one made of it, which is the same for its result; "functions.depth:0" is one of Kimi's."""
    if _PLAIN.fullmatch(given) and len(given) <= _LONGEST_ID:
        return given
    return f"call_{sha256(given.encode()).hexdigest()[:_DIGITS]}"


def fitting_tool_name(given: str) -> str:
    """The name of a tool without what not every provider takes; Gemini lets it have dots and colons."""
    return _OTHER.sub("_", given)[:_LONGEST_NAME] or "tool"
