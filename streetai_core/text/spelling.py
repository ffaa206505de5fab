"""One spelling for a word that people write in several ways: with or without its accents, in digits of any script."""

from __future__ import annotations

import re
import unicodedata

_LEFT_OUT = re.compile(
    "["
    "\u0300-\u036f"  # accents of Latin, Greek and Cyrillic letters
    "\u0591-\u05bd\u05bf-\u05c7"  # Hebrew vowels
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06ed"  # Arabic vowels, hamza, the stretching stroke
    "\u093c"  # the dot below Hindi letters
    "\u00ad\u200c\u200d"  # soft hyphen, what parts and joins letters without a shape of its own
    "]"
)
"""What is typed or not, as people please; asked for without, it is the same word."""

_LIKE = str.maketrans(
    {
        "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "TH",
        "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "ħ": "h", "Ħ": "H", "ł": "l", "Ł": "L",
        "\u0131": "i",  # the Turkish letter without a dot
        "\u03c2": "\u03c3",  # sigma at the end of a Greek word
        "\u0629": "\u0647", "\u0649": "\u064a",  # Arabic teh marbuta as heh, yeh without its dots
        "\u06cc": "\u064a", "\u06a9": "\u0643",  # yeh and kaf of Persian and Urdu keyboards
        "\u0901": "\u0902",  # Hindi, two signs of one nasal
    }
)  # fmt: skip
"""Letters that Unicode takes apart no further, and what stands for them where somebody has no key for them."""

_DIGIT = re.compile(r"[^\D0-9]")


def plain(word: str) -> str:
    """A word without accents and the like, its digits as ASCII; upper case stays.

    In Latin, Greek, Cyrillic, Hebrew, Arabic and Hindi. Marks of other scripts tell words apart, and stay.
    """
    if word.isascii():
        return word
    bare = _LEFT_OUT.sub("", unicodedata.normalize("NFKD", word))
    # Korean syllables, and Japanese letters with their marks, in one piece again.
    return _DIGIT.sub(_as_ascii, unicodedata.normalize("NFC", bare).translate(_LIKE))


def _as_ascii(digit: re.Match[str]) -> str:
    return str(unicodedata.decimal(digit[0]))
