"""What a reply teaches: how much each recalled signal contributed, and what that does to its weight."""

from __future__ import annotations

import math

from streetai_core.arrays import Floats
from streetai_core.config import Config
from streetai_core.dynamics.credit import NOTHING_NEW
from streetai_core.dynamics.decay import TOLERANCE
from streetai_core.dynamics.trust import is_trusted
from streetai_core.types import Action, Matrix


def contributions(signals: Matrix, reply: Matrix) -> Floats:
    """The published credit of each signal, shape (n,): its cosine with the reply.

    `signals` is (n, dim), `reply` is (1, dim).
    """
    cosines: Floats = (signals @ reply[0]).astype(float)
    return cosines


def action_for(contribution: float, config: Config) -> Action:
    """Boost from `high_relevance` up, demote from `low_relevance` down, both inclusive."""
    if contribution >= config.high_relevance - TOLERANCE:
        return "boost"
    if contribution <= config.low_relevance + TOLERANCE:
        return "demote"
    return "none"


def helped(contribution: float, config: Config) -> bool:
    """Whether a reply was made of a signal at all; what is boosted helped most.

    By words, anything new that both have says so: of BEAM's questions, asked again in other words, 5.0 points more of
    the evidence are then among the first five, and 2.4 with what is boosted alone (LoCoMo: 3.3 and 2.9); others find
    the same.
    """
    if config.credit == "words":
        return contribution > NOTHING_NEW + TOLERANCE
    return action_for(contribution, config) == "boost"


def factor_for(action: Action, config: Config) -> float:
    """What the base weight is multiplied by."""
    return {"boost": config.boost_factor, "demote": config.demote_factor}.get(action, 1.0)


def bounds_for(trust: float, config: Config) -> tuple[float, float]:
    """Lowest and highest base weight of a signal of this trust: learning never lifts a doubtful one above its start."""
    if is_trusted(trust, config):
        return config.min_base_weight, config.max_base_weight
    return config.min_base_weight, min(config.max_untrusted_weight, config.max_base_weight)


def learned_weight(base_weight: float, factor: float, low: float, high: float) -> float:
    """`base_weight * factor` inside [low, high]: the same arithmetic, in the same order, as every store's."""
    return min(max(base_weight * factor, low), high)


def most_uses(trust: float, config: Config) -> float:
    """How many uses of a signal of this trust count: as many boosts as lift a weight from 1 to its upper bound.

    So nothing counts of what learning must not lift, and nothing at all where a boost changes no weight.
    """
    _, high = bounds_for(trust, config)
    if high <= 1.0 or config.boost_factor <= 1.0:
        return 0.0
    return math.log(high) / math.log(config.boost_factor)
