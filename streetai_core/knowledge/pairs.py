"""Nouns with what tells which one is meant, anywhere in a text: "maths exam", "the key to the attic", "locker 8".

`phrases` reads what a clause is about. Here each noun counts, for a question names what it asks for at its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from streetai_core.knowledge.phrases import JOINING, SIDES, TELLS_NOTHING, behind_determiners
from streetai_core.knowledge.wording import FUNCTION_WORDS, NUMBER_WORDS, STATES, tokens, word_set
from streetai_core.text.words import STOP_WORDS, stem, whole_words

_PART = re.compile(r"[^,.;:!?()\n]+(?:[.:](?=\w)[^,.;:!?()\n]+)*")
"""What stands between two marks: no noun goes on behind one."""

_BECOMES = word_set("change changed changing switch switched renamed upgraded downgraded converted swapped migrated")
"""Verbs with which "to" goes on to another value: "I changed my project to octopuses"."""

_NO_NOUNS = (
    word_set(
        """what which who whose where when how much many often long far see saw say says tell tells told rang call
    called read reads close closes bought makes made proves let lets let's due type kind every each few several other
    another right correct exact full"""
    )
    | frozenset(NUMBER_WORDS)
    | (STATES - {"work"})
)
"""Words that are no noun, or nothing that there are several of, and tell none."""

_DOING = word_set("i we you they he she who let's")
"""Behind whom what somebody does stands, and no noun."""

_PLAIN = 32
"""Letters of a word that is looked up as it is: longer ones are cut for the index."""


def pairs(text: str) -> Iterator[tuple[str, str]]:
    """What tells which, and the noun, each as its term in the word index; a number only where it stands behind."""
    for part in _PART.finditer(text):
        words = tokens(part.group())
        lowered = tuple(word.lower().replace("\u2019", "'") for word in words)
        for place in range(len(words) - 1):
            noun = _noun(words[place], lowered[place])
            if noun is None or (place and lowered[place - 1] in _DOING):  # "where do we meet for the hike"
                continue
            if words[place + 1].isdigit():
                yield words[place + 1], noun
            elif (behind := _joined(lowered, place + 1)) is None:
                other = _noun(words[place + 1], lowered[place + 1])
                if other is not None and lowered[place] not in TELLS_NOTHING:
                    yield noun, other
            else:
                # "The key to the water tap" may be called the tap key.
                yield from ((other, noun) for other in _run(words[behind:], lowered[behind:]))


def _run(words: Sequence[str], lowered: Sequence[str]) -> Iterator[str]:
    """The terms of the nouns at the beginning of some words: of a compound, or of whom one is."""
    for word, small in zip(words, lowered, strict=True):
        noun = _noun(word, small)
        if noun is None:
            return
        yield noun
        if small.endswith("'s"):
            return


def _joined(lowered: tuple[str, ...], place: int) -> int | None:
    """Where what tells which begins, if a word goes on to it; `None` if it does not."""
    word = lowered[place]
    if word not in JOINING and (word != "to" or not _BECOMES.isdisjoint(lowered[:place])):
        return None
    return behind_determiners(lowered, place + 1)


def _noun(word: str, lowered: str) -> str | None:
    """The term of a word that may be a noun or tell which one is meant."""
    if (lowered in FUNCTION_WORDS and lowered not in SIDES) or lowered in _NO_NOUNS or lowered.endswith("ed"):
        return None
    if word[0].isdigit():
        return None
    # Most words are plain, and need no look at scripts and accents.
    if lowered.isascii() and lowered.isalpha() and len(lowered) <= _PLAIN:
        return None if lowered in STOP_WORDS else stem(lowered)
    found = whole_words(word)
    return next(iter(found)) if len(found) == 1 else None
