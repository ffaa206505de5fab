"""The words that a text can be found by: lower case, without the commonest, reduced to their stems.

English words are stemmed (Snowball); words of other languages mostly stay as they are, and still match themselves.
Scripts that put no spaces between words are cut into overlapping pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Any

import numpy as np

from streetai_core.text.characters import UNSPACED
from streetai_core.types import TermCounts, TermHashes

_MOST = np.iinfo(np.uint16).max
"""Highest count of a word that is told apart; no text of a person has so many of one."""

_LONGEST = 64
"""Characters of a word that are looked at: longer ones are base64 or the like, equal from the start or not at all."""

_MOST_CACHED = 1 << 16
"""Words whose stem is remembered; more than a person uses."""

_MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06ed"
    "\u0900-\u0963\u0966-\u0dff"
)
"""Signs that stand inside words and are not letters to Python: accents, Hebrew and Arabic vowels, and all that Indian
scripts are written with but their full stops."""

# Runs inside the repetition: one character at a time would take a hundred bytes for each of a word without end.
_PIECE = re.compile(rf"[{UNSPACED}]+|(?:[^\W_{UNSPACED}]+|[{_MARKS}]+)+")
_IS_UNSPACED = re.compile(rf"[{UNSPACED}]")
_FOLDED = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u0307": None})
"""One apostrophe; and no dot above, which lower case puts on a Turkish capital I."""
_POSSESSIVE = re.compile(r"'s\b")

_STOP_WORDS = """
a about above after again all also am an and any are as at be because been before being below between both but by can
cannot could d did didn do does doesn doing don down during each few for from further had hadn has hasn have haven
having he her here hers herself him himself his how i if im in into is isn it its itself ive just ll m me more most my
myself no nor not now of off on once only or other our ours ourselves out over own re s same she should shouldn so some
such t than that thats the their theirs them themselves then there these they this those through to too under until up
ve very was wasn we were weren what when where which while who whom why will with won would wouldn you your yours
yourself yourselves youre dont cant
"""

STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that stand in most messages and tell none from another."""


def terms(text: str) -> list[str]:
    """The stems of the words of `text`, in order, without stop words."""
    return list(_each_term(text))


def _each_term(text: str) -> Iterator[str]:
    """The same one by one: the terms of a long text in a list take thirty times its size."""
    folded = unicodedata.normalize("NFKC", text).lower().translate(_FOLDED)
    for piece in map(re.Match.group, _PIECE.finditer(_POSSESSIVE.sub(" ", folded))):
        if piece in STOP_WORDS:
            continue
        if _IS_UNSPACED.match(piece):
            yield from _pairs(piece)
        else:
            yield stem(piece[:_LONGEST])


@lru_cache(maxsize=_MOST_CACHED)
def stem(word: str) -> str:
    """The stem of a lower-case word: "moved", "moving" and "moves" have the same."""
    return str(_stemmer()(word))


@lru_cache(maxsize=_MOST_CACHED)
def hashed(term: str) -> int:
    """A term as a number of 32 bits, the same on every machine; of 100,000 terms, about one shares its number."""
    return zlib.crc32(term.encode())


def counted(text: str, marks: Iterable[int] = ()) -> tuple[TermHashes, TermCounts]:
    """The terms of `text` as hashes, ascending, and how often each occurs; two arrays of one shape (t,).

    Args:
        text: any text.
        marks: hashes of terms that stand for what the text is, and are counted with the others.
    """
    counts = Counter(map(hashed, _each_term(text)))
    counts.update(marks)
    hashes = sorted(counts)
    return np.array(hashes, dtype=np.uint32), np.array([min(counts[one], _MOST) for one in hashes], dtype=np.uint16)


def _pairs(run: str) -> Iterator[str]:
    """Overlapping pairs of the characters of a run; a single one stands alone."""
    return (run[index : index + 2] for index in range(max(1, len(run) - 1)))


@cache
def _stemmer() -> Any:
    # Comes with fastembed; imported late because most programs that import this module never stem a word.
    from py_rust_stemmers import SnowballStemmer  # type: ignore[import-untyped]  # noqa: PLC0415

    return SnowballStemmer("english").stem_word
