"""How sure a mean is: bootstrap intervals over questions (Efron 1979, percentile method)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 2_000
"""Enough that the ends of a 95 % interval move by less than a tenth of its width from seed to seed."""

_ENDS = (2.5, 97.5)
"""Percentiles of a 95 % interval."""

_SEED = 20260301
"""Any fixed number: the same data give the same interval."""

_CELLS = 4_000_000
"""Most random numbers at a time: 32 MB."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float
    count: int

    def to_dict(self) -> dict[str, float | int]:
        """As JSON values."""
        return {"mean": self.mean, "low": self.low, "high": self.high, "count": self.count}


def mean_interval(values: Sequence[float]) -> Estimate:
    """Mean of at least one value, with a bootstrap interval over the values."""
    data = np.asarray(values, dtype=np.float64)
    generator = np.random.default_rng(_SEED)
    rows = max(1, _CELLS // len(data))
    means: list[float] = []
    while len(means) < RESAMPLES:
        size = (min(rows, RESAMPLES - len(means)), len(data))
        means += data[generator.integers(0, len(data), size=size)].mean(axis=1).tolist()
    low, high = np.percentile(means, _ENDS)
    return Estimate(float(data.mean()), float(low), float(high), len(data))


def paired_difference(first: Sequence[float], second: Sequence[float]) -> Estimate:
    """Mean of `first - second`, question by question, with its interval: whether 0 is inside says what chance can do.

    Raises:
        ValueError: the two have not the same length.
    """
    return mean_interval([one - other for one, other in zip(first, second, strict=True)])
