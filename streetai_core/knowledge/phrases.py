"""What a clause is about, as a noun phrase, and what tells that from others of its kind.

"The physics exam moved to Thursday" says nothing of the maths exam, and "lunch with Sara" is no lunch with Paul.
"""

from __future__ import annotations

from dataclasses import dataclass

from streetai_core.knowledge.values import kind_of
from streetai_core.knowledge.wording import DETERMINERS, FUNCTION_WORDS, STATES, stem, word_set

_SPEAKERS = word_set("i i'm i've i'd we we're we've we'd you he she they he's she's they're they've")
"""Who does something with what the phrase names: "I changed my Netflix password"."""

_OPENING = word_set("and but so well ok okay oh yes yeah no hey btw fyi also actually")
"""What may stand before the subject."""

_VERBS = 4
"""Words behind who acts, within which the phrase begins."""

_WORDS = 4
"""Words of a phrase up to its noun at most."""

TELLS_NOTHING = word_set(
    """new old last next same own other first second main current default usual regular favourite favorite whole entire
    daily weekly monthly yearly annual little big small nice good great best lovely dear poor actual official exact
    original final early late upcoming planned total"""
)
"""Words before a noun that tell it from nothing that somebody has beside it."""

_PASSED = DETERMINERS | TELLS_NOTHING

SIDES = frozenset({"front", "back"})
"""Small words that tell one thing from the other at the beginning of a phrase."""

_IS = frozenset({"is", "are", "am", "have", "has"})
"""Verbs that are no nouns, as "work", "rent" and "drinks" are."""

_NAMED = 2
"""Words of a phrase with a name at least."""

JOINING = frozenset({"for", "of", "with"})
"""Words between a noun and what tells it from others; behind a subject also "to", which elsewhere goes on to values.
Behind "in" or "at" stands mostly where something is."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun with what tells it from others of its kind, as stems."""

    head: str
    is_subject: bool
    """Whether it is the subject; else somebody does something with it."""
    before: frozenset[str]
    """The words before it, or its name: "maths exam", "Project Apollo"."""
    behind: frozenset[str]
    """The words behind "with" or "for": "lunch with Paul"."""

    @property
    def telling(self) -> frozenset[str]:
        """All of these."""
        return self.before | self.behind


def phrase_of(words: tuple[str, ...]) -> Phrase | None:
    """The phrase that is the subject of a clause, or what somebody does something with; `None` if there is none.

    Args:
        words: the words of the clause as written, in order.
    """
    lowered = tuple(word.lower().replace("\u2019", "'") for word in words)
    start = next((place for place, word in enumerate(lowered) if word not in _OPENING), len(lowered))
    is_subject = start < len(lowered) and lowered[start] not in _SPEAKERS
    if not is_subject:
        acts = range(start + 1, min(start + 1 + _VERBS, len(lowered)))
        start = next((place for place in acts if lowered[place] in DETERMINERS), len(lowered))
    start = behind_determiners(lowered, start, _PASSED)
    end = _end(words, lowered, start)
    if start == end:
        return None
    head = end - 2 if _is_name(words[start:end]) else end - 1
    joining = end < len(lowered) and lowered[end] in (JOINING | {"to"} if is_subject else JOINING)
    other = behind_determiners(lowered, end + 1, _PASSED) if joining else end
    return Phrase(
        stem(lowered[head]),
        is_subject,
        _telling(words[start:head] + words[head + 1 : end], colours=is_subject),
        _telling(words[other : _end(words, lowered, other)] if joining else (), colours=False),
    )


def are_apart(newer: Phrase, older: Phrase) -> bool:
    """Whether two phrases are of one kind of thing, and each has what tells it from the other.

    What the older clause says of its subject is its value: who follows a vegan diet may follow another one now.
    """
    if newer.head != older.head or not older.is_subject:
        return False
    pairs = ((newer.before, older.before), (newer.behind, older.behind))
    return any(mine - theirs and theirs - mine for mine, theirs in pairs)


def behind_determiners(lowered: tuple[str, ...], start: int, passed: frozenset[str] = DETERMINERS) -> int:
    """The first place from `start` on with another word than these."""
    while start < len(lowered) and lowered[start] in passed:
        start += 1
    return start


def _end(words: tuple[str, ...], lowered: tuple[str, ...], start: int) -> int:
    """Where a phrase ends that begins at a word: before a verb or a small word."""
    last = min(start + _WORDS, len(lowered))
    for place in range(start, last):
        word, before = lowered[place], words[max(start, place - 1)]
        if place == start and (word in SIDES or (word in STATES and word not in _IS)):
            continue
        if word in FUNCTION_WORDS or word in STATES or (place > start and word.endswith("ed")):
            return place
        # "Project Apollo ships in May".
        if place - 1 > start and before[0].isupper() and word.endswith("s") and words[place].islower():
            return place
        if word.endswith("'s") and lowered[place + 1 : place + 2] and lowered[place + 1] in FUNCTION_WORDS:
            return place + 1
    return max(start, last)


def _is_name(nouns: tuple[str, ...]) -> bool:
    """Whether a phrase ends with a name of what stands before it: "Project Apollo", not "Ben's Volvo"."""
    if len(nouns) < _NAMED or not (nouns[-1][0].isupper() and nouns[-1].isalpha()):
        return False
    return not nouns[-2].endswith(("'s", "\u2019s", "'", "\u2019"))


def _telling(words: tuple[str, ...], *, colours: bool) -> frozenset[str]:
    no_values = {"number"} if colours else {"number", "colour"}
    return frozenset(
        stem(word.lower().replace("\u2019", "'"))
        for word in words
        if word.lower() not in TELLS_NOTHING and kind_of(word, first=False) not in no_values
    )
