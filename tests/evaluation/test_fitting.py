"""The fit of the benchmark of held-out weights: slopes are those of what is climbed, and it climbs."""

import numpy as np
import pytest

from tests.benchmarks.fitting import Conversation, fitted, likeliest, likely_sent, most_sent

QUESTIONS, MESSAGES, PARTS = 12, 90, 4


@pytest.fixture
def conversation():
    """Random parts; the evidence, one or two messages, has more of the first two, which the gate sees too."""
    chance = np.random.default_rng(7)
    parts = chance.uniform(0.0, 0.4, (QUESTIONS, MESSAGES, PARTS))
    share = np.zeros((QUESTIONS, MESSAGES))
    for question in range(QUESTIONS):
        gold = chance.choice(MESSAGES, 1 + question % 2, replace=False)
        share[question, gold] = 1.0 / len(gold)
        parts[question, gold, :2] += 0.1, 0.2
    relevant = parts * np.array([1.0, 1.0, 0.0, 0.0])
    tokens = chance.integers(5, 400, MESSAGES)
    return Conversation(parts, relevant, share, tokens, chance.integers(5, 30, QUESTIONS))


def test_the_slope_of_what_is_sent_is_its_change_by_each_weight(conversation):
    """Otherwise the search would go astray."""
    weights = np.array([1.0, 0.5, -0.3, 0.2])
    _, slope = likely_sent(conversation, weights)
    changes = []
    for moved in 1e-6 * np.eye(PARTS):
        more, less = (likely_sent(conversation, weights + sign * moved)[0] for sign in (1, -1))
        changes.append((more - less) / 2e-6)
    assert slope == pytest.approx(changes, rel=1e-4, abs=1e-6)


def test_the_likeliest_weights_are_found_from_wherever_the_search_starts(conversation):
    """There is one maximum, at the parts that tell of the evidence."""
    near = likeliest([conversation], np.zeros(PARTS))
    assert near == pytest.approx(likeliest([conversation], np.array([3.0, -2.0, 1.0, 4.0])), abs=1e-3)
    assert min(near[:2]) > max(np.abs(near[2:]))


def test_more_evidence_is_sent_with_the_fit_than_with_the_likeliest_weights(conversation):
    """And meaning keeps the unit."""
    start = likeliest([conversation], np.zeros(PARTS))
    start /= start[0]
    further = most_sent([conversation], start)
    assert likely_sent(conversation, further)[0] > likely_sent(conversation, start)[0]
    assert further[0] == 1.0
    assert fitted([conversation], np.zeros(PARTS)) == pytest.approx(further)
