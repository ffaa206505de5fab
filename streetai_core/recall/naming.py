"""Whom of those who have spoken a question names."""

from __future__ import annotations

from streetai_core.index.words import WordIndex
from streetai_core.recall.question import LONGEST
from streetai_core.text.names import SaidWords, in_first_person, said_words


def named(index: WordIndex, words: SaidWords) -> dict[str, int]:
    """The authors with a message whom the words of a question name, and their numbers; a tool called so is nobody."""
    # Copied at once: another thread may be adding one.
    authors = list(index.authors.items())
    return {name: number for name, number in authors if words.name(name) and index.speaks(number)}


def meant(text: str, index: WordIndex) -> str:
    """A question as it is embedded: by whom it names it is asked in the first person, as that one tells of it."""
    said, rest = text[:LONGEST], text[LONGEST:]
    return in_first_person(said, named(index, said_words(said))) + rest
