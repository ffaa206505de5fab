"""Characters: which belong together, what counts as a word, where white space ends."""

from __future__ import annotations

import re
import unicodedata
from itertools import islice

UNSPACED = (
    "\u0e00-\u0e7f"  # Thai
    "\u0e80-\u0eff"  # Lao
    "\u0f00-\u0fff"  # Tibetan
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Burmese
    "\u1780-\u17ff"  # Khmer
    "\u1950-\u1aaf"  # Tai scripts
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Japanese kana and repetition marks
    "\u3100-\u312f\u31a0-\u31bf"  # Bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese characters
)
"""The scripts that put no spaces between words, as ranges for a regular expression's character class."""

_UNSPACED = re.compile(f"[{UNSPACED}]")
_SPACE = re.compile(r"\s*")

_ZERO_WIDTH_JOINER = "\u200d"
_FIRST_JOINED = "\u0300"
"""No character below this one continues the one before it."""

_CONTINUING = re.compile(
    "[\u200d"  # zero width joiner
    "\u1160-\u11ff"  # vowels and finals of a decomposed Hangul syllable
    "\U0001f3fb-\U0001f3ff"  # skin tones
    "\U000e0020-\U000e007f]"  # tags, the letters of subdivision flags
)
"""What continues the character before it, beside the marks (variation selectors are marks)."""

_REGIONAL = "".join(map(chr, range(0x1F1E6, 0x1F200)))
"""Regional indicators: two of them make a flag."""

_LONGEST_CLUSTER = 64
"""How far from the wanted place a cut may be moved to keep a cluster whole; beyond that it is no writing."""


def after_space(text: str, position: int) -> int:
    """Where the white space that begins at `position` ends; `position` itself if there is none."""
    space = _SPACE.match(text, position)
    return space.end() if space else position


def core(text: str, start: int, end: int) -> tuple[int, int]:
    """The span `[start, end)` without the white space at its ends; empty at `end` if it is blank."""
    return min(after_space(text, start), end), start + len(text[start:end].rstrip())


def words_up_to(text: str, most: int) -> int:
    """How many words `text` has, counted no further than `most`.

    Words stand between white space. Each character of a script that is written without spaces counts as one
    more, so that one long Chinese or Thai sentence is not taken for a single word.
    """
    count = len(text.split(maxsplit=most))
    if count < most and not text.isascii():
        count += sum(1 for _ in islice(_UNSPACED.finditer(text), most - count))
    return min(count, most)


def cut_near(text: str, target: int, start: int, end: int) -> int:
    """The place nearest to `target`, inside `(start, end)`, where a cut leaves all characters whole.

    A character is kept together with its combining marks, variation selectors, skin tone and joined emoji; a flag
    with both its letters. If there is no such place nearby, the cut is at `target`.
    """
    for distance in range(_LONGEST_CLUSTER):
        for position in (target - distance, target + distance):
            if start < position < end and not _joined(text, position, start):
                return position
    return target


def _joined(text: str, position: int, start: int) -> bool:
    """Whether the characters before and at `position` make one; `start` is known to be a good place to cut."""
    before, after = text[position - 1], text[position]
    if after < _FIRST_JOINED:
        return False
    if before == _ZERO_WIDTH_JOINER or _CONTINUING.match(after) or unicodedata.category(after).startswith("M"):
        return True
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return True
    if before not in _REGIONAL or after not in _REGIONAL:
        return False
    ahead = text[start:position]
    return (len(ahead) - len(ahead.rstrip(_REGIONAL))) % 2 == 1
