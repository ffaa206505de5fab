"""The conformance suite finds the faults that it is there for."""

import inspect

import numpy as np
import pytest

from streetai_core.encoders import HashingEncoder
from streetai_core.testing.encoder_suite import EncoderSuite

TESTS = sorted(name for name, _ in inspect.getmembers(EncoderSuite, inspect.isfunction) if name.startswith("test_"))


class Unsteady(HashingEncoder):
    """Never the same vector, never the same fingerprint."""

    def __init__(self):
        super().__init__()
        self.random = np.random.default_rng()

    @property
    def fingerprint(self):
        """Another one each time."""
        return f"unsteady/{self.random.integers(1 << 60)}"

    def embed(self, texts, kind):
        """Noise."""
        return self.random.normal(size=(len(texts), self.dim))


class BatchBound(HashingEncoder):
    """Gives the rows in reverse order."""

    def embed(self, texts, kind):
        """Reversed."""
        return super().embed(texts, kind)[::-1]


class Constant(HashingEncoder):
    """Has one vector for everything."""

    def embed(self, texts, kind):
        """Ones."""
        return np.ones((len(texts), self.dim))


class Silent(HashingEncoder):
    """Has no vector for anything."""

    def embed(self, texts, kind):
        """Zeros."""
        return np.zeros((len(texts), self.dim))


class Aliased(HashingEncoder):
    """Hands out the same array again."""

    def __init__(self):
        super().__init__()
        self.kept = {}

    def encode(self, texts, kind="document"):
        """What it gave before, not copied."""
        key = (tuple(texts), kind)
        if key not in self.kept:
            self.kept[key] = super().encode(texts, kind)
        return self.kept[key]


class Lopsided(HashingEncoder):
    """Says that it is symmetric and is not."""

    def embed(self, texts, kind):
        """The kind is part of the text."""
        return super().embed([f"{kind} {text}" for text in texts], kind)


class Miscounting(HashingEncoder):
    """Counts backwards, and has a limit of nothing."""

    max_tokens = 0

    def count_tokens(self, texts):
        """Fewer for longer texts."""
        return [-len(text) for text in texts]


class Nameless(HashingEncoder):
    """Has a blank fingerprint, which grows when it is used, and double-precision rows."""

    fingerprint = " "

    def encode(self, texts, kind="document"):
        """Rows of another type, none of them for no texts, and only for something written."""
        if not all(text.strip() for text in texts):
            raise ValueError("blank")
        self.fingerprint += "x"
        return super().encode(texts, kind).astype(np.float64) if texts else np.zeros((0, 1))


class Undiscerning(HashingEncoder):
    """Says that its vectors have all in common, so that nothing would be left to tell."""

    def common(self):
        """All."""
        return 1.0


def failures(encoder):
    """The suite's tests that fail for an encoder class."""

    class Suite(EncoderSuite):
        """The suite over that class."""

        def make_encoder(self):
            """A new instance."""
            return encoder()

    failed = set()
    for name in TESTS:
        try:
            getattr(Suite(), name)()
        except (AssertionError, ValueError):
            failed.add(name)
    return failed


FAULTS = {
    Unsteady: {"test_the_same_text_has_the_same_vector", "test_fingerprint_is_stable_and_names_something"},
    BatchBound: {"test_rows_are_in_the_order_of_the_texts"},
    Constant: {"test_different_texts_have_different_vectors", "test_a_rewording_is_nearer_than_another_subject"},
    Silent: {"test_vectors_are_unit_rows_of_dim"},
    Aliased: {"test_results_are_not_shared"},
    Lopsided: {"test_symmetric_means_one_vector_a_text"},
    Miscounting: {"test_tokens_are_counted_text_by_text", "test_max_tokens_is_none_or_positive"},
    Undiscerning: {"test_what_is_common_is_a_share"},
    Nameless: {
        "test_blank_texts_are_accepted",
        "test_no_texts_give_no_rows",
        "test_using_it_does_not_change_the_fingerprint",
    },
}


@pytest.mark.parametrize("encoder", FAULTS, ids=lambda encoder: encoder.__name__)
def test_a_faulty_encoder_fails(encoder):
    """Each fault is found by the test that is named after the rule."""
    assert FAULTS[encoder] <= failures(encoder)


def test_every_test_of_the_suite_can_fail():
    """There is no test in the suite that all the faulty encoders pass."""
    found = set().union(*map(failures, FAULTS))
    assert found == set(TESTS)


def test_a_sound_encoder_passes():
    """The suite has nothing against an encoder that keeps the contract."""
    assert failures(HashingEncoder) == set()


def test_a_suite_without_encoder_says_what_is_missing():
    """Forgetting `make_encoder` is an error that names it."""
    with pytest.raises(NotImplementedError, match=r"EncoderSuite must define make_encoder"):
        EncoderSuite().make_encoder()
