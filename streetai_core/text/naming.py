"""Where a text has what a question names: a number, an identifier, or a word that it spells as a name.

What is written without spaces, and in Korean, is looked for as pairs of characters, as for whole messages
(`text/words.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from streetai_core.text.characters import UNSPACED
from streetai_core.text.words import HANGUL, MARKS, STOP_WORDS, stem

_JOINED = f"{UNSPACED}{HANGUL}"
"""What stands beside a word of another script without a space, and is no letter of it."""

_LETTER = rf"(?:[^\W{_JOINED}]|[{MARKS}])"
"""What a word is made of otherwise."""

_WORD = re.compile(rf"(?P<run>[{_JOINED}]{{2,}})|{_LETTER}{{2,40}}(?:-{_LETTER}{{1,40}})*")
"""A run of such characters; or a word of a question, or a name made of several: "INV-1007", "worker-7"."""

_IS_JOINED = re.compile(f"[{_JOINED}]")
_IS_LETTER = re.compile(_LETTER)

_PAIR = 2
"""Characters of a piece of what is written without spaces."""

_FEW = 8
"""Places up to which a name tells where to look: what stands everywhere tells nothing."""

_MOST = 64
"""Places of a word up to which it counts."""

_MOST_LOOKS = 1_000
"""Places of a word's letters, by themselves or within other words, that are looked at: a text without end of one letter
would take a second."""

_ENDING = 4
"""Letters by which a form of a word is longer than its stem at most: "moor", "moorings"."""

_REST = re.compile(rf"{_LETTER}{{0,{_ENDING + 1}}}")
"""What follows in a word, as far as it matters."""

_LONGEST = 1_000_000
"""Characters of a text that are searched, in some milliseconds: a longer one is a file."""

_MOST_WORDS = 32
"""Words of a question that are looked for."""


@dataclass(frozen=True, slots=True)
class Found:
    """Where a text has a word of a question."""

    places: tuple[int, ...]
    """Ascending."""
    is_name: bool
    """Whether it names something that stands in few places."""
    is_pair: bool = False
    """Whether it is a pair of characters, of a name or of another word: these scripts have no capitals to tell."""


class Sought:
    """Looks for the words of a question in one text after another.

    Args:
        question: of any length.
    """

    def __init__(self, question: str) -> None:
        each = _each_word(question[:_LONGEST].lower())
        said = dict.fromkeys(word for word in each if word not in STOP_WORDS)
        self._words = [_Word.of(word) for word in islice(said, _MOST_WORDS)]

    def found(self, text: str) -> list[Found]:
        """The words that the text has, but for those that it has nearly everywhere."""
        text, lower = _searched(text)
        each = ((word, word.places(lower)) for word in self._words)
        return [Found(at, len(at) <= _FEW and word.names(text, at), word.is_pair) for word, at in each if at]


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a question."""

    begins: str
    """What each of its forms begins with."""
    longer: int
    """Letters that a form may have more."""
    is_identifier: bool
    """Whether it is a number or an identifier, like "1007", "INV-1007", "max_size"."""
    is_pair: bool = False
    """Whether it is a pair of characters, which may stand within a word."""

    @classmethod
    def of(cls, word: str) -> _Word:
        """A lower-case word in its forms; one with anything but letters is only itself."""
        if _IS_JOINED.match(word):
            return cls(word, 0, is_identifier=False, is_pair=True)
        if word.isalpha():
            return cls(stem(word), _ENDING, is_identifier=False)
        return cls(word, 0, is_identifier=any(character.isdigit() or character == "_" for character in word))

    def names(self, text: str, places: tuple[int, ...]) -> bool:
        """Whether it is an identifier, or a word that a text spells with a capital letter in all its places.

        By meaning an encoder finds ordinary words as well, and in whatever other words they are said.
        """
        return self.is_identifier or all(text[place].isupper() for place in places)

    def places(self, lower: str) -> tuple[int, ...]:
        """Where it stands in a text in lower case; nowhere if it stands nearly everywhere."""
        begins = self.begins
        # A search for plain text takes a thirtieth of the time of a pattern's.
        place = lower.find(begins)
        if place < 0:
            return ()
        at = []
        for _ in range(_MOST_LOOKS):
            end = place + len(begins)
            if self.is_pair or (_begins(lower, place) and _letters(lower, end) <= self.longer):
                at.append(place)
            place = lower.find(begins, end)
            if place < 0:
                break
        return tuple(at) if len(at) <= _MOST else ()


def _each_word(lower: str) -> Iterator[str]:
    """The words of a question in lower case, in order; of what is written without spaces pairs of characters."""
    for found in _WORD.finditer(lower):
        if found["run"]:
            yield from (found[0][place : place + _PAIR] for place in range(len(found[0]) - 1))
        else:
            yield found[0]


def _begins(lower: str, place: int) -> bool:
    """Whether a word begins at a place."""
    return place == 0 or not _is_of_word(lower[place - 1])


def _letters(lower: str, place: int) -> int:
    """How many letters of a word follow, as far as it matters."""
    behind = _REST.match(lower, place)
    return behind.end() - place if behind else 0


def _searched(text: str) -> tuple[str, str]:
    """What is searched of a text, and the same in lower case, letter by letter."""
    # The one letter that is two in lower case.
    text = text[:_LONGEST].replace("\u0130", "I")
    return text, text.lower()


def _is_of_word(character: str) -> bool:
    return _IS_LETTER.match(character) is not None
