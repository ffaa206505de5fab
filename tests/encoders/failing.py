"""Encoders that fail when a test wants it."""

from collections import Counter

from streetai_core.encoders.base import Encoder
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.encoders.wrapped import WrappedEncoder


class Breakable(WrappedEncoder):
    """Another encoder, by default the hashing one, whose model is gone while it is broken."""

    broken = False

    def __init__(self, encoder=None):
        super().__init__(HashingEncoder() if encoder is None else encoder)

    @property
    def has_worked(self):
        """Whether this one has; the other one's `encode` is never called."""
        return self._worked

    def common(self):
        """Told by this one, which may fail."""
        return Encoder.common(self)

    def embed(self, texts, kind):
        """Fail or embed."""
        if self.broken:
            raise OSError("the model is gone")
        return super().embed(texts, kind)


class Unsteady(Breakable):
    """It also fails always for texts with a forbidden word, makes nothing of "Hmm", and counts."""

    def __init__(self, *, broken=False, dim=64):
        super().__init__(HashingEncoder(dim=dim))
        self.broken = broken
        self.forbidden = "forbidden"
        self.embedded = Counter()
        self.calls = []

    def embed(self, texts, kind):
        """Fail or embed."""
        self.calls.append(len(texts))
        if any(self.forbidden in text for text in texts):
            raise OSError("the model refuses a text")
        rows = super().embed(texts, kind)
        self.embedded.update(texts)
        rows[[text.startswith("Hmm") for text in texts]] = 0.0
        return rows
