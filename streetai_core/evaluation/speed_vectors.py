"""Vectors for timings, made of each text by itself, so that no model takes part: of topics, or of what was said."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from math import isqrt

import numpy as np

from streetai_core.encoders.base import Encoder, InputKind
from streetai_core.errors import InputError
from streetai_core.types import Matrix, Vector

DIM = 384
"""That of all-MiniLM-L6-v2; the published product takes no other."""

ACROSS = 0.1
"""Cosine of two texts of different topics: about that of the model for unrelated chat messages."""

WITHIN = 0.6
"""Cosine of two texts of one topic: above the threshold at which texts share a stack."""

LIKE = 0.7
"""Cosine of a text that was not recorded with the recorded one that its vector is made of: near, and not the same."""

_NOISES = 4_096
"""Random directions; two of them make a text's own part, so that some 16 million texts of a topic differ."""

_SEED = 7


class TopicEncoder(Encoder):
    """`sqrt(a) u0 + sqrt(w - a) u_topic + sqrt(1 - w) noise`, normalised; a text always has the same vector.

    Good for timing at scale: it has a few large topics and easy neighbours. Nothing follows from it for what is found
    in real text.

    Args:
        size: how many texts it is for, from 1; there are as many topics as its square root.

    Raises:
        InputError: `size` is not a whole number from 1.
    """

    def __init__(self, size: int) -> None:
        if not isinstance(size, int) or size < 1:
            raise InputError(f"size must be a whole number from 1, not {size!r}")
        generator = np.random.default_rng(_SEED)
        centre = _directions(generator, 1)
        topics = _directions(generator, max(1, isqrt(size)))
        self._topics = np.sqrt(ACROSS) * centre + np.sqrt(WITHIN - ACROSS) * topics
        # Half of the noise each: the sum of two is as long as one.
        self._noises = np.sqrt((1 - WITHIN) / 2) * _directions(generator, _NOISES)

    @property
    def fingerprint(self) -> str:
        """The formula and the number of topics."""
        return f"topics/{DIM}/{len(self._topics)}"

    @property
    def dim(self) -> int:
        """384."""
        return DIM

    @property
    def symmetric(self) -> bool:
        """A question is like any other text."""
        return True

    def embed(self, texts: Sequence[str], kind: InputKind) -> Matrix:  # noqa: ARG002 - it embeds both kinds alike
        """The vectors of texts, shape (len(texts), 384)."""
        drawn = np.array([_numbers(text) for text in texts]).T
        topic, one, other = drawn[0] % len(self._topics), drawn[1] % _NOISES, drawn[2] % _NOISES
        mixed: Matrix = (self._topics[topic] + self._noises[one] + self._noises[other]).astype(np.float32)
        return mixed


class RecordedEncoder(Encoder):
    """The vectors of recorded texts; that of another text is `LIKE` to that of one of them.

    Memories that cut texts or put others around them are timed on vectors as real ones are, and without a model.

    Args:
        texts: what was said, not empty.
        vectors: unit vectors of these, shape (len(texts), dim).
        source: of which encoder they are.
    """

    def __init__(self, texts: Sequence[str], vectors: Matrix, source: str) -> None:
        self._row_of = {text: row for row, text in enumerate(texts)}
        self._vectors = vectors
        self._source = source
        noises = _directions(np.random.default_rng(_SEED), _NOISES, vectors.shape[1])
        # Half of the noise each, as above.
        self._noises = np.sqrt((1 - LIKE**2) / 2) * noises

    @property
    def fingerprint(self) -> str:
        """The encoder's that made the vectors, and how many there are."""
        return f"recorded/{self._source}/{len(self._vectors)}"

    @property
    def dim(self) -> int:
        """Length of the recorded vectors."""
        dim: int = self._vectors.shape[1]
        return dim

    @property
    def symmetric(self) -> bool:
        """A question is like any other text."""
        return True

    def embed(self, texts: Sequence[str], kind: InputKind) -> Matrix:  # noqa: ARG002 - it embeds both kinds alike
        """The vectors of texts, shape (len(texts), dim)."""
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Vector:
        row = self._row_of.get(text)
        if row is not None:
            known: Vector = self._vectors[row]
            return known
        drawn, one, other = _numbers(text)
        nearest = LIKE * self._vectors[drawn % len(self._vectors)]
        like: Vector = nearest + self._noises[one % _NOISES] + self._noises[other % _NOISES]
        return like


def _directions(generator: np.random.Generator, count: int, dim: int = DIM) -> Matrix:
    """Random unit vectors, shape (count, dim)."""
    rows = generator.normal(size=(count, dim))
    unit: Matrix = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _numbers(text: str) -> tuple[int, int, int]:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()
    return (
        int.from_bytes(digest[:4], "little"),
        int.from_bytes(digest[4:8], "little"),
        int.from_bytes(digest[8:], "little"),
    )
