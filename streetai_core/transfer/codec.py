"""Rows as JSON values and back, by the types that their dataclasses declare.

A field that is added to a row is exported and imported from then on; where an older file lacks it, its default holds.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Any, Generic, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from streetai_core.errors import ImportFormatError
from streetai_core.stores.metadata import plain_metadata
from streetai_core.stores.values import zoned
from streetai_core.text.clean import clean

RowType = TypeVar("RowType")

_LARGEST = 2**63 - 1
"""What a database keeps as a whole number."""

_PAIR = 2
"""Ends of a run of numbers."""

_TABLE = 2
"""Dimensions of an array that says how many columns it has."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """How the values of one type are written and read."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any, str], Any]
    """Takes the value and its name; raises an `ImportFormatError` for what the type does not have."""


class RowCodec(Generic[RowType]):
    """Writes and reads the rows of one dataclass."""

    def __init__(self, row: type[RowType]) -> None:
        hints = get_type_hints(row)
        self._row = row
        self._kinds = {field.name: _kind(hints[field.name]) for field in fields(row)}  # type: ignore[arg-type] # rows are dataclasses
        self._required = {
            field.name
            for field in fields(row)  # type: ignore[arg-type] # as above
            if field.default is MISSING and field.default_factory is MISSING
        }

    def encode(self, row: RowType, without: frozenset[str] = frozenset()) -> dict[str, Any]:
        """The row as JSON values, but for the fields `without`."""
        return {name: kind.encode(getattr(row, name)) for name, kind in self._kinds.items() if name not in without}

    def decode(self, values: object, what: str, defaults: Mapping[str, Any] | None = None) -> RowType:
        """The row of JSON values.

        Args:
            values: what JSON has.
            what: names the row in errors.
            defaults: of fields that may be missing although the row needs them.

        Raises:
            ImportFormatError: a value is missing, unknown, or of another type.
        """
        defaults = defaults or {}
        if not isinstance(values, dict):
            raise ImportFormatError(f"{what} must be a JSON object, got {type(values).__name__}")
        unknown = [name for name in values if name not in self._kinds]
        if unknown:
            raise ImportFormatError(f"{what} has the unknown field {unknown[0]!r}; it was written by a newer version")
        missing = sorted(self._required - values.keys() - defaults.keys())
        if missing:
            raise ImportFormatError(f"{what} lacks {', '.join(missing)}")
        found = {name: self._kinds[name].decode(value, f"{name} of {what}") for name, value in values.items()}
        return self._row(**{**defaults, **found})


@cache
def codec_of(row: type[RowType]) -> RowCodec[RowType]:
    """The codec of a dataclass, made once."""
    return RowCodec(row)


def _kind(hint: Any) -> _Kind:
    """How the values of an annotation are written and read."""
    if hasattr(get_origin(hint), "__value__"):
        # A name for a type, as NumPy's `NDArray` is from 2.5 on.
        hint = get_origin(hint).__value__[get_args(hint)]
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin is Literal:
        return _choice(arguments)
    if origin in {Union, UnionType}:
        return _one_of({one: _kind(one) for one in arguments if one is not NoneType}, optional=NoneType in arguments)
    if origin is np.ndarray:
        (numbers,) = get_args(arguments[1])
        # Where a store keeps several precisions, a file has the first, which keeps all numbers of the others.
        return _array(np.dtype((get_args(numbers) or (numbers,))[0]))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _Kind(dict, _metadata)
    if origin is tuple and arguments in _TUPLES:
        return _TUPLES[arguments]
    raise TypeError(f"rows with {hint!r} cannot be exported; teach streetai_core.transfer.codec to")


