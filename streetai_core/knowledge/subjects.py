"""Whose fact a sentence states: the speaker's own, another person's, a thing's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from streetai_core.knowledge.wording import FUNCTION_WORDS, stem, word_set

Owner: TypeAlias = Literal["self", "person", "thing", "other"]
"""`self`: the speaker ("I", "my budget"). `person`: somebody named by a word for people ("my sister", "Anna's").
`thing`: what the noun at the start names ("the wedding", "Backups"; names of people stand here too). `other`: nobody
that could be told again ("someone", "he", "a girl on the tram")."""

PEOPLE = word_set(
    """aunt baby boss boyfriend brother bride child children classmate client coach colleague competitor cousin
    coworker dad dancer daughter dean dentist doctor ex family father father-in-law fiancé fiancée flatmate
    friend friends gardener girl girlfriend grandfather grandma grandmother grandpa grandparents grandson
    granddaughter grandchild guest guests guy husband kid kids landlady landlord lawyer man manager mate mentor
    mom mother mother-in-law mum neighbor neighbors neighbour neighbours nephew niece nurse parents partner
    people professor rival roommate roommates sister sister-in-law brother-in-law son stepfather stepmother
    student students supervisor teacher therapist trainer hairdresser electrician plumber baker postman vet
    optician pharmacist nanny babysitter cleaner mechanic tenant buddy pal teammate team-mate actor singer twin
    uncle wife woman"""
)
"""Words for people that a sentence can be about. Pets belong to the speaker, as things do."""

_FIRST = frozenset({"i", "we", "i'm", "we're", "i've", "we've", "i'd", "we'd", "i'll", "we'll"})
_OBJECT = frozenset({"me", "us", "myself", "ourselves"})
_OWN = frozenset({"my", "our"})
_ARTICLES = frozenset({"the", "this", "that", "these", "those"})
_NOBODY = word_set(
    """a an some someone somebody everybody everyone nobody lots many most few another other people they he she it you
    his her their your yours its one two he's she's they're it's you're there here anyone each every"""
)
"""Who cannot be told again; "your" is the listener's."""

_VAGUE = frozenset({"they", "it", "it's", "there", "one", "two"})
"""Who stands for nobody in particular: the sentence is about something else in it."""

_OPENERS = word_set(
    """since for after from in on at as instead with when now actually well so and but because before by until during
    these starting no not oh sorry wait oops hold please then also just finally turns correction to if although
    while okay ok yes yeah hey hi once without despite under only unfortunately luckily"""
)
"""Words that stand before the subject of a sentence."""

_NOUN_PHRASE = 4
"""Up to so many words make the subject's noun phrase ("the default language model")."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Who or what a sentence is about."""

    owner: Owner
    words: frozenset[str]
    """The stems that name a person or a thing; empty for `self` and `other`."""
    speaks_of_self: bool
    """Whether the speaker stands in the sentence at all ("they moved *my* appointment"), not only by "my sister"."""


def subject_of(tokens: tuple[str, ...]) -> Subject:
    """The subject of a sentence, by the first noun phrase.

    Args:
        tokens: the words of the sentence as written, in order.
    """
    lowered = tuple(token.lower().replace("\u2019", "'") for token in tokens)
    of_self = _speaks_of_self(lowered)
    start = _subject_start(lowered)
    first = lowered[start] if start < len(lowered) else ""
    if first in _FIRST:
        return Subject("self", frozenset(), of_self)
    if first in _OWN or (first in _ARTICLES and start + 1 < len(lowered)):
        return _possessed(tokens[start + 1 : start + _NOUN_PHRASE], of_self=of_self, own=first in _OWN)
    if not first or first in _NOBODY:
        return _nobody(first, of_self=of_self)
    return _noun(lowered[start : start + _NOUN_PHRASE], of_self=of_self, to_listener="you" in lowered)


def _nobody(first: str, *, of_self: bool) -> Subject:
    """The subject of a sentence that begins with "you", "they", "someone" or nothing at all.

    "You can reach me at" is about the speaker, "They shifted the practice" about what is in the rest.
    """
    if of_self and first in {"", "you", "there"}:
        return Subject("self", frozenset(), of_self)
    return Subject("thing" if first in _VAGUE else "other", frozenset(), of_self)


def _noun(phrase: tuple[str, ...], *, of_self: bool, to_listener: bool) -> Subject:
    """The subject of a sentence that begins with a noun, a name, or the verb of a command."""
    base = phrase[0].removesuffix("'s")
    if base in PEOPLE:
        return Subject("person", frozenset({stem(base)}), of_self)
    command = len(phrase) > 1 and (phrase[1] in _ARTICLES | _OWN | _OBJECT or phrase[1][0].isdigit())
    if command or "and i" in " ".join(phrase):
        return Subject("self", frozenset(), speaks_of_self=True)
    if to_listener and not of_self:
        return Subject("other", frozenset(), of_self)
    if base != phrase[0]:
        return Subject("thing" if _is_short_for_is(phrase) else "person", frozenset({stem(base)}), of_self)
    named = _content(phrase)
    return Subject("thing" if named else "self", named, of_self or not named)


def _subject_start(lowered: tuple[str, ...]) -> int:
    """Where the subject begins: at the first word, or behind an opening phrase at the first word that can be one."""
    if not lowered or lowered[0] not in _OPENERS:
        return 0
    for position, token in enumerate(lowered):
        if token in _FIRST:
            return position
    for position, token in enumerate(lowered):
        if token in _OWN or token in _ARTICLES:
            return position
    return next((place for place, token in enumerate(lowered) if token not in _OPENERS), len(lowered))


def _possessed(written: tuple[str, ...], *, of_self: bool, own: bool) -> Subject:
    """The subject of "my ..." or "the ...": a person in it owns what follows."""
    phrase = tuple(word.lower().replace("\u2019", "'") for word in written)
    if own and "and i" in " ".join(phrase):
        return Subject("self", frozenset(), speaks_of_self=True)
    for place, token in enumerate(phrase):
        base = token.removesuffix("'s").removesuffix("'")
        if token in FUNCTION_WORDS and base not in PEOPLE:
            break
        if base in PEOPLE:
            # "My sister Ann" is one, "my sister's Lark" hers.
            named = {
                stem(word.lower()) for word in written[place + 1 : place + 2] if word[0].isupper() and token == base
            }
            return Subject("person", frozenset({stem(base), *named}), of_self)
        if token.endswith("'s") and not _is_short_for_is(phrase[place:]):
            return Subject("person", frozenset({stem(base)}), of_self)
    if own:
        return Subject("self", frozenset(), of_self)
    return Subject("thing", _content(phrase), of_self)


def _is_short_for_is(phrase: tuple[str, ...]) -> bool:
    """Whether a noun at the beginning owns nothing: "the standup's at 10" tells what it is."""
    if len(phrase) == 1 or not phrase[0].endswith("'s"):
        return False
    return phrase[1] in FUNCTION_WORDS or not phrase[1].isalpha()


def _speaks_of_self(lowered: tuple[str, ...]) -> bool:
    for position, token in enumerate(lowered):
        if token in _FIRST or token in _OBJECT:
            return True
        if token in _OWN and not any(_names_person(word) for word in lowered[position + 1 : position + 3]):
            return True
    return False


def _names_person(word: str) -> bool:
    return word.removesuffix("'s").removesuffix("'") in PEOPLE


def _content(phrase: tuple[str, ...]) -> frozenset[str]:
    """The stems of the noun phrase, up to its first function word."""
    found = set()
    for token in phrase:
        if token in FUNCTION_WORDS:
            break
        found.add(stem(token))
    return frozenset(found)
