"""Which rows are among others."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.intp]


def among(some: Rows, rows: Rows) -> npt.NDArray[np.bool_]:
    """Which of some rows are among others, which ascend; shape of `some`."""
    if not len(rows):
        return np.zeros(len(some), dtype=np.bool_)
    there: npt.NDArray[np.bool_] = rows.take(rows.searchsorted(some), mode="clip") == some
    return there
