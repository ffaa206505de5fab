"""What every encoder has to do, as tests to inherit.

    class TestMyEncoder(EncoderSuite):
        def make_encoder(self):
            return MyEncoder()

pytest collects the inherited tests; nothing else is needed.
"""

# ruff: noqa: S101 - assert is how a pytest suite reports; the library itself never imports this module

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from streetai_core.encoders.base import Encoder, InputKind

TOLERANCE = 1e-3
"""Largest difference in any component that still counts as the same unit vector. Models may round differently in
batches of another shape; differences of this size move a cosine by less than any threshold is precise."""

_UNIT = 1e-5
"""float32 keeps about seven digits, so a unit vector's length is off by less."""

_THREADS = 8
"""More than the cores of a small machine, so that calls really overlap."""

KINDS: tuple[InputKind, ...] = ("document", "query")

TEXTS = (
    "I am vegetarian and I love cooking.",
    "The train to Bologna leaves from platform seven.",
    "ok",
    "def mean(values):\n    return sum(values) / len(values)",
    "Где мои ключи? 明日の会議は何時からですか。 🎉",
    "On Monday we talked about the budget, the suppliers and the plan for May. " * 8,
)
"""Short, long, code, other scripts: enough that an encoder which mixes up rows is found out."""


class EncoderSuite:
    """Conformance tests of `Encoder`. Subclass it with `make_encoder`; each test makes one of its own."""

    def make_encoder(self) -> Encoder:
        """A new encoder, set up the same way each time."""
        raise NotImplementedError(f"{type(self).__name__} must define make_encoder()")

    def test_fingerprint_is_stable_and_names_something(self) -> None:
        """Two encoders made alike have the same fingerprint, and it is not blank."""
        first, second = self.make_encoder().fingerprint, self.make_encoder().fingerprint
        assert first == second, f"the fingerprint changed from {first!r} to {second!r}"
        assert first.strip(), "the fingerprint is blank"

    def test_using_it_does_not_change_the_fingerprint(self) -> None:
        """A fingerprint that is read before the first vector is the one after it."""
        encoder = self.make_encoder()
        before = encoder.fingerprint
        encoder.encode(TEXTS)
        assert encoder.fingerprint == before

    def test_vectors_are_unit_rows_of_dim(self) -> None:
        """The result is (n, dim) float32, C-contiguous, finite, every row of length 1 or all zeros."""
        encoder = self.make_encoder()
        for kind in KINDS:
            matrix = encoder.encode(TEXTS, kind)
            assert matrix.shape == (len(TEXTS), encoder.dim), f"shape {matrix.shape}"
            assert matrix.dtype == np.float32, f"dtype {matrix.dtype}"
            assert matrix.flags.c_contiguous, "not C-contiguous"
            lengths = np.linalg.norm(matrix.astype(np.float64), axis=1)
            assert np.all(np.isclose(lengths, 1.0, atol=_UNIT)), f"lengths {lengths}"

    def test_no_texts_give_no_rows(self) -> None:
        """An empty list is a (0, dim) matrix, not an error."""
        encoder = self.make_encoder()
        for kind in KINDS:
            assert encoder.encode([], kind).shape == (0, encoder.dim)

    def test_blank_texts_are_accepted(self) -> None:
        """Blank texts give a row each, of length 1 or 0, and do not disturb their neighbours."""
        encoder = self.make_encoder()
        matrix = encoder.encode(["", TEXTS[0], " \n\t"])
        lengths = np.linalg.norm(matrix, axis=1)
        assert np.all(np.isclose(lengths, 1.0, atol=_UNIT) | (lengths == 0.0)), f"lengths {lengths}"
        _assert_same(matrix[1:2], encoder.encode([TEXTS[0]]))

    def test_the_same_text_has_the_same_vector(self) -> None:
        """Encoding twice, and with another instance, gives the same vectors."""
        encoder = self.make_encoder()
        for kind in KINDS:
            first = encoder.encode(TEXTS, kind)
            _assert_same(first, encoder.encode(TEXTS, kind))
            _assert_same(first, self.make_encoder().encode(TEXTS, kind))

    def test_rows_are_in_the_order_of_the_texts(self) -> None:
        """Row i belongs to text i, whatever else is in the batch."""
        encoder = self.make_encoder()
        for kind in KINDS:
            together = encoder.encode(TEXTS, kind)
            alone = np.vstack([encoder.encode([text], kind) for text in TEXTS])
            _assert_same(together, alone)
            _assert_same(together[::-1], encoder.encode(TEXTS[::-1], kind))

    def test_different_texts_have_different_vectors(self) -> None:
        """No two of the sample texts share a direction."""
        matrix = self.make_encoder().encode(TEXTS)
        closeness = matrix @ matrix.T - 2 * np.eye(len(TEXTS), dtype=np.float32)
        assert closeness.max() < 1 - TOLERANCE, f"two texts have cosine {closeness.max()}"

    def test_a_rewording_is_nearer_than_another_subject(self) -> None:
        """Vectors carry what a text is about."""
        encoder = self.make_encoder()
        question = encoder.encode(["Which vegetarian dish do I love cooking?"], "query")[0]
        near, far = encoder.encode(TEXTS[:2]) @ question
        assert near > far, f"cosine {near} to the text it is about, {far} to another"

    def test_symmetric_means_one_vector_a_text(self) -> None:
        """An encoder that says it is symmetric gives queries and documents the same vectors."""
        encoder = self.make_encoder()
        if encoder.symmetric:
            _assert_same(encoder.encode(TEXTS, "query"), encoder.encode(TEXTS, "document"))

    def test_what_is_common_is_a_share(self) -> None:
        """Whatever the model, some texts are nearer than others."""
        common = self.make_encoder().common()
        assert 0 <= common < 1, f"all vectors have {common} in common"

    def test_results_are_not_shared(self) -> None:
        """Writing into a result changes no later result."""
        encoder = self.make_encoder()
        first = encoder.encode(TEXTS)
        kept = first.copy()
        first[:] = 0
        _assert_same(encoder.encode(TEXTS), kept)

    def test_tokens_are_counted_text_by_text(self) -> None:
        """There is a count for each text, none negative, and a longer text has no fewer."""
        encoder = self.make_encoder()
        counts = encoder.count_tokens(["", "one", "one two three", "one two three " * 500])
        assert len(counts) == 4, f"{len(counts)} counts for 4 texts"  # noqa: PLR2004 - the list above
        assert counts[0] >= 0, f"counts {counts}"
        assert counts == sorted(counts), f"counts {counts} of texts that only get longer"
        assert encoder.count_tokens([]) == []

    def test_max_tokens_is_none_or_positive(self) -> None:
        """A limit, if there is one, lets at least one token through."""
        limit = self.make_encoder().max_tokens
        assert limit is None or limit > 0, f"max_tokens is {limit}"

    def test_threads_get_the_same_vectors(self) -> None:
        """Several threads use one encoder at once and each gets what a single thread gets."""
        encoder = self.make_encoder()
        with ThreadPoolExecutor(_THREADS) as threads:
            results = list(threads.map(lambda _: encoder.encode(TEXTS), range(_THREADS)))
        expected = self.make_encoder().encode(TEXTS)
        for result in results:
            _assert_same(result, expected)


def _assert_same(found: np.ndarray, expected: np.ndarray) -> None:
    assert found.shape == expected.shape, f"shape {found.shape} instead of {expected.shape}"
    difference = float(np.abs(found - expected).max())
    assert difference <= TOLERANCE, f"vectors differ by up to {difference}"
