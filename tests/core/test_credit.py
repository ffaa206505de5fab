"""Credit by words: the arithmetic by hand, and its bounds whatever comes in."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core import Config
from streetai_core.dynamics.credit import credit, rarity, share_of_best, standing
from streetai_core.dynamics.learning import action_for

SHARES = st.floats(0, 1, exclude_max=True)
PLACES = st.integers(0, 10_000).map(lambda better: 1 / math.sqrt(1 + better))
UNKNOWN = st.just(math.nan)


def one(new, asked=math.nan, place=math.nan):
    """The credit of a single hit."""
    return float(credit(np.array([new]), np.array([asked]), np.array([place]))[0])


def test_rarity_by_hand():
    """If it fails, common words earn what rare ones should."""
    assert 1.0 == rarity(500, 1) == rarity(1, 1) == rarity(7, 0)
    assert (math.log(1 + 490.5 / 10.5) / math.log(1 + 499.5 / 1.5)) ** 2 == pytest.approx(rarity(500, 10))
    assert 1.0 > rarity(100, 2) > rarity(100, 50) > rarity(100, 100) > 0.0
    assert rarity(3, 9) > 0.0, "a count that is behind must not divide by nothing"


def test_the_best_overlap_is_the_measure_of_the_others():
    """If it fails, one common word counts as much as a whole sentence."""
    np.testing.assert_allclose(share_of_best(np.array([4.0, 2.0, 0.0])), [0.8, 0.4, 0.0])
    np.testing.assert_allclose(share_of_best(np.array([0.1, 0.0])), [1 / 11, 0.0])
    assert 0 == len(share_of_best(np.zeros(0)))


def test_places_by_hand():
    """If it fails, the scale of a strategy's scores decides what is learned."""
    found = standing(np.array([0.5, math.nan, 9.0, 0.5, -3.0]))
    np.testing.assert_allclose(found, [1 / math.sqrt(2), math.nan, 1.0, 1 / math.sqrt(2), 0.5])


def test_credit_by_hand():
    """If it fails, the formula in the documentation is another one."""
    assert 0.15 + 0.85 * (3 * 0.5 + 0.8 + 1.0) / 5 == pytest.approx(one(0.5, 0.8, 1.0))
    assert 0.15 + 0.85 * (3 * 0.5 + 1.0) / 4 == pytest.approx(one(0.5, place=1.0))
    assert 0.15 + 0.85 * (3 * 0.5 + 0.8) / 4 == pytest.approx(one(0.5, asked=0.8))
    assert 0.15 + 0.85 * 0.5 == pytest.approx(one(0.5))


@given(SHARES, SHARES | UNKNOWN, PLACES | UNKNOWN)
def test_credit_is_bounded(new, asked, place):
    """If it fails, a weight can be moved by something that is no share."""
    assert 0 <= one(new, asked, place) <= 1


@given(SHARES | UNKNOWN, PLACES | UNKNOWN)
def test_what_shares_nothing_new_is_never_boosted(asked, place):
    """If it fails, a reply that only repeats the question praises whatever was found for it."""
    assert action_for(one(0.0, asked, place), Config()) != "boost"


def test_what_shares_nothing_at_all_is_demoted():
    """If it fails, noise that is sent again and again keeps its weight."""
    assert "demote" == action_for(one(0.0, 0.0, 1 / math.sqrt(24)), Config())
    assert "demote" == action_for(one(0.0), Config())
