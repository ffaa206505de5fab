"""How signals stand before newer statements are lifted above older ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from streetai_core.arrays import Flags, Floats


@dataclass(frozen=True, slots=True)
class Standing:
    """How signals stand without their lifts."""

    total: Floats
    """What each scores, shape (n,)."""
    nearness: Floats
    """How near each is to the question, shape (n,)."""
    leaders: npt.NDArray[np.intp]
    """The nearest signal of each message, which stands for it; -1 for none. Shape (m,)."""
    searched: Flags | None
    """The signals that may be found, shape (n,); `None`: all."""
    margin: float
    """By how much a statement stands above the one that it replaces."""
