"""Vectors for timings: a mixture of topics, made of each text by itself, so that no model takes part."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from math import isqrt

import numpy as np

from streetai_core.encoders.base import Encoder, InputKind
from streetai_core.errors import InputError
from streetai_core.types import Matrix

DIM = 384
"""That of all-MiniLM-L6-v2; the published product takes no other."""

ACROSS = 0.1
"""Cosine of two texts of different topics: about that of the model for unrelated chat messages."""

WITHIN = 0.6
"""Cosine of two texts of one topic: above the threshold at which texts share a stack."""

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


def _directions(generator: np.random.Generator, count: int) -> Matrix:
    """Random unit vectors, shape (count, 384)."""
    rows = generator.normal(size=(count, DIM))
    unit: Matrix = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _numbers(text: str) -> tuple[int, int, int]:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()
    return (
        int.from_bytes(digest[:4], "little"),
        int.from_bytes(digest[4:8], "little"),
        int.from_bytes(digest[8:], "little"),
    )
