"""Numbers of rows, each once."""

from __future__ import annotations

import numpy as np

from streetai_core.arrays import RowNumbers
from streetai_core.index.row_table import NONE


def distinct(rows: RowNumbers) -> RowNumbers:
    """Rows without -1, ascending, each once."""
    every = np.sort(rows)
    # Not `np.unique`, which asks whether the rows are masked and loads another 10 to 40 ms of NumPy for it.
    first = np.ones(len(every), dtype=np.bool_)
    first[1:] = every[1:] != every[:-1]
    some: RowNumbers = every[first & (every != NONE)]
    return some
