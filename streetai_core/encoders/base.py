"""The contract of an encoder: text in, unit vectors out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from operator import index
from typing import Literal, SupportsIndex, TypeAlias

import numpy as np

from streetai_core.encoders.common import QUESTIONS, TEXTS, common_cosine
from streetai_core.errors import EncoderError, StreetAIError
from streetai_core.types import Matrix

InputKind: TypeAlias = Literal["query", "document"]

_ZERO_NORM = 1e-12
"""Below this length a vector has no direction; it is stored as zeros, "no vector"."""


class Encoder(ABC):
    """Turns texts into unit vectors.

    Write `fingerprint`, `dim` and `embed`; `encode` is derived and is what the library calls. An encoder is
    used from several threads at once.
    """

    _common: float | None = None
    """What all vectors have in common, once it was asked for."""
    _worked: bool = False

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Name, dimension, precision and weights in one string; vectors of another one are never mixed in."""

    @property
    @abstractmethod
    def dim(self) -> int:
        """Length of a vector."""

    @abstractmethod
    def embed(self, texts: Sequence[str], kind: InputKind) -> Matrix:
        """Raw embeddings of `texts`, shape (len(texts), dim); need not be normalised."""

    @property
    def max_tokens(self) -> int | None:
        """How many tokens of a text the model reads, from 1 on; `None` when there is no limit."""
        return None

    @property
    def symmetric(self) -> bool:
        """Whether a text has the same vector as a query and as a document, so that a cache may share it."""
        return False

    @property
    def is_local(self) -> bool:
        """Whether it surely computes in this process, so that more threads than processors gain nothing."""
        return False

    @property
    def joins_calls(self) -> bool:
        """Whether it answers calls from several threads at once together, so that more threads may wait for it."""
        return False

    @property
    def has_worked(self) -> bool:
        """Whether it has embedded something: if it fails after that it is out of order, and not set up wrong."""
        return self._worked

    def made(self, fingerprint: str) -> bool:
        """Whether vectors under this fingerprint are its own.

        Raises:
            EncoderError: it fails, and must embed something to tell.
        """
        return self.fingerprint == fingerprint

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens that the model sees in each text, special tokens included.

        An encoder with a `max_tokens` overrides this with its own tokenizer. The default, one per
        character, can only overestimate.
        """
        return [len(text) for text in texts]

    def common(self) -> float:
        """What all vectors have in common, 0 to .95: the cosine of texts that have nothing to do with each other.

        Two dozen short texts are embedded to tell, once. It is asked only for memories whose signals are all near each
        other; an encoder that knows it overrides this.

        Raises:
            EncoderError: the model failed.
        """
        if self._common is None:
            messages = self.encode(TEXTS, "document")
            questions = messages if self.symmetric else self.encode(QUESTIONS, "query")
            self._common = common_cosine(questions, messages)
        return self._common

    def forget(self, texts: Sequence[str]) -> None:  # noqa: B027 - most keep nothing
        """Drop what is kept of texts that were erased."""

    def encode(self, texts: Sequence[str], kind: InputKind = "document") -> Matrix:
        """Unit vectors of `texts`, shape (len(texts), dim) float32; a text without meaning gives zeros.

        Raises:
            EncoderError: the model failed, or returned something that is not `len(texts)` finite vectors of `dim`.
        """
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        try:
            raw = self.embed(texts, kind)
        except StreetAIError:
            raise
        except Exception as error:
            raise EncoderError(f"{self.fingerprint} could not embed {len(texts)} texts: {error}") from error
        rows = unit_rows(raw, rows=len(texts), dim=self.dim)
        self._worked = True
        return rows


def counted_tokens(encoder: Encoder, texts: Sequence[str]) -> list[int]:
    """What `count_tokens` of an encoder gives, if it is a number for each text.

    Raises:
        EncoderError: the encoder failed, or returned something else.
    """
    try:
        counts = [index(count) for count in encoder.count_tokens(texts)]
    except StreetAIError:
        raise
    except Exception as error:
        raise EncoderError(
            f"{encoder.fingerprint} could not count the tokens of {len(texts)} texts: {error}"
        ) from error
    if len(counts) != len(texts):
        raise EncoderError(f"{encoder.fingerprint} counted the tokens of {len(counts)} of {len(texts)} texts")
    return counts


def token_limit(encoder: Encoder) -> int | None:
    """What `max_tokens` of an encoder is, if it can be one.

    Raises:
        EncoderError: the encoder failed, or has something else.
    """
    try:
        limit: object = encoder.max_tokens
    except StreetAIError:
        raise
    except Exception as error:
        raise EncoderError(f"{encoder.fingerprint} could not tell its max_tokens: {error}") from error
    if limit is None:
        return None
    if isinstance(limit, SupportsIndex) and index(limit) >= 1:
        return index(limit)
    raise EncoderError(f"{encoder.fingerprint}: its max_tokens must be None or a whole number from 1 on, got {limit!r}")


def unit_rows(raw: object, *, rows: int, dim: int) -> Matrix:
    """`raw` as float32 unit rows of shape (rows, dim); rows of length zero stay zero.

    Raises:
        EncoderError: wrong shape, not numeric, or too large for a length that is finite.
    """
    try:
        matrix = np.array(raw, dtype=np.float64, copy=True)
    except (TypeError, ValueError) as error:
        raise EncoderError(f"the encoder returned something that is not a matrix of numbers: {error}") from error
    if matrix.shape != (rows, dim):
        raise EncoderError(f"the encoder returned shape {matrix.shape}, expected {(rows, dim)}")
    # That of numbers whose squares are beyond the largest number there is would be infinite, and the vector zero.
    with np.errstate(over="ignore"):
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.isfinite(norms).all():
        bad = int(np.flatnonzero(~np.isfinite(norms[:, 0]))[0])
        raise EncoderError(f"the encoder returned NaN, infinity or a number beyond 1e154 for text {bad} of {rows}")
    matrix = np.divide(matrix, norms, out=np.zeros_like(matrix), where=norms > _ZERO_NORM)
    return np.ascontiguousarray(matrix, dtype=np.float32)
