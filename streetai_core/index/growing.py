"""Arrays that get longer at their end without being copied each time."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from streetai_core.index.row_vectors import with_room

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
