"""The words of a sentence: cut, stemmed, sorted into those that carry the subject and those that do not."""

from __future__ import annotations

import re
from functools import lru_cache

_TOKEN = re.compile(r"[\w@][\w@'\u2019.:/+-]*\w|\w|[$\u20ac\u00a3]")
"""A word, number, address or handle, without the marks at its ends."""


def word_set(words: str) -> frozenset[str]:
    """The words between white space, as a set."""
    return frozenset(words.split())


FUNCTION_WORDS = word_set(
    """a about after again all also am an and any anymore are as at be because been before being but by can can't
    cannot could did didn't do does doesn't doing don't down for from further get gets getting got had has
    hasn't have haven't having he her here hers him his how i i'd i'll i'm i've if in instead into is isn't
    it it's its itself just let longer made make makes me mine more most my myself no nor not now of off ok
    on only or our ours out over own please rather really said same say says she should so some still such
    he'd he'll he's it'd it'll she'd she'll she's they'd they'll they've we'd we'll you'd you'll you're you've
    someone somebody something
    take than that that's the their them then there these they they're this those through to today too up us
    use used uses named using very was wasn't we we're we've were what when where which while who whom why
    will with won't would yes you your actually sorry correction new old became become becoming changed
    move moves moved moving passes passed
    switched since anything everything nothing one thing things always usually days time last
    next gone quit stop stopped stopping start started giving gave give given dropped left going went back
    cancelled canceled renamed renaming rebranded rescheduled postponed shifted shifting pushed raised
    increased lowered reduced extended swapped replaced traded sold upgraded migrated relocated brought
    forward cut converted reverted undid undo scratch disregard ignore rebooked settled decided no-one wait
    oops hold oh hey well need needs want wants wanted put rewrote written rewrite mr mrs ms dr prof
    professor retired lost forget strike ditched dumped stepped goes transferred terminated took set never
    mind turn turned turns wrong mistake meant calls"""
)
"""Words that say nothing about the subject of a sentence; the verbs of change are among them."""

STATES = word_set(
    """is are am i'm we're it's live living work working stay staying drive ride use follow take drink earn owe
    weigh runs run host hosts starts ends opens closes leaves arrives costs takes meets comes needs need
    have has like prefer pay pays rent lease teach study lives works drives uses earns owes weighs likes
    prefers wears wear lasts called named set cost keep eat eats sleep play wake get go feed watch"""
)
"""Verbs of what holds until further notice. What happened ("saw", "bought") can happen again: it replaces nothing."""

ONCE = word_set("today tonight yesterday ago was were had did went")
"""Words of what is told once."""

_STANDING = word_set(
    """based employed married engaged retired called named divorced separated scheduled planned used need bed red
    settled kid unmarried"""
)
"""Words that end like a past tense and tell what holds."""

_NO_STATE = word_set(
    """should hope hoping let's gonna trying saw ate got bought took made came found felt met told said thought
    heard won spent gave left ran drove wrote read went began flew slept stood lost"""
)
"""Past tenses, and words of what is only wished or tried."""


_OFTEN = word_set("every always usually daily mostly normally")
_SAME_FORM = word_set("read")
"""Past tenses that are the present as well: with a word of `_OFTEN` they tell a habit."""

NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
"""Numbers that people write in words as often as in figures, from one on."""

DETERMINERS = word_set("a an the this my our your his her their")
"""Words that begin a noun phrase."""


def tells_state(lowered: tuple[str, ...]) -> bool:
    """Whether a sentence, by its lower-case words, tells what holds until further notice, not what happened once."""
    often = not _OFTEN.isdisjoint(lowered)
    return not any(
        word in ONCE
        or (word in _NO_STATE and not (often and word in _SAME_FORM) and not _is_had(lowered, place))
        or _is_past(lowered, place)
        for place, word in enumerate(lowered)
    )


def _is_had(lowered: tuple[str, ...], place: int) -> bool:
    """Whether a word is "got" in "I've got", which tells what somebody has."""
    before = lowered[place - 1] if place else ""
    return lowered[place] == "got" and (before in {"have", "has"} or before.endswith(("'ve", "'s")))


def _is_past(lowered: tuple[str, ...], place: int) -> bool:
    """Whether a word ends like a past tense and is one: not in "the seeded loaf"."""
    word = lowered[place]
    return word.endswith("ed") and word not in _STANDING and not (place and lowered[place - 1] in DETERMINERS)


_SHORTEST_STEM = 3
"""A stem keeps at least so many letters."""

_ENDINGS = ("ing", "ed", "e")
"""What is cut once the plural is."""


_IRREGULAR = {
    "children": "child", "grandchildren": "grandchild", "wives": "wif", "men": "man", "women": "woman", "feet": "foot",
    "bitten": "bit", "driven": "driv", "drove": "driv", "ate": "eat", "eaten": "eat", "ran": "run", "taught": "teach",
    "wore": "wear", "worn": "wear", "sang": "sing", "rode": "rid", "drank": "drink", "drunk": "drink",
}  # fmt: skip
"""Forms that no ending tells."""

_WITH_SUCH_FORMS = frozenset(_IRREGULAR.values())


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The stem of a lower-case word, by cutting common English endings: "living", "lives" and "lived" are one."""
    word = word.removesuffix("'s").removesuffix("\u2019s").removesuffix("'")
    if word in _IRREGULAR or not word.isalpha():
        return _IRREGULAR.get(word, word)
    if word.endswith(("ies", "ied")):
        return word[:-3] + "y" if len(word) > _SHORTEST_STEM + 1 else word[:-1]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > _SHORTEST_STEM:
        word = word[:-1]
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            cut = word[: len(word) - len(ending)]
            doubled = len(cut) > _SHORTEST_STEM and cut[-1] == cut[-2] and cut[-1] not in "aeiouls"
            return cut[:-1] if doubled else cut
    return word


def is_irregular(root: str) -> bool:
    """Whether a stem has forms that no ending tells."""
    return root in _WITH_SUCH_FORMS


def tokens(text: str) -> tuple[str, ...]:
    """The words of `text` in order, as written."""
    return tuple(_TOKEN.findall(text))


def content_words(words: tuple[str, ...]) -> frozenset[str]:
    """The stems of the words that carry a subject."""
    return frozenset(
        stem(lowered) for word in words if (lowered := word.lower().replace("\u2019", "'")) not in FUNCTION_WORDS
    )
