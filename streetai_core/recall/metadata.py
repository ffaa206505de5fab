"""What a caller wants messages to have in their metadata."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from streetai_core.errors import InputError

Value: TypeAlias = str | int | float | bool | None
"""What is compared: not objects or lists, but what stands in a list."""

WantedMetadata: TypeAlias = Mapping[str, Value | Iterable[Value]]
"""By key one value, or several of which one is enough."""


def checked_metadata(given: object) -> dict[str, tuple[Value, ...]]:
    """The wanted values by key.

    Raises:
        InputError: it is no mapping of texts to values or to several values.
    """
    if not isinstance(given, Mapping):
        raise InputError(f"metadata must be a mapping of keys to values, got {given!r}")
    return {_key(key): _values(key, wanted) for key, wanted in given.items()}


def fits(metadata: Mapping[str, Any], wanted: Mapping[str, tuple[Value, ...]]) -> bool:
    """Whether each wanted key is there with one of its values, or with a list that has one of them."""
    return all(key in metadata and _is_one_of(metadata[key], values) for key, values in wanted.items())


def _is_one_of(found: object, values: Iterable[Value]) -> bool:
    several = found if isinstance(found, list) else [found]
    return any(_same(one, value) for one in several for value in values)


def _same(found: object, value: Value) -> bool:
    # To Python true is 1, which it is not in JSON.
    return found == value and isinstance(found, bool) == isinstance(value, bool)


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise InputError(f"metadata must have texts for keys, got {key!r}")
    return key


def _values(key: str, wanted: object) -> tuple[Value, ...]:
    several = wanted if isinstance(wanted, Iterable) and not isinstance(wanted, str | bytes | Mapping) else (wanted,)
    values: list[Value] = []
    for one in several:
        if one is not None and not isinstance(one, str | int | float):
            raise InputError(f"metadata[{key!r}] must be a text, a number, a flag, None, or several, got {one!r}")
        values.append(one)
    return tuple(values)
