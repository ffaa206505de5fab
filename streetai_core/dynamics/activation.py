"""What the past of a signal adds to its score: what replies taught, where it fits the question, and freshness."""

from __future__ import annotations

import numpy as np

from streetai_core.arrays import Floats, Integers

LEARNED = 0.05
"""Most that a signal gets for having been of use at all, in shares of `activation_share`. It says nothing of the
question, so it only decides between signals that are alike: with nineteen times as much other questions lose .6 points
of rec@5, and those that are repeated gain .7."""

FRESH = 0.05
"""Most that it gets for being fresh. Everything that is sent becomes fresh, whether it was of use or not: with five
times as much repeated questions lost .2 points of rec@10."""

ACTIVATION_SPREAD = LEARNED + FRESH
"""How far the activations of two signals can be apart."""

TAUGHT = 20.0
"""What a signal gets for each point by which a question that it helped to answer is nearer than `ALIKE`, in shares of
`activation_share`: by default as much as for a point of its own meaning. Three quarters of it find as much of the
evidence among the first five, and put it first less often."""

ALIKE = 0.6
"""Cosine from which two questions may have one answer. The same in other words is nearer; of pairs of questions about
two people who chat (LoCoMo) one in ten is, of a user's own (BEAM) one in fourteen."""


def present(uses: Floats, base: Floats, effective: Floats, age: Integers) -> tuple[Floats, Floats]:
    """How present signals are: what was learned of each, from 0 to `LEARNED`, and its freshness, to `FRESH`.

    What was learned is `LEARNED * known / (1 + known)` with `known = uses * base`: being of use once tells most, each
    further time less, and the less the more often it was sent for nothing, which lowers the weight. So it is 0 for a
    signal that no reply has used yet: that it was sent for other questions in vain does not speak against it. It fades
    with the weight, by half at most: what was of use once will be again. Freshness is `FRESH * (1 + age) ** -0.5`, the
    base-level curve of ACT-R for one use (Anderson and Schooler 1991).

    Args:
        uses: replies that used the signal, as far as they count, from 0; shape (n,).
        base: learned weights.
        effective: the same after decay.
        age: turns since it was last sent, or said.
    """
    # A weight that came from another program, without its uses, tells by how much it was boosted.
    known = np.maximum(uses * base, np.maximum(base - 1.0, 0.0))
    faded = (1.0 + effective / base) / 2
    learned: Floats = LEARNED * faded * (known / (1.0 + known))
    freshness: Floats = FRESH / np.sqrt(1.0 + np.maximum(0, age))
    return learned, freshness


def taught(likeness: Floats) -> Floats:
    """What signals get for having helped to answer questions like this one; shape (n,).

    Args:
        likeness: cosines of those questions and this one, beyond what all vectors have in common.
    """
    gained: Floats = TAUGHT * np.maximum(likeness - ALIKE, 0.0)
    return gained


COMPARED = 10
"""What was learned about a signal is compared with the tenth best and not with the best, so that a few messages that
ask the same, which fit a question better than any answer, do not put what answered them out of reach."""

REACH = 0.2
"""How far below the `COMPARED` best score nothing is left of what was learned. Half as much or half as much again, or
the fifth best, do nearly as well; without a limit unrelated questions lose, and compared by meaning alone what words
find gets nothing."""


def within_reach(scores: Floats, good: float) -> Floats:
    """How much of what was learned counts for a question, in [0, 1]; shape (n,).

    All of it for a signal that is among the best without it, none for one that falls short of them by `REACH`: what was
    of use for other questions does not come up with this one.

    Args:
        scores: of each signal, without activation.
        good: that of the `COMPARED` best signal of all.
    """
    share: Floats = np.clip((scores - good) / REACH + 1.0, 0.0, 1.0)
    return share
