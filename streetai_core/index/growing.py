"""Arrays with room behind them, which get longer without being copied each time."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

Number = TypeVar("Number", bound=np.generic)


class Growing(Generic[Number]):
    """The memory behind the longest of some arrays.

    An array that was given out never changes: whoever goes on from another one than the longest gets a copy.
    """

    def __init__(self) -> None:
        self._memory: npt.NDArray[Number] | None = None
        self._longest: npt.NDArray[Number] | None = None

    def extended(self, array: npt.NDArray[Number], more: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """An array with other values behind it, shape (len(array) + len(more),). Not to be changed."""
        end = len(array) + len(more)
        if self._memory is not None and array is self._longest:
            self._memory = with_room(self._memory, end)
        else:
            # Room for one more than it has in any case, so that it is copied.
            self._memory = with_room(array, max(end, len(array) + 1))
        self._memory[len(array) : end] = more
        self._longest = self._memory[:end]
        return self._longest


def with_room(array: npt.NDArray[Number], count: int) -> npt.NDArray[Number]:
    """An array with room for so many rows: itself, or a copy that is at least twice as large."""
    if count <= len(array):
        return array
    larger: npt.NDArray[Number] = np.empty((max(count, 2 * len(array)), *array.shape[1:]), dtype=array.dtype)
    larger[: len(array)] = array
    return larger
