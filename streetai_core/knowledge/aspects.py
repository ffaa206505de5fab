"""Aspects of a life that change as a whole: who moves to Nice no longer lives in Lyon, though no word is shared."""

from __future__ import annotations

from streetai_core.knowledge.wording import stem

_ASPECTS = {
    "home": (
        "moved moving live lived living lives reside apartment flat house home dorm hostel hotel room based "
        "rent studio farm cabin caravan houseboat settled relocated address roof landlord floor basement "
        "attic neighbourhood"
    ),
    "work": (
        "work job employed employer career profession occupation company firm position hired fired promoted "
        "internship teach teacher teaching nurse developer engineer manager analyst consultant accountant "
        "architect freelance freelancing unemployed startup shift office chef waitress barista bartender "
        "carpenter salary colleague trainee training illustrator editor guard warehouse boss laid"
    ),
    "couple": (
        "dating seeing dumped girlfriend boyfriend husband wife partner single married divorced engaged "
        "engagement fiancé fiancée broke split separated together relationship wedding couple friend friends"
    ),
    "food": (
        "vegan vegetarian pescatarian meat fish diet keto gluten milk dairy sugar breakfast lunch dinner eat "
        "ate eating allergic intolerant coffee tea alcohol wine"
    ),
    "vehicle": (
        "car bike drive driving ride riding vespa motorbike motorcycle van truck scooter bus tram lease golf tesla"
    ),
    "pet": "dog cat puppy kitten rabbit hamster parrot beagle poodle",
    "sport": "running run gym climbing hiking swimming sailing tennis yoga football chess",
    "music": "piano guitar trumpet drums choir band techno jazz opera classical music sing",
    "smoking": "smoke smoking cigarettes cigarette smoker",
    "reach": ("phone number mobile landline email mail address reach skype whatsapp signal telegram contact extension"),
}
"""Words of each aspect, between spaces. A few common ones suffice: where a word is missing, shared words decide."""


def _table() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for aspect, words in _ASPECTS.items():
        for word in words.split():
            found.setdefault(stem(word), set()).add(aspect)
    return {word: frozenset(aspects) for word, aspects in found.items()}


_BY_STEM = _table()


def aspects_of(words: frozenset[str]) -> frozenset[str]:
    """The aspects that the stems in `words` belong to."""
    return frozenset().union(*(_BY_STEM[word] for word in words if word in _BY_STEM))
