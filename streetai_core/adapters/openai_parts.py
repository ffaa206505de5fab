"""What the two chat APIs of OpenAI have in common: the parts of a content."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from streetai_core.prompt.turns import join

_TEXT = frozenset({"text", "input_text", "output_text", "refusal"})
"""Types of parts that are text."""

_KINDS = {
    "image_url": "image",
    "input_image": "image",
    "input_audio": "audio",
    "file": "file",
    "input_file": "file",
}
"""Kinds of attachments by the types of parts; any other type stands for itself."""


def text_of(content: object) -> str:
    """The text of a content: of a plain one, or of its text parts."""
    if isinstance(content, str):
        return content
    return join(*(_text_of_part(part) for part in parts_of(content)))


def attachments_of(content: object) -> tuple[str, ...]:
    """The kinds of those parts of a content that are no text."""
    types = [str(part.get("type")) for part in parts_of(content) if part.get("type") not in _TEXT]
    return tuple(_KINDS.get(name, name) for name in types)


def parts_of(content: object) -> list[Mapping[str, Any]]:
    """The parts of a content; a plain text or nothing has none."""
    if isinstance(content, str | bytes) or not isinstance(content, Sequence):
        return []
    return [part for part in content if isinstance(part, Mapping)]


def with_text(content: object, text: str, part_type: str) -> Any:
    """A content with a text in front: joined to a plain one, a part of its own before the parts of another."""
    if content is None or isinstance(content, str):
        return join(text, content or "")
    return [{"type": part_type, "text": text}, *(content if isinstance(content, Sequence) else [content])]


def named(value: object) -> str | None:
    """A name, if it is one."""
    return value if isinstance(value, str) and value.strip() else None


def json_text(value: object) -> str:
    """A value as it is sent: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def listed(value: object) -> list[Any]:
    """The entries of a list in a request or a reply; of anything else none."""
    return list(value) if isinstance(value, list | tuple) else []


def mapped(value: object) -> Mapping[str, Any]:
    """An object in a request or a reply; of anything else an empty one."""
    return value if isinstance(value, Mapping) else {}


def _text_of_part(part: Mapping[str, Any]) -> str:
    if part.get("type") not in _TEXT:
        return ""
    text = part.get("refusal") if part.get("type") == "refusal" else part.get("text")
    return text if isinstance(text, str) else ""
