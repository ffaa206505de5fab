"""How many: number words, and counts that leave room ("a few", "two or three")."""

from __future__ import annotations

from dataclasses import dataclass

_ONES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)

CARDINALS: dict[str, int] = {
    **{word: number for number, word in enumerate(_ONES.split(), 1)},
    **{word: 10 * number for number, word in enumerate(_TENS.split(), 2)},
    "dozen": 12,
    "hundred": 100,
}
"""Number words; the words for tens may be followed by one of one to nine, and a hundred may be several."""

ORDINALS: dict[str, int] = {
    **{word: number for number, word in enumerate(_ORDINALS.split(), 1)},
    "thirtieth": 30,
}
"""Ordinal words."""

DECADE_WORDS: dict[str, int] = {
    "noughties": 0,
    **{
        word: 10 * number
        for number, word in enumerate(
            ["twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties"], 2
        )
    },
}
"""Words for decades, as years of a century."""


@dataclass(frozen=True, slots=True)
class Count:
    """A number of units, as a range from `low` to `high`; multiples of one half."""

    low: float
    high: float

    def plus(self, more: float) -> Count:
        """The count with `more` added to either end."""
        return Count(self.low + more, self.high + more)


ONE = Count(1, 1)

VAGUE: dict[str, Count] = {
    # Exactly two for most who say it of days; a wider range would blur the commonest use.
    "couple": Count(2, 2),
    "few": Count(2, 5),
    "several": Count(3, 7),
}
"""What words for small numbers stand for."""

MANY = Count(2, 10)
"""What a bare plural stands for: "years ago"."""
