"""The hashing encoder: the same bits everywhere, near for like texts."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.encoders import HashingEncoder
from streetai_core.errors import InputError
from streetai_core.testing.encoder_suite import EncoderSuite

ANY_TEXT = st.text(st.characters(), max_size=200)


class TestConformance(EncoderSuite):
    """The hashing encoder is an encoder."""

    def make_encoder(self):
        """A new instance."""
        return HashingEncoder()


def naive(text, dim):
    """The embedding of a text of plain lower-case words, feature by feature."""
    row = [0] * dim
    for word, count in Counter(text.split()).items():
        edged = f"<{word}>"
        features = [(f"word {word}", 2)] + [(edged[i : i + 3], 1) for i in range(len(edged) - 2)]
        for feature, weight in features:
            number = int.from_bytes(blake2b(feature.encode(), digest_size=8).digest(), "little")
            times = {1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 6: 3, 7: 3, 8: 4}[count]
            row[(number // 2) % dim] += times * weight * (1 if number % 2 else -1)
    return row


@pytest.mark.parametrize("dim", [1, 7, 256])
def test_vectors_are_the_sums_of_their_features(dim):
    """Every row equals a sum that is done feature by feature."""
    texts = ["the ship", "a a a a a a a a", "", "the ship saw the ship and the lamp", "aaaa aaa"]
    found = HashingEncoder(dim).embed(texts, "document")
    assert found.tolist() == [naive(text, dim) for text in texts]


def test_the_bits_are_the_same_on_every_machine():
    """The checksum of some vectors is the one written down here."""
    matrix = HashingEncoder().encode(["The keeper counted 40 ships.", "Grüße, Ελλάδα, 東京!", "¿?", ""])
    assert hashlib.sha256(matrix.astype("<f4").tobytes()).hexdigest() == (
        "1d17d7a2867e84563ed979a3617d2f30289524bc07e122a84bc0be8a671995ee"
    )


def test_another_process_gives_the_same_bits():
    """Python's own randomised hash has no part in it."""
    program = (
        "from streetai_core.encoders import HashingEncoder\n"
        "print(HashingEncoder().encode(['The keeper counted ships.']).tobytes().hex())\n"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    ).stdout
    assert printed.strip() == HashingEncoder().encode(["The keeper counted ships."]).tobytes().hex()


def test_texts_that_share_words_are_nearer():
    """Nearness follows shared words, then shared parts of words, then nothing."""
    question, same, inflected, other = HashingEncoder().encode(
        [
            "which ships did the keeper count",
            "the keeper did count which ships",
            "a keeper's counting of the ship",
            "grandma bakes apple cake in autumn",
        ]
    )
    assert question @ same == pytest.approx(1.0, abs=1e-6)
    assert 0.3 < question @ inflected < 0.95
    assert question @ other < 0.2


def test_case_and_unicode_form_do_not_matter():
    """Upper case, full-width letters and combined accents give one vector."""
    rows = HashingEncoder().encode(["café straße", "CAFÉ STRASSE", "cafe\u0301 strasse", "ｃａｆé straße"])
    assert all(np.array_equal(rows[0], row) for row in rows)


def test_blank_texts_have_no_vector_and_symbols_have_one():
    """Whitespace gives zeros; a text of symbols alone still has a direction."""
    rows = HashingEncoder().encode(["", " \n\t", "🎉", "???"])
    assert [bool(row.any()) for row in rows] == [False, False, True, True]
    assert not np.allclose(rows[2], rows[3])


def test_scripts_without_spaces_share_pieces():
    """A sentence in one long run is near another with the same run in it."""
    rows = HashingEncoder().encode(
        ["我妹妹对猫过敏所以我们养了一只乌龟", "我们养了一只乌龟", "明日の会議は何時からですか"]
    )
    assert rows[0] @ rows[1] > 0.3
    assert rows[0] @ rows[2] < 0.2


@given(st.lists(ANY_TEXT, max_size=6), st.integers(1, 64))
def test_any_text_has_a_unit_vector_or_none(texts, dim):
    """Whatever is written, rows have length 1 or 0, and are the same alone."""
    encoder = HashingEncoder(dim)
    matrix = encoder.encode(texts)
    lengths = np.linalg.norm(matrix.astype(np.float64), axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-6) | (lengths == 0))
    for row, text in zip(matrix, texts, strict=True):
        assert np.array_equal(encoder.encode([text], "query")[0], row)


def test_the_fingerprint_has_the_dimension():
    """Encoders of another dimension are others."""
    assert HashingEncoder(256).fingerprint == "hashing/1/256"
    assert HashingEncoder(64).fingerprint == "hashing/1/64"


@pytest.mark.parametrize("dim", [0, -1, 2.0, "256"])
def test_the_dimension_must_be_a_positive_number(dim):
    """A dimension that makes no sense is refused."""
    with pytest.raises(InputError, match="dim must be a whole number from 1"):
        HashingEncoder(dim)
