"""What arrays of numbers are called, by the kind of their numbers."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

RowNumbers: TypeAlias = npt.NDArray[np.intp]
"""Places in columns that lie side by side: what one column has in a row belongs to what the others have in it."""

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]
