"""Metadata: JSON and nothing else, so that what is read is what was written, whatever it says."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from streetai_core.errors import InputError

_MAX_DEPTH = 100
"""Lists in lists beyond this are refused: a reader deep in its own stack must still be able to parse them."""


def metadata_text(metadata: Mapping[str, Any]) -> str:
    """Checked metadata as JSON text, in one spelling only."""
    return json.dumps(metadata, ensure_ascii=False, allow_nan=False, sort_keys=True) if metadata else "{}"


def metadata_from(text: str) -> dict[str, Any]:
    """The inverse of `metadata_text`; plain dicts, lists and scalars, never an object of any other kind."""
    values: dict[str, Any] = json.loads(text) if text != "{}" else {}
    return values


def plain_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of `metadata` that shares nothing with it.

    Raises:
        InputError: a key is not a str, a value is not JSON, or it has no exact form as text.
    """
    if not isinstance(metadata, Mapping):
        raise InputError(f"metadata must be a mapping, got {type(metadata).__name__}")
    if not metadata:
        return {}
    _check(dict(metadata), "metadata", 0)
    try:
        text = metadata_text(dict(metadata))
        text.encode()
    except ValueError as error:
        # A lone surrogate, or a whole number with more digits than Python turns into text.
        raise InputError(f"metadata cannot be written as JSON text: {error}") from error
    return metadata_from(text)


def _check(value: Any, place: str, depth: int) -> None:
    """Refuse what JSON would lose or change; `place` is the path of the value, for the error."""
    if depth > _MAX_DEPTH:
        raise InputError(f"metadata must not be nested deeper than {_MAX_DEPTH} levels")
    if isinstance(value, list):
        for number, item in enumerate(value):
            _check(item, f"{place}[{number}]", depth + 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise InputError(f"keys of {place} must be str, got {key!r}")
            _check(item, f"{place}.{key}", depth + 1)
    elif not (value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))):
        raise InputError(
            f"{place} must be JSON (str, int, finite float, bool, None, list or dict), "
            f"got {type(value).__name__} {value!r}"
        )
