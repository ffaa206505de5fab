"""The conformance suite finds the faults that it is there for."""

import inspect

import numpy as np
import pytest

from streetai_core import Strategy
from streetai_core.errors import StrategyError
from streetai_core.testing.strategy_suite import SAID, StrategySuite, told
from tests.recall.own_strategies import Hybrid, NewestFirst

TESTS = sorted(name for name, _ in inspect.getmembers(StrategySuite, inspect.isfunction) if name.startswith("test_"))


class Spread(Strategy):
    """Divides by nothing where there is one signal."""

    def score(self, known):
        """From 0 for the oldest to 1 for the newest."""
        with np.errstate(invalid="ignore"):
            return (known.sequence - known.sequence.min()) / (known.sequence.max() - known.sequence.min())


class Near(Strategy):
    """Needs a vector."""

    def score(self, known):
        """More for what is similar, by the direction of the question."""
        return known.similarity * known.vector.max()


class ByRow(Strategy):
    """Takes the place in the arrays for an age."""

    def score(self, known):
        """One more for each row."""
        return np.arange(len(known))


class Counting(Strategy):
    """Keeps in one place what each question needs for itself."""

    def __init__(self):
        self.asked = 0

    def score(self, known):
        """More each time."""
        self.asked += 1
        return known.sequence + self.asked


class Choosy(Strategy):
    """Names whoever speaks."""

    def score(self, known):
        """More for long names."""
        return np.array([len(name) for name in known.author])


def failures(strategy):
    """The suite's tests that fail for a strategy class."""

    class Suite(StrategySuite):
        """The suite over that class."""

        def make_strategy(self):
            """A new instance."""
            return strategy()

    failed = set()
    for name in TESTS:
        try:
            getattr(Suite(), name)()
        except (AssertionError, StrategyError):
            failed.add(name)
    return failed


FAULTS = {
    Spread: {"test_one_signal_gets_a_score"},
    Near: {"test_it_goes_on_without_a_vector"},
    ByRow: {"test_the_order_of_signals_tells_nothing"},
    Counting: {"test_threads_get_the_same_scores"},
    Choosy: {"test_every_signal_gets_a_score"},
}


@pytest.mark.parametrize("strategy", FAULTS, ids=lambda strategy: strategy.__name__)
def test_a_faulty_strategy_fails(strategy):
    """Each fault is found by the test that is named after the rule."""
    assert FAULTS[strategy] <= failures(strategy)


def test_every_test_of_the_suite_can_fail():
    """There is no test in the suite that all the faulty strategies pass."""
    assert set().union(*FAULTS.values()) == set(TESTS)


@pytest.mark.parametrize("strategy", [NewestFirst, Hybrid])
def test_a_sound_strategy_passes(strategy):
    """The suite has nothing against a strategy that keeps the contract."""
    assert failures(strategy) == set()


def test_the_suite_tells_of_everything():
    """Of each array some signals have something, and some something else."""
    known = told("Where do I live?")
    assert len(set(known.sequence.tolist())) == len(SAID)
    for name in ("role", "author", "conversation", "source", "trust", "tokens", "asks", "replaced", "is_code", "day"):
        assert len(set(getattr(known, name).tolist())) > 1, name
    assert 0 < known.relevant.sum() < len(known)


def test_a_suite_without_strategy_says_what_is_missing():
    """Forgetting `make_strategy` is an error that names it."""
    with pytest.raises(NotImplementedError, match=r"StrategySuite must define make_strategy"):
        StrategySuite().make_strategy()
