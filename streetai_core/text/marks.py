"""Terms of a message that say what it is. No text has them: the character they begin with is in no word.

They stand in a message no times, so that they make it no longer, and no question is answered by them.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection

import numpy as np

from streetai_core.text.words import hashed
from streetai_core.types import TermCounts, TermHashes

WISH = hashed("\0wish")
"""It states a wish."""

TOLD = hashed("\0told")
"""It is short, and tells how something is."""

CHANGE = hashed("\0change")
"""And says that it has become so."""

CORRECTED = hashed("\0corrected")
"""It is short, and says that what was told was wrong."""

ANNOUNCED = hashed("\0announced")
"""It is short, and says of itself that something has changed."""

CONFIRMS = hashed("\0confirms")
"""It is an assistant's, and says that something has been changed."""

VALUES = {kind: hashed(f"\0{kind}") for kind in ("number", "date", "colour", "contact", "name")}
"""It is short, and tells a value of this kind."""


def qualified(term: int) -> int:
    """It is short, and beside the word with this hash stands what tells which is meant: "maths exam"."""
    return zlib.crc32(b"\0qualified%d" % term)


def numbered(term: int) -> int:
    """It is short, and a number behind the word with this hash tells which is meant: "locker 8"."""
    return zlib.crc32(b"\0numbered%d" % term)


_OF_TEXT = np.array(sorted((WISH, TOLD, CHANGE, CORRECTED, ANNOUNCED, CONFIRMS, *VALUES.values())), dtype=np.uint32)
"""Those that a text alone tells, but for those of its words."""


def news_about(sequence: int) -> int:
    """It may say what has become of what the message with this sequence told."""
    return zlib.crc32(b"\0news%d" % sequence)


def over_about(sequence: int) -> int:
    """And says of a value that it told that this is over."""
    return zlib.crc32(b"\0over%d" % sequence)


def beside_about(sequence: int) -> int:
    """And only names a value that it told, beside another one of its kind."""
    return zlib.crc32(b"\0beside%d" % sequence)


def marked(terms: TermHashes, counts: TermCounts, marks: Collection[int]) -> tuple[TermHashes, TermCounts]:
    """The terms of a message and how often each stands in it, ascending, with some marks; shape (t,) each."""
    known = dict(zip(terms.tolist(), counts.tolist(), strict=True)) if marks else {}
    more = {mark: 0 for mark in marks if mark not in known}
    if not more:
        return terms, counts
    every = known | more
    hashes = sorted(every)
    return np.array(hashes, dtype=np.uint32), np.array([every[one] for one in hashes], dtype=np.uint16)


def unmarked(terms: TermHashes, counts: TermCounts, marks: Collection[int]) -> tuple[TermHashes, TermCounts]:
    """The terms of a message and how often each stands in it, without some marks."""
    kept = (counts > 0) | ~np.isin(terms, list(marks))
    return terms[kept], counts[kept]


def beside_text(terms: TermHashes, counts: TermCounts) -> list[int]:
    """The marks of a message that its text alone does not tell."""
    of_words = {mark(term) for term in terms[counts > 0].tolist() for mark in (qualified, numbered)}
    return [mark for mark in np.setdiff1d(terms[counts == 0], _OF_TEXT).tolist() if mark not in of_words]
