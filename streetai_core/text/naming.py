"""Where a text has what a question names: a number, an identifier, or a word that it spells as a name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from streetai_core.text.words import STOP_WORDS, stem

_WORD = re.compile(r"\w{2,40}(?:-\w{1,40})*")
"""A word of a question, or a name made of several: "INV-1007", "worker-7"."""

_FEW = 8
"""Places up to which a name tells where to look: what stands everywhere tells nothing."""

_MOST = 64
"""Places of a word up to which it counts."""

_MOST_LOOKS = 1_000
"""Places of a word's letters, by themselves or within other words, that are looked at: a text without end of one letter
would take a second."""

_ENDING = 4
"""Letters by which a form of a word is longer than its stem at most: "moor", "moorings"."""

_REST = re.compile(rf"\w{{0,{_ENDING + 1}}}")
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


class Sought:
    """Looks for the words of a question in one text after another.

    Args:
        question: of any length.
    """

    def __init__(self, question: str) -> None:
        said = dict.fromkeys(word for word in _WORD.findall(question[:_LONGEST].lower()) if word not in STOP_WORDS)
        self._words = [_Word.of(word) for word in list(said)[:_MOST_WORDS]]

    def found(self, text: str) -> list[Found]:
        """The words that the text has, but for those that it has nearly everywhere."""
        text, lower = _searched(text)
        each = ((word, word.places(lower)) for word in self._words)
        return [Found(at, is_name=len(at) <= _FEW and word.names(text, at)) for word, at in each if at]


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a question."""

    begins: str
    """What each of its forms begins with."""
    longer: int
    """Letters that a form may have more."""
    is_identifier: bool
    """Whether it is a number or an identifier, like "1007", "INV-1007", "max_size"."""

    @classmethod
    def of(cls, word: str) -> _Word:
        """A lower-case word in its forms; one with anything but letters is only itself."""
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
            if (place == 0 or not _is_of_word(lower[place - 1])) and _letters(lower, end) <= self.longer:
                at.append(place)
            place = lower.find(begins, end)
            if place < 0:
                break
        return tuple(at) if len(at) <= _MOST else ()


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
    return character.isalnum() or character == "_"
