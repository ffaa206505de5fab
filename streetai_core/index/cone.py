"""Cosines of encoders whose vectors have much in common, made comparable with those of others.

What all pairs have tells nothing, and what is left of a cosine is small beside words and company. So meaning is

    (cosine - common) / (1 - common)

as if the direction that all vectors share were taken away, and what is left made as long as before. How much is common
only the encoder tells (`encoders/common.py`): messages of a memory may all be near each other for their subject.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from streetai_core.types import Matrix

LEAST = 32
"""Signals from which a memory can look narrow: fewer are often about one thing."""

SAMPLE = 64
"""Signals that are compared, each with each: two thousand pairs."""

_REACHED = 0.1
_NARROW = 0.25
"""The cosine that nine of ten pairs reach where an encoder may be narrow. With all-MiniLM-L6-v2 it is -.02 to .19 in
fifteen conversations of four kinds."""

Cosines = TypeVar("Cosines", float, npt.NDArray[np.float64])


def looks_narrow(vectors: Matrix) -> bool:
    """Whether these are so near each other that it may be the encoder's doing.

    Args:
        vectors: unit vectors, at least two, shape (n, dim).
    """
    pairs = (vectors @ vectors.T)[np.triu_indices(len(vectors), k=1)]
    return float(np.quantile(pairs, _REACHED)) >= _NARROW


def are_narrow(parts: Sequence[Matrix]) -> bool:
    """Whether vectors look narrow that are in several matrices of shape (any, dim); not if they are few."""
    number = sum(map(len, parts))
    return number >= LEAST and looks_narrow(np.concatenate(parts)[:: max(1, number // SAMPLE)].astype(np.float32))


def beyond(cosine: Cosines, common: float) -> Cosines:
    """What cosines tell beyond what all vectors have in common, from 0 to below 1; a cosine of 1 stays 1."""
    return cosine if common == 0.0 else (cosine - common) / (1.0 - common)


def cosine_of(meaning: float, common: float) -> float:
    """The inverse of `beyond`."""
    return common + (1.0 - common) * meaning
