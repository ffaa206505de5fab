"""An encoder without a model: words and their letters, hashed into a vector."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from streetai_core.encoders.base import Encoder, InputKind
from streetai_core.errors import InputError
from streetai_core.types import Matrix

_WORD = re.compile(r"\w{1,32}")
"""A run of letters and digits. Longer runs, as in scripts without spaces, are cut so that the cache stays small."""

_GRAM_LENGTH = 3
"""Letters of a piece of a word: enough to tell words apart, few enough that inflections share most of theirs."""

_WORD_WEIGHT = 2
"""A whole word counts like two of its pieces, so that equal words weigh more than words that look alike."""

_CACHED_WORDS = 16_384
"""Words whose features are kept, about 8 MB in all: the vocabulary of a long conversation several times over."""

_VERSION = 1
"""Part of the fingerprint; raised when the same text gets another vector."""


class HashingEncoder(Encoder):
    """Vectors from hashed words and letter triples, for tests and for machines without a model.

    Texts that share words, or parts of words, have similar vectors; meaning beyond that is not seen. The same text
    gives the same bits on every platform: until the final normalisation all arithmetic is on small whole numbers.

    Args:
        dim: length of a vector, from 1. Fewer dimensions mix more words up.

    Raises:
        InputError: `dim` is not a whole number from 1.
    """

    def __init__(self, dim: int = 256) -> None:
        if not isinstance(dim, int) or dim < 1:
            raise InputError(f"dim must be a whole number from 1, not {dim!r}")
        self._dim = dim

    @property
    def fingerprint(self) -> str:
        """Name, version of the method and dimension."""
        return f"hashing/{_VERSION}/{self._dim}"

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._dim

    @property
    def symmetric(self) -> bool:
        """True: a question is hashed like everything else."""
        return True

    @property
    def is_local(self) -> bool:
        """True: it computes in this process."""
        return True

    def forget(self, texts: Sequence[str]) -> None:  # noqa: ARG002 - whose words they are is not known
        """Drop the words that are kept, of all texts."""
        _features.cache_clear()

    def embed(self, texts: Sequence[str], kind: InputKind) -> Matrix:  # noqa: ARG002 - it embeds both kinds alike
        """Sums of hashed features, shape (len(texts), dim), whole numbers; a blank text gives zeros."""
        cells: list[npt.NDArray[np.int64]] = []
        signs: list[npt.NDArray[np.int8]] = []
        rows: list[int] = []
        weights: list[int] = []
        for row, text in enumerate(texts):
            for word, count in Counter(_words(text)).items():
                word_cells, word_signs = _features(word, self._dim)
                cells.append(word_cells)
                signs.append(word_signs)
                rows.append(row)
                # 1, 2, 2, 3, 3, 3, 3, 4 ...: a word said often counts more, but not in proportion.
                weights.append(count.bit_length())
        size = len(texts) * self._dim
        if not cells:
            return np.zeros((len(texts), self._dim), dtype=np.float32)
        lengths = [len(word_cells) for word_cells in cells]
        flat = np.concatenate(cells) + np.repeat(np.array(rows, dtype=np.int64) * self._dim, lengths)
        values = np.concatenate(signs) * np.repeat(np.array(weights, dtype=np.float64), lengths)
        return np.bincount(flat, weights=values, minlength=size).reshape(len(texts), self._dim).astype(np.float32)


def _words(text: str) -> list[str]:
    """The words of a text in lower case; of a text that has only symbols, the runs of symbols."""
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
    return _WORD.findall(plain) or plain.split()


@lru_cache(maxsize=_CACHED_WORDS)
def _features(word: str, dim: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int8]]:
    """The cells that a word adds to, and what it adds there."""
    cells, signs = zip(*_hashed(word, dim), strict=True)
    return np.array(cells, dtype=np.int64), np.array(signs, dtype=np.int8)


def _hashed(word: str, dim: int) -> Iterator[tuple[int, int]]:
    """Cell and signed weight of the word itself and of each letter triple, edges marked."""
    yield _cell(f"word {word}", dim, _WORD_WEIGHT)
    edged = f"<{word}>"
    for start in range(len(edged) - _GRAM_LENGTH + 1):
        yield _cell(edged[start : start + _GRAM_LENGTH], dim, 1)


def _cell(feature: str, dim: int, weight: int) -> tuple[int, int]:
    """The cell of a feature and `weight` with its sign, both from a hash that is the same everywhere.

    The sign makes collisions cancel out on average.
    """
    number = int.from_bytes(blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
    return (number >> 1) % dim, weight if number & 1 else -weight
