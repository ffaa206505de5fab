"""What stands in for an encoder that is out of order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from streetai_core.encoders.base import InputKind
from streetai_core.encoders.wrapped import WrappedEncoder
from streetai_core.types import Matrix


class AbsentEncoder(WrappedEncoder):
    """An encoder that is out of order: its texts have no vectors yet, which is what zeros say."""

    def encode(self, texts: Sequence[str], kind: InputKind = "document") -> Matrix:  # noqa: ARG002 - neither kind has any
        """Zeros, shape (len(texts), dim)."""
        return np.zeros((len(texts), self.dim), dtype=np.float32)
