"""What is said of a file that no reader knows: what it looks like, and how anything can be imported."""

from __future__ import annotations

import re
from typing import Any

_WAY = (
    "Anything can be imported as a message a line, as "
    '{"role": "user", "name": "Ada", "content": "Hi.", "created_at": "2026-03-01T18:00:00Z"}'
)

_WHATSAPP = re.compile(r"\W*\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s{1,2}\d{1,2}[:.]\d\d")
"""How its lines begin: a day as the language of the phone writes it, and a time."""

_PAGE = re.compile(r"\s*<(!doctype\s+html|html)", re.IGNORECASE)

_JSON = re.compile(r"\s*[\[{]")
"""How JSON begins, which may be damaged further on; anything else is a text."""


def told_of_text(start: str) -> str | None:
    """What is said of a file that is not JSON, by how it begins; `None` if it may be JSON that was damaged."""
    if _WHATSAPP.match(start):
        return (
            "looks like a chat that WhatsApp exported, which is not read, for it does not say whether the day or the "
            f"month comes first, nor in which zone. {_WAY}"
        )
    if _PAGE.match(start):
        return (
            "is a page to look at. Import the JSON that the program exports as well: conversations.json of ChatGPT or "
            "Claude, result.json of Telegram Desktop ('Machine-readable JSON')"
        )
    return None if _JSON.match(start) else f"is not JSON. {_WAY}"


def told_of_value(document: Any) -> str:
    """What is said of a JSON value of no format that is known."""
    listed = document if isinstance(document, list) else []
    if any(isinstance(one, dict) and {"ts", "text"} <= one.keys() for one in listed):
        return f"looks like what Slack exports, which is not read. {_WAY}"
    return f"is JSON, but of no format that is known. Give the format if it is one. {_WAY}"
