"""The base of encoders that stand in front of another one."""

from __future__ import annotations

from collections.abc import Sequence

from streetai_core.encoders.base import Encoder, InputKind
from streetai_core.types import Matrix


class WrappedEncoder(Encoder):
    """Another encoder under the same fingerprint; override `encode` to save it work.

    Args:
        encoder: does the work.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    @property
    def wrapped(self) -> Encoder:
        """The encoder that does the work."""
        return self._encoder

    @property
    def fingerprint(self) -> str:
        """The encoder's: a kept vector is its vector."""
        return self._encoder.fingerprint

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._encoder.dim

    @property
    def symmetric(self) -> bool:
        """The encoder's; if so, a question that becomes a message is encoded once."""
        return self._encoder.symmetric

    @property
    def is_local(self) -> bool:
        """Whether the encoder is."""
        return self._encoder.is_local

    @property
    def joins_calls(self) -> bool:
        """Whether the encoder does."""
        return self._encoder.joins_calls

    @property
    def has_worked(self) -> bool:
        """Whether the encoder has."""
        return self._encoder.has_worked

    def made(self, fingerprint: str) -> bool:
        """Whether the encoder has made them."""
        return self._encoder.made(fingerprint)

    def common(self) -> float:
        """The encoder's."""
        return self._encoder.common()

    @property
    def max_tokens(self) -> int | None:
        """The encoder's limit."""
        return self._encoder.max_tokens

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """The encoder's count."""
        return self._encoder.count_tokens(texts)

    def embed(self, texts: Sequence[str], kind: InputKind) -> Matrix:
        """The encoder's raw embeddings, shape (len(texts), dim)."""
        return self._encoder.embed(texts, kind)
