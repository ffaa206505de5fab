"""Encoders that fail when a test wants it."""

from collections import Counter

from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.encoders.wrapped import WrappedEncoder
from streetai_core.errors import EncoderError


class Breakable(WrappedEncoder):
    """Another encoder, which fails while it is broken."""

    broken = False

    def encode(self, texts, kind="document"):
        """Fail or encode."""
        if self.broken:
            raise EncoderError("could not embed") from OSError("the model is gone")
        return super().encode(texts, kind)

    def embed(self, texts, kind):
        """The encoder's, which remembers that it has worked."""
        return self.wrapped.encode(texts, kind)


class Unsteady(HashingEncoder):
    """Fails while it is broken, and always for texts with a forbidden word; makes nothing of "Hmm" and counts."""

    def __init__(self, *, broken=False, dim=64):
        super().__init__(dim=dim)
        self.broken = broken
        self.forbidden = "forbidden"
        self.embedded = Counter()
        self.calls = []

    def embed(self, texts, kind):
        """Fail or encode."""
        self.calls.append(len(texts))
        if self.broken or any(self.forbidden in text for text in texts):
            raise OSError("the model is gone")
        self.embedded.update(texts)
        rows = super().embed(texts, kind)
        rows[[text.startswith("Hmm") for text in texts]] = 0.0
        return rows
