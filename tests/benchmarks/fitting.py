"""Weights fitted to questions whose evidence is known.

First those under which the evidence is likeliest, of all messages, by a softmax of the scores (a logistic regression
with a choice among many). From there, and held near, to those with which the most evidence is in the prompt: messages
are taken in the order of packing, those that the gate lets through, until the room is used up. That a message stands
before another, passes the gate or has room is smoothed to something between no and yes, so that it has a slope.
Every question counts the same.
"""

import math
from dataclasses import dataclass

import numpy as np

from streetai_core import Config
from streetai_core.prompt import packing
from streetai_core.recall.scoring import BESIDE, PLAIN

BUDGETS = (500, 1500, 3000)

RIDGE = 0.3
"""Holds back weights that few questions tell of; with the likelihood alone ten times as much moves evidence by a
point at most."""
NEAR = 0.05
"""Holds the weights near the likeliest ones; a fifth of it, or four times as much, finds a third of a point less
in prompts that are filled as `LABEL` says."""
ORDER = 0.05
"""Difference of two scores, in units of the cosine, at which one message stands before another rather surely."""
PASSING = 0.03
"""Relevance above the gate, in the same units, at which a message passes rather surely."""
ROOM = 0.5
"""Natural logarithm of room to need at which a message is in the prompt rather surely."""

LABEL = 5
"""Tokens of label, line and share of a date of a passage. So many make a prompt that is filled by `Conversation.cost`
hold what real ones do with the shipped weights, within two points of evidence or so."""
FRAME = 26
"""Tokens of a prompt beside passages and question."""
LEADING = 6
"""Messages at the top that are looked at for whether the memory plainly knows."""

STEPS = 50
"""Of Newton's method; some ten are enough."""
FURTHER_STEPS = 30
"""Of the search from there; some ten are enough."""
SHORTENED = 12
"""Times that a step is halved at most before the search ends."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What the parts say of its messages for each of its questions; the first part is meaning."""

    parts: np.ndarray
    """Shape (questions, messages, parts)."""
    relevant: np.ndarray
    """The same, only meaning and words as the gate sees them."""
    share: np.ndarray
    """Which share of the evidence each message is, (questions, messages); sums to 1 for each question."""
    tokens: np.ndarray
    """Of each message, (messages,)."""
    question_tokens: np.ndarray
    """Of each question, (questions,)."""

    @property
    def price(self):
        """What the tokens of each message cost it in the order of packing."""
        counted = np.minimum(self.tokens, packing._MOST_TOKENS) + packing._LEAST_TOKENS
        return packing.LENGTH_PRICE * np.log(counted)

    @property
    def cost(self):
        """Tokens that each message takes in a prompt."""
        return LABEL + np.array([min(size, packing.most_tokens(size, math.inf, Config())) for size in self.tokens])


def likeliest(conversations, start):
    """The weights, that of meaning first, under which the evidence is likeliest.

    There is one maximum, so where the search starts makes no difference but of time.
    """
    weights = start.copy()
    for _ in range(STEPS):
        slope, curve = -RIDGE * weights, -RIDGE * np.eye(len(weights))
        for one in conversations:
            for parts, share in zip(one.parts.astype(np.float64), one.share, strict=True):
                likely = np.exp((score := parts @ weights) - score.max())
                likely /= likely.sum()
                middle = likely @ parts
                slope += share @ parts - middle
                curve -= (parts * likely[:, None]).T @ parts - np.outer(middle, middle)
        step = np.linalg.solve(curve, -slope)
        # Far from the best weights a whole step would go too far.
        weights = weights + step * min(1.0, 5.0 / np.abs(step).max())
        if np.abs(step).max() < 1e-5:
            break
    return weights


def smooth(distance, width):
    """From 0 to 1, .5 at no distance, and its slope."""
    value = 1.0 / (1.0 + np.exp(-np.clip(distance / width, -30.0, 30.0)))
    return value, value * (1.0 - value) / width


