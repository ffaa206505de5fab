"""How a weight fades by turns, and when a faded signal comes back.

    effective = base * exp(-rate * max(0, turn - last_used_turn))

Wall-clock time plays no part: an idle memory does not age.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

TOLERANCE = 1e-6
"""Thresholds are inclusive up to this much: cosines are float32, whose rounding must not decide."""


def effective_weights(base: Floats, last_used: Ints, turn: int, rate: float) -> Floats:
    """Weights after decay at `turn`; all arrays have shape (n,)."""
    age = np.maximum(0, turn - last_used)
    faded: Floats = base * np.exp(-rate * age)
    return faded


def alive(effective: Floats, death_threshold: float) -> Flags:
    """Which signals are not dead."""
    living: Flags = effective >= death_threshold
    return living


def product_scores(effective: Floats, similarity: Floats, floor: float) -> Floats:
    """The published activation: `max(effective, floor) * max(0, similarity)`.

    `floor` is `activation_threshold / revival_similarity`: a dead signal scores as if it had that weight, and so passes
    the activation threshold exactly from the revival similarity on.
    """
    scores: Floats = np.maximum(effective, floor) * np.maximum(similarity, 0.0)
    return scores


ACTIVATION_SPREAD = 1.25
"""How far the activations of two signals can be apart: from -1/4 to 1."""

_UNWANTED = 1 / 3
"""What having been of no use counts against having been of use: that a reply did not need a signal says little."""


LEARNED = 3 / 4
"""How much of what makes a signal present was learned; the rest is freshness, which says less."""


def present(base: Floats, effective: Floats, age: Ints, bounds: tuple[float, float]) -> tuple[Floats, Floats]:
    """How present a signal is, together in [-1/4, 1]: what was learned about it, and its freshness; shape (n,) each.

    What was learned is, by three quarters, `log(base) / log(most)` of a signal that was boosted, and a third of
    `log(base) / -log(least)` of one that was demoted, so 0 for one of which nothing is known; it fades with the weight,
    by half at most: what was of use once will be again. Freshness is, by a quarter, `(1 + age) ** -0.5`, the base-level
    curve of ACT-R for one use (Anderson and Schooler 1991).

    Args:
        base: learned weights, shape (n,).
        effective: the same after decay.
        age: turns since the last use.
        bounds: least and most base weight.
    """
    least, most = bounds
    above = np.log(np.maximum(base, 1.0)) / (math.log(most) or 1.0)
    below = np.log(np.minimum(base, 1.0)) / (-math.log(least) or 1.0)
    faded = (1.0 + effective / base) / 2
    learned: Floats = LEARNED * faded * (above + _UNWANTED * below)
    freshness: Floats = (1.0 - LEARNED) / np.sqrt(1.0 + np.maximum(0, age))
    return learned, freshness
