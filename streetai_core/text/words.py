"""The words that a text can be found by: lower case, without the commonest, reduced to their stems.

Words in Latin letters lose their accents and are stemmed as English (Snowball). In a text of another language they are
also cut into overlapping fours of characters, so that they are found by their other forms and in compounds. Words in
other letters are cut into overlapping threes with the borders of the word and nothing else, for no stemmer knows their
languages, Korean ones into pairs. So are scripts that put no spaces between words, without borders.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

import numpy as np

from streetai_core.text.characters import UNSPACED
from streetai_core.text.language import SMALL_WORDS, is_foreign
from streetai_core.text.spelling import plain
from streetai_core.types import TermCounts, TermHashes

_PAIR = 2
"""Characters of a piece where no spaces stand between words: most words of Chinese are as long."""

_MOST = np.iinfo(np.uint16).max
"""Highest count of a word that is told apart; no text of a person has so many of one."""

_LONGEST = 64
"""Characters of a word that are looked at: longer ones are base64 or the like, equal from the start or not at all."""

_MOST_CACHED = 1 << 16
"""Words whose stem is remembered; more than a person uses."""

_MOST_CUT = 1 << 13
"""Words whose pieces are remembered, which take ten times as much as a stem."""

MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06ed"
    "\u0900-\u0963\u0966-\u0dff"
    "\u00ad\u200c\u200d"
)
"""Signs that stand inside words and are not letters to Python: accents, Hebrew and Arabic vowels, all that Indian
scripts are written with but their full stops, the soft hyphen, what parts or joins letters without a shape of its own.
As ranges for a regular expression's character class."""

# Runs inside the repetition: one character at a time would take a hundred bytes for each of a word without end.
_PIECE = re.compile(rf"[{UNSPACED}]+|(?:[^\W_{UNSPACED}]+|[{MARKS}]+)+")
_IS_UNSPACED = re.compile(rf"[{UNSPACED}]")
_FOLDED = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u0307": None})
"""One apostrophe; and no dot above, which lower case puts on a Turkish capital I."""
_POSSESSIVE = re.compile(r"'s\b")

HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
_LATIN = "0-9a-z\u00aa\u00ba\u00df-\u02af\u1d00-\u1dbf\u1e00-\u1eff\u2c60-\u2c7f\ua722-\ua7ff\uab30-\uab6f"
_IN_ONE_SCRIPT = re.compile(rf"(?P<latin>[{_LATIN}]+)|(?P<hangul>[{HANGUL}]+)|[^{_LATIN}{HANGUL}]+")
_IN_LATIN = re.compile(f"[{_LATIN}]+")
"""What a word is made of: Korean and Arabic put endings and articles to words of other scripts without a space."""

_BORDER = "_"
"""Stands for the border of a word in its pieces; stands in none itself."""
_SYLLABLES = 2
"""Characters of a piece of a Korean word: each is a syllable, many nouns are only one, and particles follow it."""
_LETTERS = 3
"""Characters of a piece of a word in another alphabet. Of 70 questions in Arabic, Greek, Hindi and Russian plain BM25
finds as many by fours, and fewer by Snowball's stems or by the beginnings of words."""

_LATIN_LETTERS = 4
"""Characters of a piece of a word in Latin letters, in texts that are not in English. In seven such languages threes,
or fives, or the beginning of a word alone, find fewer of the messages that are asked for in other words."""
_PART = "~"
"""Begins such a piece: beside them the whole word is a term, and many a piece is another word."""

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
    """The stems of the words of `text`, in order, without stop words; in other languages than English pieces too."""
    return list(_each_term(text, foreign=is_foreign(text)))


def whole_words(text: str) -> set[str]:
    """Those terms that are whole words, the same in a text of any language."""
    return {term for term in _each_term(text, foreign=False) if not is_piece(term)}


def _each_term(text: str, *, foreign: bool) -> Iterator[str]:
    """The terms of a text one by one: those of a long text in a list take thirty times its size."""
    folded = unicodedata.normalize("NFKC", text).lower().translate(_FOLDED)
    for piece in map(re.Match.group, _PIECE.finditer(_POSSESSIVE.sub(" ", folded))):
        if piece in STOP_WORDS:
            continue
        if _IS_UNSPACED.match(piece):
            yield from _overlapping(piece, _PAIR)
            continue
        word = piece[:_LONGEST]
        if word.isascii():
            yield stem(word)
        else:
            yield from terms_of_word(word)
        if foreign:
            yield from parts_of_word(word)


@lru_cache(maxsize=_MOST_CUT)
def terms_of_word(word: str) -> tuple[str, ...]:
    """The terms of a lower-case word with other than ASCII characters, in a script that puts spaces between words."""
    return tuple(
        term for part in _IN_ONE_SCRIPT.finditer(plain(word).lower()) for term in _of_part(part[0], part.lastgroup)
    )


def _of_part(part: str, script: str | None) -> Iterator[str]:
    """The terms of what is written in one script."""
    if script == "latin":
        yield stem(part[:_LONGEST])
    else:
        yield from _overlapping(f"{_BORDER}{part}{_BORDER}", _SYLLABLES if script == "hangul" else _LETTERS)


@lru_cache(maxsize=_MOST_CUT)
def parts_of_word(word: str) -> tuple[str, ...]:
    """The pieces of what a lower-case word has in Latin letters; none of numbers, letters and small words."""
    found = (part[0] for part in _IN_ONE_SCRIPT.finditer(plain(word).lower()) if part["latin"])
    return tuple(
        _PART + piece
        for part in found
        if len(part) > 1 and not part.isdigit() and part not in SMALL_WORDS
        for piece in _overlapping(_BORDER + part, _LATIN_LETTERS)
    )


def is_piece(term: str) -> bool:
    """Whether a term is only a piece of a word, or of two: those of Latin letters and nothing else are whole words."""
    return _IN_LATIN.fullmatch(term) is None


@lru_cache(maxsize=_MOST_CACHED)
def stem(word: str) -> str:
    """The stem of a lower-case word: "moved", "moving" and "moves" have the same."""
    return str(_stemmer()(word))


@lru_cache(maxsize=_MOST_CACHED)
def hashed(term: str) -> int:
    """A term as a number of 32 bits, the same on every machine; of 100,000 terms, about one shares its number."""
    return zlib.crc32(term.encode())


def counted(text: str, author: str = "") -> tuple[TermHashes, TermCounts]:
    """The terms of `text` as hashes, ascending, and how often each occurs; two arrays of one shape (t,).

    Args:
        text: any text.
        author: a name whose words are counted too, as those of a text in the same language: a name tells of none.
    """
    foreign = is_foreign(text)
    counts = Counter(map(hashed, _each_term(text, foreign=foreign)))
    counts.update(map(hashed, _each_term(author, foreign=foreign)))
    hashes = sorted(counts)
    return np.array(hashes, dtype=np.uint32), np.array([min(counts[one], _MOST) for one in hashes], dtype=np.uint16)


def _overlapping(run: str, size: int) -> Iterator[str]:
    """Overlapping pieces of `size` characters of a run; what is shorter stands alone."""
    return (run[index : index + size] for index in range(max(1, len(run) - size + 1)))


@cache
def _stemmer() -> Any:
    # Comes with fastembed; imported late because most programs that import this module never stem a word.
    from py_rust_stemmers import SnowballStemmer  # type: ignore[import-untyped]  # noqa: PLC0415

    return SnowballStemmer("english").stem_word
