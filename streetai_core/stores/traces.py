"""Traces of deleted values: enough to find any 12 bytes of them in a file, and nothing that they could be read from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

PIECE = 12
"""Bytes of a piece: enough to be rare by accident, few enough that a torn remnant still holds one."""

_MOST_PIECES = 4096
"""Pieces of one value, spread evenly over it: of 48 kB every one, of 10 MB every 2.5 kB one."""

_FEWEST_DIFFERENT = 4
"""Different bytes that a piece has; one of zeros, or of one repeated letter, is in every file."""

_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)
"""Odd numbers without pattern, which spread a piece over 64 bits."""

_SPREAD = 0x9E3779B1
"""An odd number without pattern, which spreads four bytes over 32 bits."""

_TABLE_BITS = 22
"""Of the table that sorts almost all places of a file out by four bytes: 4 MB, sparse up to a million pieces."""

_BLOCK = 1 << 20
"""Bytes of a file that are looked through at once, and as much again as the last part has."""

Keys = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.intp]


class Traces:
    """The keys of the pieces of values that were deleted.

    A key is a hash of a piece: two different pieces share one once in 10^19 pairs.
    """

    def __init__(self, values: Iterable[bytes] = ()) -> None:
        pieces = b"".join(_pieces(value) for value in values)
        rows = np.frombuffer(pieces, dtype=np.uint8).reshape(-1, PIECE)
        ordered = np.sort(rows, axis=1)
        different = 1 + np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1)
        starts = np.flatnonzero(different >= _FEWEST_DIFFERENT) * PIECE
        self._keys: Keys = np.unique(_keys(pieces, starts))
        self._table = np.zeros(1 << _TABLE_BITS, dtype=np.bool_)
        self._table[_slots(pieces)[starts]] = True

    def __len__(self) -> int:
        return len(self._keys)

    def found_in(self, parts: Iterable[bytes]) -> Keys:
        """The key of each piece in a stream of bytes, at any offset and across its parts, shape (places,).

        Args:
            parts: of one file, or of values that are joined without a gap.
        """
        found: list[Keys] = [self._keys[:0]]
        for block in _blocks(parts) if len(self) else ():
            candidates = np.flatnonzero(self._table[_slots(block)])
            keys = _keys(block, candidates[candidates <= len(block) - PIECE])
            # They are in order, which `isin` would bring them into again for each block.
            places = np.minimum(np.searchsorted(self._keys, keys), len(self) - 1)
            found.append(keys[self._keys[places] == keys])
        return np.concatenate(found)


def _pieces(value: bytes) -> bytes:
    """Pieces of a value, one after the other and the last one at its end; none of a value that is shorter than one."""
    if len(value) < PIECE:
        return b""
    count = len(value) // PIECE
    if count > _MOST_PIECES:
        step = -(-count // _MOST_PIECES) * PIECE
        return b"".join(value[place : place + PIECE] for place in range(0, len(value) - PIECE + 1, step))
    return value[: count * PIECE] + value[-PIECE:]


def _slots(data: bytes) -> npt.NDArray[np.uint32]:
    """For each byte but the last three: where the four bytes from there on stand in the table."""
    count = max(0, len(data) - 3)
    fours = np.ndarray((count,), dtype="<u4", buffer=data or b"\0" * 4, strides=(1,)).astype(np.uint32)
    fours *= np.uint32(_SPREAD)
    fours >>= np.uint32(32 - _TABLE_BITS)
    slots: npt.NDArray[np.uint32] = fours
    return slots


def _keys(data: bytes, starts: Numbers) -> Keys:
    """The keys of the pieces that begin at `starts`, shape (len(starts),)."""
    columns = np.frombuffer(data, dtype=np.uint8)[starts[:, None] + np.arange(PIECE)]
    first = np.ascontiguousarray(columns[:, :8]).view("<u8").ravel().astype(np.uint64, copy=False)
    second = np.ascontiguousarray(columns[:, 8:]).view("<u4").ravel().astype(np.uint64)
    mixed = first * np.uint64(_FACTORS[0]) ^ second * np.uint64(_FACTORS[1])
    keys: Keys = mixed ^ (mixed >> np.uint64(29))
    return keys


def _blocks(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The stream in blocks that overlap by a piece less one byte, so that none is cut in two and none is met twice."""
    waiting, size = [b""], 0
    for part in parts:
        waiting.append(part)
        size += len(part)
        if size >= _BLOCK:
            block = b"".join(waiting)
            yield block
            waiting, size = [block[-(PIECE - 1) :]], 0
    yield b"".join(waiting)
