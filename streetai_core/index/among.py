"""Which rows are among others."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def among(some: npt.NDArray[np.generic], rows: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    """Which of some rows are among others, which ascend; shape of `some`. Quickest where both are of one type."""
    if not len(rows):
        return np.zeros(len(some), dtype=np.bool_)
    there: npt.NDArray[np.bool_] = rows.take(rows.searchsorted(some), mode="clip") == some
    return there
