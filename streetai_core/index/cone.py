"""Cosines of encoders whose vectors have much in common, made comparable with those of others.

What all pairs have tells nothing, and what is left of a cosine is small beside words and company. So meaning is

    (cosine - common) / (1 - common)

as if the direction that all vectors share were taken away, and what is left made as long as before. How much is common
only the encoder tells (`encoders/common.py`): messages of a memory may all be near each other for their subject.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from streetai_core.types import KeptMatrix
from streetai_core.vectors import dots

LEAST = 32
"""Signals from which a memory can look narrow: fewer are often about one thing."""

SAMPLE = 64
"""Signals that are compared, each with each: two thousand pairs."""

_REACHED = 0.1
_NARROW = 0.25
"""The cosine that nine of ten pairs reach where an encoder may be narrow. With all-MiniLM-L6-v2 it is -.02 to .19 in
fifteen conversations of four kinds."""

Cosines = TypeVar("Cosines", float, npt.NDArray[np.float64])


def looks_narrow(vectors: KeptMatrix) -> bool:
    """Whether these are so near each other that it may be the encoder's doing; of a few it cannot be told.

    Args:
        vectors: unit vectors, shape (n, dim). Of many a sample is looked at.
    """
    if len(vectors) < LEAST:
        return False
    some = vectors[:: max(1, len(vectors) // SAMPLE)].astype(np.float32)
    # Not one product of all with all, which would wake a thread pool; and not a quantile of NumPy, whose first one
    # loads its masked arrays: either takes longer than opening a small memory.
    pairs = np.concatenate([dots(some[number + 1 :], one) for number, one in enumerate(some)])
    reached = int(_REACHED * len(pairs))
    return float(np.partition(pairs, reached)[reached]) >= _NARROW


def beyond(cosine: Cosines, common: float) -> Cosines:
    """What cosines tell beyond what all vectors have in common, from 0 to below 1.

    A cosine of 1 stays 1, and so does 0, which only a text without a vector has: nothing is known of it.
    """
    return cosine if common == 0.0 else (cosine - common) / (1.0 - common) * (cosine != 0.0)


def cosine_of(meaning: float, common: float) -> float:
    """The inverse of `beyond`."""
    return common + (1.0 - common) * meaning
