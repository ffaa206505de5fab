"""A cache in front of an encoder: what was encoded lately is not encoded again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from streetai_core.encoders.base import Encoder, InputKind
from streetai_core.encoders.wrapped import WrappedEncoder
from streetai_core.errors import InputError
from streetai_core.forking import fork_safe_lock
from streetai_core.handles import Handle
from streetai_core.types import Matrix, Vector

CAPACITY = 8_192
"""Vectors kept. One of 384 float32 is 1,536 bytes, about 1,900 with its key: 16 MB in all, a tenth of the model."""

KEY_BYTES = 16
"""Of a 128-bit hash; two texts of a full cache share one by accident once in 10^31 caches."""


def text_key(text: str, kind: InputKind, *, symmetric: bool) -> bytes:
    """What a cache keeps in place of a text: `KEY_BYTES` bytes, from which the text cannot be told.

    Args:
        text: any text.
        kind: what it is embedded as.
        symmetric: whether the encoder embeds both kinds alike, so that they have one key.
    """
    side = b"" if symmetric else kind.encode()
    # Lone surrogates have no UTF-8 form; whether they may be encoded is not for a cache to say.
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES, person=side).digest()


class CachedEncoder(Handle, WrappedEncoder):
    """Another encoder with its latest vectors at hand, the least recently used going first.

    Texts are kept as hashes only. One instance serves all memories of a process, from several threads.

    Args:
        encoder: does the work.
        capacity: how many vectors are kept, from 1.

    Raises:
        InputError: `capacity` is not a whole number from 1.
    """

    def __init__(self, encoder: Encoder, capacity: int = CAPACITY) -> None:
        if not isinstance(capacity, int) or capacity < 1:
            raise InputError(f"capacity must be a whole number from 1, not {capacity!r}")
        super().__init__(encoder)
        self._capacity = capacity
        self._rows: OrderedDict[bytes, Vector] = OrderedDict()
        self._lock = fork_safe_lock()
        self._hits = 0
        self._misses = 0

    @property
    def hits(self) -> int:
        """Texts that did not have to be encoded, the repeated ones of a batch included."""
        return self._hits

    @property
    def misses(self) -> int:
        """Texts that the encoder was given."""
        return self._misses

    def encode(self, texts: Sequence[str], kind: InputKind = "document") -> Matrix:
        """Unit vectors of `texts`, shape (len(texts), dim) float32; one call of the encoder for those not at hand.

        Raises:
            EncoderError: the encoder failed, or returned something that is not `len(texts)` finite vectors of `dim`;
                nothing was cached.
        """
        if not texts:
            return self._encoder.encode(texts, kind)
        keys = [self._key(text, kind) for text in texts]
        rows = self._take(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
        if missing:
            # Outside the lock: others find what they need meanwhile.
            encoded = self._encoder.encode(list(missing.values()), kind)
            fresh = {key: row.copy() for key, row in zip(missing, encoded, strict=True)}
            self._keep(fresh)
            rows.update(fresh)
        self._count(asked=len(texts), encoded=len(missing))
        return np.array([rows[key] for key in keys])

    def forget(self, texts: Sequence[str]) -> None:
        """Drop the vectors of texts that were erased, as documents and as questions."""
        kinds: tuple[InputKind, ...] = ("document", "query")
        with self._lock:
            for text in texts:
                for kind in kinds:
                    self._rows.pop(self._key(text, kind), None)
        self._encoder.forget(texts)

    def _key(self, text: str, kind: InputKind) -> bytes:
        return text_key(text, kind, symmetric=self._encoder.symmetric)

    def _take(self, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        """The rows at hand among `keys`, which become the most recently used."""
        with self._lock:
            found = {key: self._rows[key] for key in keys if key in self._rows}
            for key in found:
                self._rows.move_to_end(key)
            return found

    def _keep(self, fresh: dict[bytes, Vector]) -> None:
        with self._lock:
            for key, row in fresh.items():
                self._rows[key] = row
                self._rows.move_to_end(key)
            while len(self._rows) > self._capacity:
                self._rows.popitem(last=False)

    def _count(self, *, asked: int, encoded: int) -> None:
        with self._lock:
            self._hits += asked - encoded
            self._misses += encoded
