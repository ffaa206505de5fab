"""Any value as plain JSON: what can be kept is kept, and what cannot is named."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from datetime import date, time
from enum import Enum
from numbers import Integral, Real
from typing import Any
from uuid import UUID

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

_WRITABLE = (BaseModel, date, time, UUID)
"""What pydantic writes as JSON without running or using up anything, as it would with a generator."""

_DEEPEST = 50
"""Levels of nesting that are kept: far more than any real payload has, and safe for every JSON reader."""

_GONE = object()


class JsonCopy:
    """Copies values as plain JSON, and remembers what was dropped.

    Numbers of other libraries become Python's, models and dates become what pydantic writes for them, tuples become
    lists. Everything else, and numbers that are not finite, is dropped: from a mapping with its key, in a list it
    becomes None so that the others keep their places.
    """

    def __init__(self) -> None:
        self.dropped: list[str] = []
        """Path and type of each value that was dropped, such as `artifact.frame (DataFrame)`."""

    def fields(self, values: Mapping[Any, Any], path: str = "") -> dict[str, Any]:
        """A copy of a mapping.

        Args:
            values: what to copy.
            path: where it stands, for `dropped`.
        """
        return self._mapping(values, path, ())

    def _value(self, value: object, path: str, inside: tuple[int, ...]) -> Any:
        """A copy of one value, `_GONE` if it is dropped; `inside`: the ids of the containers that it stands in."""
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, Enum):
            return self._value(value.value, path, inside)
        if isinstance(value, str):
            return str(value)
        if isinstance(value, Integral):
            return int(value)
        if isinstance(value, Real) and math.isfinite(value):
            return float(value)
        return self._structure(value, path, inside)

    def _structure(self, value: object, path: str, inside: tuple[int, ...]) -> Any:
        """A copy of anything that is not a plain value."""
        if id(value) in inside or len(inside) == _DEEPEST:
            return self._drop(value, path)
        within = (*inside, id(value))
        if isinstance(value, Mapping):
            return self._mapping(value, path, within)
        if isinstance(value, list | tuple):
            copies = (self._value(item, f"{path}[{number}]", within) for number, item in enumerate(value))
            return [None if copy is _GONE else copy for copy in copies]
        if isinstance(value, _WRITABLE) or (is_dataclass(value) and not isinstance(value, type)):
            return self._written(value, path, within)
        return self._drop(value, path)

    def _mapping(self, values: Mapping[Any, Any], path: str, inside: tuple[int, ...]) -> dict[str, Any]:
        copies: dict[str, Any] = {}
        for key, value in values.items():
            place = f"{path}.{key}" if path else str(key)
            copy = self._value(value, place, inside) if isinstance(key, str) else self._drop(key, f"{place}, key")
            if copy is not _GONE:
                copies[str(key)] = copy
        return copies

    def _written(self, value: object, path: str, inside: tuple[int, ...]) -> Any:
        """What pydantic makes of a model, a dataclass or a date."""
        try:
            written = to_jsonable_python(value)
        except ValueError:
            # Something inside cannot be written, or contains itself.
            return self._drop(value, path)
        return self._value(written, path, inside)

    def _drop(self, value: object, path: str) -> object:
        self.dropped.append(f"{path} ({type(value).__name__})")
        return _GONE
