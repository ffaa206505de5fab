"""An encoder whose vectors have much in common, made of any other."""

import numpy as np

from streetai_core.encoders.base import Encoder
from streetai_core.encoders.common import TEXTS


class Narrow(Encoder):
    """Another encoder's vectors with a direction that all share: cosines begin at `share`, and lie closer together."""

    def __init__(self, encoder, share=0.7, *, symmetric=True):
        self._encoder, self._share, self._symmetric = encoder, share, symmetric
        self.calls = []
        self.fails = False
        self.down = False

    @property
    def fingerprint(self):
        """Not that of the other."""
        return f"narrow/{self._share}/{self._encoder.fingerprint}"

    @property
    def dim(self):
        """One more."""
        return self._encoder.dim + 1

    @property
    def symmetric(self):
        """As asked for."""
        return self._symmetric

    def embed(self, texts, kind):
        """The other's, with the shared direction; zeros for a text with "Qwrtz", which this one cannot read.

        It fails if it is `down`, or if it `fails` to tell what is common and is asked that.
        """
        self.calls.append((kind, tuple(texts)))
        if self.down or (self.fails and tuple(texts) == TEXTS):
            raise ConnectionError("no line")
        vectors = np.sqrt(1 - self._share) * self._encoder.encode(texts, kind)
        vectors = np.column_stack([vectors, np.full(len(texts), np.sqrt(self._share))])
        vectors[["Qwrtz" in text and kind == "document" for text in texts]] = 0.0
        return vectors

    @property
    def asked(self):
        """For which kinds it was asked what is common."""
        return [kind for kind, texts in self.calls if set(texts) <= set(TEXTS)]
