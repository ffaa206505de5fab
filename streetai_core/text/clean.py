"""What may be stored: texts that survive every encoding, and ids that are safe keys."""

from __future__ import annotations

import re

from streetai_core.errors import InputError

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
"""NUL ends a string for some databases; a surrogate in a Python string stands alone and has no UTF-8."""

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

MAX_ID_BYTES = 512
"""Keys longer than this make poor index entries, and nobody's ids are."""


def plain(text: str) -> str:
    """The text itself of what may be a subclass of `str`.

    A member of an enumeration and NumPy's text are written otherwise than they are compared and hashed.
    """
    return text if type(text) is str else str.__str__(text)


def clean(text: str) -> tuple[str, bool]:
    """The text as it can be stored, and whether anything was replaced.

    Each NUL and each surrogate becomes U+FFFD, so that positions do not move; all else stays exactly as it is. What is
    a subclass of `str` becomes one.

    Raises:
        InputError: `text` is not a string.
    """
    if not isinstance(text, str):
        raise InputError(f"a text must be a string, got {type(text).__name__}")
    cleaned, replaced = _UNSTORABLE.subn(_REPLACEMENT, plain(text))
    return cleaned, replaced > 0


def check_id(value: str, what: str) -> str:
    """The text of `value`, if it can serve as an id; `what` is its name in the error.

    Raises:
        InputError: not a string, not 1 to 512 bytes of UTF-8, or with a NUL or a lone surrogate in it.
    """
    if not isinstance(value, str):
        raise InputError(f"{what} must be a string, got {type(value).__name__}")
    value = plain(value)
    if not value:
        raise InputError(f"{what} must not be empty")
    if _UNSTORABLE.search(value):
        raise InputError(f"{what} must not contain NUL or lone surrogates, got {value[:MAX_ID_BYTES]!r}")
    size = len(value.encode())
    if size > MAX_ID_BYTES:
        raise InputError(f"{what} must have 1 to {MAX_ID_BYTES} bytes of UTF-8, got {size}")
    return value


def is_blank(text: str) -> bool:
    """Whether there is nothing in the text but white space."""
    return not text or text.isspace()