def _whole(value: Any, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -_LARGEST <= value <= _LARGEST:
        raise ImportFormatError(f"{what} must be a whole number, got {_short(value)}")
    return value


def _real(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ImportFormatError(f"{what} must be a number, got {_short(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ImportFormatError(f"{what} must be finite, got {_short(value)}")
    return number


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise ImportFormatError(f"{what} must be text, got {_short(value)}")
    if clean(value)[1]:
        raise ImportFormatError(f"{what} must not contain NUL or lone surrogates")
    return value


def _flag(value: Any, what: str) -> bool:
    if not isinstance(value, bool):
        raise ImportFormatError(f"{what} must be true or false, got {_short(value)}")
    return value


def _time(value: Any, what: str) -> datetime:
    try:
        return zoned(datetime.fromisoformat(_text(value, what)))
    except ImportFormatError:
        raise
    except ValueError as error:
        raise ImportFormatError(f"{what} must be a time as ISO 8601, got {_short(value)}") from error


def _metadata(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ImportFormatError(f"{what} must be a JSON object, got {_short(value)}")
    try:
        return plain_metadata(value)
    except ValueError as error:
        raise ImportFormatError(f"{what} cannot be stored: {error}") from error


def _whole_numbers(value: Any, what: str) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise ImportFormatError(f"{what} must be a list of whole numbers, got {_short(value)}")
    return tuple(_whole(number, what) for number in value)


def _spans(value: Any, what: str) -> tuple[tuple[int, int], ...]:
    """First and last of each run of numbers, ascending and apart."""
    if not isinstance(value, list) or not all(isinstance(span, list) and len(span) == _PAIR for span in value):
        raise ImportFormatError(f"{what} must be a list of pairs of whole numbers, got {_short(value)}")
    spans = tuple((_whole(first, what), _whole(last, what)) for first, last in value)
    before = -1
    for first, last in spans:
        if not before < first <= last:
            raise ImportFormatError(f"{what} must be runs of numbers from 0 on, ascending")
        before = last
    return spans


def _choice(allowed: tuple[Any, ...]) -> _Kind:
    def decode(value: Any, what: str) -> Any:
        if value not in allowed:
            raise ImportFormatError(f"{what} must be one of {', '.join(map(str, allowed))}, got {_short(value)}")
        return value

    return _Kind(lambda value: value, decode)


def _one_of(kinds: Mapping[Any, _Kind], *, optional: bool) -> _Kind:
    """Values of one of some types; of several types only those that JSON tells apart can be in a union."""
    (first, *others) = kinds.values()

    def kind_of(value: Any) -> _Kind:
        return kinds.get(type(value), first) if others else first

    def decode(value: Any, what: str) -> Any:
        return None if optional and value is None else kind_of(value).decode(value, what)

    return _Kind(lambda value: None if value is None else kind_of(value).encode(value), decode)


def _array(dtype: np.dtype[Any]) -> _Kind:
    """Arrays as base64 of little-endian numbers; a table also says how many columns it has."""
    stored = dtype.newbyteorder("<")

    def encode(array: Any) -> Any:
        data = base64.b64encode(np.ascontiguousarray(array, dtype=stored).tobytes()).decode()
        return {"columns": array.shape[1], "base64": data} if array.ndim == _TABLE else data

    def decode(value: Any, what: str) -> Any:
        columns = None
        if isinstance(value, dict) and value.keys() == {"columns", "base64"}:
            columns, value = _whole(value["columns"], what), value["base64"]
        try:
            data = base64.b64decode(_text(value, what), validate=True)
        except (binascii.Error, ValueError) as error:
            raise ImportFormatError(f"{what} must be base64") from error
        width = stored.itemsize * (1 if columns is None else columns)
        if width < 1 or len(data) % width:
            raise ImportFormatError(f"{what} must be whole rows of {dtype.name}, got {len(data)} bytes")
        array = np.frombuffer(data, dtype=stored).astype(dtype)
        try:
            return array if columns is None else array.reshape(-1, columns)
        except ValueError as error:
            # Of nothing any number of columns is whole rows, but NumPy has a largest.
            raise ImportFormatError(f"{what} cannot have {columns} columns") from error

    return _Kind(encode, decode)


def _short(value: object) -> str:
    """A value in an error: enough to recognise it, never a whole text."""
    shown = ascii(value) if isinstance(value, str | int | float | None) else type(value).__name__
    return shown if len(shown) <= 40 else f"{shown[:40]}..."  # noqa: PLR2004 - characters of a value that help


_PLAIN: dict[Any, _Kind] = {
    int: _Kind(int, _whole),
    float: _Kind(float, _real),
    bool: _Kind(bool, _flag),
    str: _Kind(str, _text),
    datetime: _Kind(lambda moment: moment.isoformat(timespec="microseconds"), _time),
}

_TUPLES: dict[Any, _Kind] = {
    (int, ...): _Kind(lambda numbers: [int(number) for number in numbers], _whole_numbers),
    (tuple[int, int], ...): _Kind(lambda spans: [[int(first), int(last)] for first, last in spans], _spans),
}
"""By the arguments of `tuple`."""
