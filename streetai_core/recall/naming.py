"""Whom of those who have spoken a question names, and what else."""

from __future__ import annotations

import re

from streetai_core.index.words import WordIndex
from streetai_core.recall.question import LONGEST, Question
from streetai_core.text.names import SaidWords, in_first_person, said_words
from streetai_core.text.words import hashed, terms

_OPEN = re.compile(r"\W*(?:\w+\W+)?(?:how|what|when|where|which|who|whom|whose|why)\b", re.IGNORECASE)
"""How a question begins that does not only want yes or no."""

_DIGIT = re.compile(r"\d")


def named(index: WordIndex, words: SaidWords) -> dict[str, int]:
    """The authors with a message whom the words of a question name, and their numbers; a tool called so is nobody."""
    return {name: number for name, number in index.named_by(words).items() if index.speaks(number)}


def meant(text: str, index: WordIndex) -> str:
    """A question as it is embedded: by whom it names it is asked in the first person, as that one tells of it."""
    said, rest = text[:LONGEST], text[LONGEST:]
    return in_first_person(said, named(index, said_words(said))) + rest


def things(question: Question) -> frozenset[int]:
    """Hashes of the names and numbers in a question, of what it asks for something else: "Where is boat 31?".

    Who asks whether the boat is at berth 31 names what may have changed.
    """
    if not _OPEN.match(question.text):
        return frozenset()
    named = (hashed(term) for word in question.words.capital for term in terms(word))
    return frozenset(named).intersection(question.terms)


def numbers(question: Question) -> frozenset[int]:
    """Hashes of the numbers in a question that what it asks for has, with digits in them.

    Who asks whether the boat is at berth 31 names what may have changed; "berth 31, keys" names what is wanted.
    """
    if asks_whether(question):
        return frozenset()
    named = (hashed(term) for word in question.words.capital if _DIGIT.search(word) for term in terms(word))
    return frozenset(named).intersection(question.terms)


def asks_whether(question: Question) -> bool:
    """Whether it asks if something is so: it names then what may have changed."""
    return question.time.present and not _OPEN.match(question.text)
