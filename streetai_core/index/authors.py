"""The authors of one memory: by number, and by the words by which a question names them."""

from __future__ import annotations

from collections.abc import Iterable

from streetai_core.text.names import NamingWords, SaidWords, naming_words


class Authors:
    """Numbers for names, in the order in which they first come, and who is named by some words.

    One thread may ask while another one adds: whoever is new is found by his words last of all.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.numbers: dict[str, int] = {}
        """The number of each name. Not to be changed."""
        self._named_by: dict[NamingWords, list[str]] = {}
        """The names of those who are named by the same words."""
        self._at: dict[str, list[NamingWords]] = {}
        """What names them, each at one of its words: where that is not said, nobody is named so."""
        for name in names:
            self.number(name)

    def number(self, name: str) -> int:
        """The number of a name; the next one, if it is new."""
        known = self.numbers.get(name)
        if known is not None:
            return known
        number = self.numbers[name] = len(self.numbers)
        naming = naming_words(name)
        if naming in self._named_by:
            self._named_by[naming].append(name)
        elif naming.words:
            self._named_by[naming] = [name]
            # At that which has the fewest: with all of "User 1" to "User 1000" at "user", that word would try them all.
            rarest = min(naming.words, key=lambda word: len(self._at.get(word, ())))
            self._at.setdefault(rarest, []).append(naming)
        return number

    def named(self, words: SaidWords) -> dict[str, int]:
        """The authors whom the words of a question name, and their numbers, ascending."""
        at = [naming for word in words.every for naming in self._at.get(word, ())]
        names = [name for naming in at if words.have(naming) for name in self._named_by[naming]]
        return {name: self.numbers[name] for name in sorted(names, key=self.numbers.__getitem__)}
