"""Rows of SQLite as columns: fetched in blocks, checked a column at a time, and put together.

The columns of a block or a pack are a piece of those of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from streetai_core.arrays import Floats, Integers
from streetai_core.stores.checksums import checksums, wholes
from streetai_core.stores.columns import Coded
from streetai_core.stores.packs import Column
from streetai_core.stores.rows import Row

Blocks: TypeAlias = Callable[..., Iterator[list[Row]]]
"""Executes a query with its values and gives its rows in blocks, none of them empty."""

Columns: TypeAlias = Mapping[str, Any]
"""Columns of a table by name, each a `Column`."""

ILL_FORMED = (TypeError, ValueError, OverflowError)
"""What loading raises for a row that does not fit its checksum, or a value that does not fit its column. Which row it
is, reading row by row tells."""


def turned(block: Sequence[Row]) -> list[tuple[Any, ...]]:
    """The rows of a block turned round: its columns."""
    return list(zip(*block, strict=True))


def check(numbers: Sequence[Integers | int], crc: Sequence[Any]) -> None:
    """Compare the numbers of a block's rows with their checksums.

    Raises:
        ValueError: as for all that is `ILL_FORMED`.
    """
    if not np.array_equal(checksums(numbers), wholes(crc)):
        raise ValueError("a row does not fit its checksum")


def put_together(pieces: Sequence[Columns]) -> dict[str, Column]:
    """All pieces in one; no columns if there are none."""
    if not pieces:
        return {}
    return {
        name: Coded.joined([piece[name] for piece in pieces])
        if isinstance(first, Coded)
        else np.concatenate([piece[name] for piece in pieces])
        for name, first in pieces[0].items()
    }


def wholes_in(pieces: Sequence[Columns], name: str) -> Integers:
    """A column of whole numbers of all pieces, shape (n,)."""
    found: Integers = array_in(pieces, name, np.int64)
    return found


def reals_in(pieces: Sequence[Columns], name: str) -> Floats:
    """A column of real numbers of all pieces, shape (n,)."""
    found: Floats = array_in(pieces, name, np.float64)
    return found


def array_in(pieces: Sequence[Columns], name: str, kind: type[np.generic]) -> Any:
    """A column of all pieces in one array of this type."""
    return np.concatenate([np.zeros(0, kind), *(piece[name] for piece in pieces)], dtype=kind, casting="unsafe")


def texts_in(pieces: Sequence[Columns], name: str) -> Coded:
    """A column of texts of all pieces."""
    return Coded.joined([piece[name] for piece in pieces])
