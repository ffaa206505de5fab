"""The arrays of several parts in one mapping, as an image keeps them: each is named `part.array`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

Value = TypeVar("Value")


def joined(parts: Mapping[str, Mapping[str, Value]]) -> dict[str, Value]:
    """The arrays of all parts, each under the name of its part and its own."""
    return {f"{part}.{name}": array for part, arrays in parts.items() for name, array in arrays.items()}


def part_of(arrays: Mapping[str, Value], part: str) -> dict[str, Value]:
    """The arrays of one part, by their own names; empty if there is no such part."""
    return {name.removeprefix(f"{part}."): array for name, array in arrays.items() if name.startswith(f"{part}.")}