def gate(relevance, order):
    """How surely each message passes, its slope, and what that moves: the best one lowers the gate for the others.

    Returns:
        passing and its slope, (questions, messages); the number of the best message of each question, and how far the
        gate falls per point of its relevance, (questions,).
    """
    least = Config().min_relevance
    leading = np.argpartition(-order, min(LEADING, order.shape[1] - 1), axis=1)[:, :LEADING]
    among = np.take_along_axis(relevance, leading, axis=1)
    plain, slope = smooth(among.max(axis=1) - PLAIN * least, PASSING)
    best = leading[np.arange(len(leading)), among.argmax(axis=1)]
    lowered = (1.0 - BESIDE) * least
    return *smooth(relevance - (least - lowered * plain)[:, None], PASSING), best, lowered * slope


def likely_sent(one, weights):
    """The evidence in prompts, smoothed, summed over questions and meant over budgets; and its slope by the weights."""
    weights = weights.astype(one.parts.dtype)
    order, relevance = one.parts @ weights - weights[0] * one.price, one.relevant @ weights
    passing, passing_slope, best, falls = gate(relevance, order)
    question, gold = np.nonzero(one.share)
    each = np.arange(len(gold))
    share = one.share[question, gold] / len(BUDGETS)
    # How surely each message stands before the evidence and takes room; that itself in any case.
    before, before_slope = smooth(order[question] - order[question, gold][:, None], ORDER)
    before[each, gold], before_slope[each, gold] = 1.0, 0.0
    taking = passing[question]
    taking[each, gold] = 1.0
    need = (before * taking) @ one.cost
    room = np.log(np.maximum(60.0, np.array(BUDGETS) - one.question_tokens[question][:, None] - FRAME))
    fits, fits_slope = smooth(room - np.log(need)[:, None], ROOM)
    passes = passing[question, gold]
    sent = float((share * passes * fits.sum(axis=1)).sum())
    by_need = -(share * passes * fits_slope.sum(axis=1) / need)[:, None]
    by_order, by_relevance = np.zeros_like(order), np.zeros_like(order)
    moved = by_need * before_slope * taking * one.cost
    np.add.at(by_order, question, moved)
    np.add.at(by_order, (question, gold), -moved.sum(axis=1))
    crowding = by_need * before * one.cost
    crowding[each, gold] = share * fits.sum(axis=1)
    np.add.at(by_relevance, question, crowding)
    by_relevance *= passing_slope
    by_relevance[np.arange(len(best)), best] += falls * by_relevance.sum(axis=1)
    slope = np.einsum("qm,qmp->p", by_order, one.parts) + np.einsum("qm,qmp->p", by_relevance, one.relevant)
    slope[0] -= (by_order @ one.price).sum()
    return sent, slope


def most_sent(conversations, start):
    """The weights near `start`, in units of that of meaning, with which the most evidence is in prompts."""
    questions = sum(len(one.parts) for one in conversations)

    def lost(weights):
        found = [likely_sent(one, weights) for one in conversations]
        away = weights - start
        value = NEAR / 2 * away @ away - sum(sent for sent, _ in found) / questions
        slope = NEAR * away - sum(slope for _, slope in found) / questions
        slope[0] = 0.0
        return value, slope

    return downhill(lost, start)


def downhill(lost, start):
    """Where a function is least, by the method of Broyden, Fletcher, Goldfarb and Shanno."""
    place, whole = start, np.eye(len(start))
    spread = whole
    value, slope = lost(place)
    for _ in range(FURTHER_STEPS):
        step = -spread @ slope
        # No weight goes further at once than where the function is still as it was here.
        step *= min(1.0, 0.3 / max(np.abs(step).max(), 1e-9))
        for _ in range(SHORTENED):
            further, steeper = lost(place + step)
            if further <= value + 1e-4 * (step @ slope):
                break
            step = step / 2
        else:
            break
        change, gained = steeper - slope, value - further
        place, value, slope = place + step, further, steeper
        if gained < 2e-6:
            break
        if (along := step @ change) > 1e-12:
            turned = whole - np.outer(step, change) / along
            spread = turned @ spread @ turned.T + np.outer(step, step) / along
    return place


def fitted(conversations, start):
    """The weights in units of the cosine, as the library's are, that of meaning, 1, first."""
    likely = likeliest(conversations, start)
    return most_sent(conversations, likely / likely[0])
