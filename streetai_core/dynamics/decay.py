"""How a weight fades by turns, and when a faded signal comes back.

    effective = base * exp(-rate * max(0, turn - last_used_turn))

Wall-clock time plays no part: an idle memory does not age.
"""

from __future__ import annotations

import numpy as np

from streetai_core.arrays import Flags, Floats, Integers

TOLERANCE = 1e-6
"""Thresholds are inclusive up to this much: cosines are float32, whose rounding must not decide."""


def effective_weights(base: Floats, last_used: Integers, turn: int, rate: float) -> Floats:
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
