"""The cache: right rows, few encodings, nothing shared, no lock held."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.encoders import CachedEncoder, HashingEncoder, OfflineMiniLM
from streetai_core.errors import EncoderError, InputError
from streetai_core.testing.encoder_suite import EncoderSuite
from tests.encoders.failing import Breakable


class Recording(HashingEncoder):
    """A hashing encoder that writes down what it is given, and tells queries from documents if it shall."""

    def __init__(self, *, symmetric=True):
        super().__init__(64)
        self.calls = []
        self._symmetric = symmetric

    @property
    def symmetric(self):
        """As asked for."""
        return self._symmetric

    def embed(self, texts, kind):
        """Hash, with the kind as part of the text unless symmetric."""
        self.calls.append((kind, list(texts)))
        return super().embed([text if self._symmetric else f"{kind}: {text}" for text in texts], kind)


class TestConformance(EncoderSuite):
    """A cached encoder is an encoder."""

    def make_encoder(self):
        """A cache that is too small for the sample texts, so that rows come and go."""
        return CachedEncoder(HashingEncoder(), capacity=3)


def test_a_text_is_encoded_once():
    """The second time nothing is encoded, and the vector is the same."""
    inner = Recording()
    cached = CachedEncoder(inner)
    first = cached.encode(["ship", "lamp"])
    assert np.array_equal(cached.encode(["lamp", "ship"]), first[::-1])
    assert inner.calls == [("document", ["ship", "lamp"])]
    assert np.array_equal(first, HashingEncoder(64).encode(["ship", "lamp"]))


def test_only_what_is_missing_is_encoded_once_in_one_call():
    """Of a batch, each text that is not at hand is encoded once, all of them in one call."""
    inner = Recording()
    cached = CachedEncoder(inner)
    cached.encode(["ship"])
    matrix = cached.encode(["lamp", "ship", "lamp", "book", "ship"])
    assert inner.calls[1:] == [("document", ["lamp", "book"])]
    assert np.array_equal(matrix, HashingEncoder(64).encode(["lamp", "ship", "lamp", "book", "ship"]))


def test_hits_and_misses_add_up_to_the_texts():
    """Misses are the texts that were encoded, hits all others."""
    cached = CachedEncoder(HashingEncoder())
    cached.encode(["ship", "lamp", "ship"])
    assert (cached.hits, cached.misses) == (1, 2)
    cached.encode(["ship", "book"])
    cached.encode([])
    assert (cached.hits, cached.misses) == (2, 3)


def test_queries_and_documents_share_rows_only_if_symmetric():
    """A question is encoded anew as a message only where that gives another vector."""
    asymmetric = Recording(symmetric=False)
    cached = CachedEncoder(asymmetric)
    question, message = cached.encode(["ship"], "query"), cached.encode(["ship"], "document")
    assert len(asymmetric.calls) == 2
    assert not np.allclose(question, message)
    symmetric = Recording()
    cached = CachedEncoder(symmetric)
    assert np.array_equal(cached.encode(["ship"], "query"), cached.encode(["ship"], "document"))
    assert len(symmetric.calls) == 1


def test_the_least_recently_used_goes_first():
    """What was asked for last stays; reading counts as use."""
    inner = Recording()
    cached = CachedEncoder(inner, capacity=2)
    for text in ("ship", "lamp", "ship", "book", "ship", "lamp"):
        cached.encode([text])
    assert [texts for _, texts in inner.calls] == [["ship"], ["lamp"], ["book"], ["lamp"]]


def test_a_batch_larger_than_the_cache_is_right():
    """Rows that do not stay are returned all the same, and no more than the capacity stays."""
    texts = [f"ship {number}" for number in range(10)]
    cached = CachedEncoder(HashingEncoder(), capacity=3)
    assert np.array_equal(cached.encode(texts), HashingEncoder().encode(texts))
    assert len(cached._rows) == 3


def test_results_are_no_windows_into_the_cache():
    """Writing into a result, of a miss or of a hit, changes no later one."""
    cached = CachedEncoder(HashingEncoder())
    expected = HashingEncoder().encode(["ship"])
    for _ in range(3):
        result = cached.encode(["ship"])
        assert np.array_equal(result, expected)
        result[:] = 7


def test_a_failure_is_not_cached():
    """After an error the text is encoded as if nothing had been."""
    model = Breakable()
    cached = CachedEncoder(model)
    model.broken = True
    with pytest.raises(EncoderError, match="the model is gone"):
        cached.encode(["ship"])
    model.broken = False
    assert np.array_equal(cached.encode(["ship"]), HashingEncoder().encode(["ship"]))
    assert (cached.hits, cached.misses) == (0, 1)


def test_others_are_served_while_one_encodes():
    """The lock is free while the encoder works: a thread with a hit does not wait for one with a miss."""

    class Waiting(HashingEncoder):
        """Takes as long over "slow" as it is told to."""

        started, may_finish = Event(), Event()

        def embed(self, texts, kind):
            """Hash, once allowed to."""
            if "slow" in texts:
                self.started.set()
                assert self.may_finish.wait(timeout=30)
            return super().embed(texts, kind)

    inner = Waiting()
    cached = CachedEncoder(inner)
    cached.encode(["ship"])
    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(cached.encode, ["slow"])
        assert inner.started.wait(timeout=30)
        assert cached.encode(["ship"]).any()
        assert not slow.done()
        inner.may_finish.set()
        assert np.array_equal(slow.result(timeout=30), HashingEncoder().encode(["slow"]))


def test_everything_else_is_the_inner_encoders():
    """Fingerprint, dimension, limit, token counts and raw embeddings are passed through."""
    inner = OfflineMiniLM()
    cached = CachedEncoder(inner)
    assert (cached.fingerprint, cached.dim, cached.symmetric) == (inner.fingerprint, 384, True)
    assert cached.is_local
    assert cached.max_tokens == inner.max_tokens == 256
    assert cached.count_tokens(["hello world", ""]) == [4, 2]
    assert np.array_equal(cached.embed(["hello"], "query"), inner.embed(["hello"], "query"))
    assert (cached.hits, cached.misses) == (0, 0)


def test_lone_surrogates_are_told_apart():
    """Texts that have no UTF-8 form have keys of their own."""
    cached = CachedEncoder(HashingEncoder())
    rows = cached.encode(["\ud800", "\udfff", "?"])
    assert cached.misses == 3
    assert np.array_equal(rows, HashingEncoder().encode(["\ud800", "\udfff", "?"]))


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=12), max_size=8), st.integers(1, 10))
def test_whatever_the_order_rows_are_the_encoders(batches, capacity):
    """Any sequence of batches gives the rows that the encoder alone gives, within the capacity."""
    cached = CachedEncoder(HashingEncoder(16), capacity=capacity)
    for batch in batches:
        assert np.array_equal(cached.encode(batch), HashingEncoder(16).encode(batch))
        assert len(cached._rows) <= capacity
    assert cached.hits + cached.misses == sum(map(len, batches))


@pytest.mark.parametrize("capacity", [0, -1, 1.5, None])
def test_the_capacity_must_be_a_positive_number(capacity):
    """A cache that can hold nothing is refused."""
    with pytest.raises(InputError, match="capacity must be a whole number from 1"):
        CachedEncoder(HashingEncoder(), capacity=capacity)
