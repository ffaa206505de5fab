"""An encoder whose every cosine the test chooses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from streetai_core.encoders.base import Encoder, InputKind
from streetai_core.errors import EncoderError
from streetai_core.types import Matrix


class PlantedEncoder(Encoder):
    """Gives each text the vector that was planted for it; any other text is an error.

    For hand-computed numbers: plant what the cosines shall be, and check what comes out.
    """

    def __init__(self, vectors: Mapping[str, Sequence[float]]) -> None:
        self._vectors = {text: np.asarray(vector, dtype=np.float64) for text, vector in vectors.items()}
        self._dim = len(next(iter(self._vectors.values())))

    @property
    def fingerprint(self) -> str:
        """Planted vectors of one dimension count as one encoder."""
        return f"planted/{self._dim}"

    @property
    def dim(self) -> int:
        """Length of the planted vectors."""
        return self._dim

    def embed(self, texts: Sequence[str], kind: InputKind) -> Matrix:  # noqa: ARG002 - planted for both kinds
        """The planted vectors."""
        missing = [text for text in texts if text not in self._vectors]
        if missing:
            raise EncoderError(f"no vector was planted for {missing[0]!r}")
        return np.array([self._vectors[text] for text in texts], dtype=np.float64)


def at_cosine(cosine: float, *, axis: int = 1, dim: int = 8) -> list[float]:
    """A unit vector with this cosine to the first axis, and the rest of its length on another axis."""
    vector = [0.0] * dim
    vector[0] = cosine
    vector[axis] = math.sqrt(max(0.0, 1.0 - cosine * cosine))
    return vector
