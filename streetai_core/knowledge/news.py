"""What short messages tell that may bring others up to date, for a question to see.

Where nothing links two messages when they are written, what one says is over, or names beside a value of the other, is
kept as a mark (`planning/news.py`); `recall/news.py` looks for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from streetai_core.knowledge.announcing import announces_change
from streetai_core.knowledge.becoming import BECOME, ENDED, OVER
from streetai_core.knowledge.clauses import Clause
from streetai_core.knowledge.pairs import pairs
from streetai_core.knowledge.statements import Statement
from streetai_core.knowledge.subjects import PEOPLE
from streetai_core.knowledge.telling import changed, of_somebody, replaces, short
from streetai_core.knowledge.wording import FUNCTION_WORDS, NUMBER_WORDS, stem, tokens
from streetai_core.text.letter_case import without
from streetai_core.text.marks import ANNOUNCED, CHANGE, CORRECTED, TOLD, VALUES, numbered, qualified
from streetai_core.text.words import hashed, whole_words

Value = tuple[str, ...]
"""The terms of a value, ascending."""

_MOSTLY = 0.5
"""Share of the words of a message that tells how something is. If any such clause would do, "Done. And for Saturday?"
would stand above what was told of Saturday."""

_OPENING = 2
"""Words of a clause that tells nothing without a value: "All green."."""

_NO_NEWS = re.compile(
    r"\b(?:trying to|struggling|ha(?:ve|ving) (?:a hard time|difficult(?:y|ies)|issues|problems|trouble)|unsure"
    r"|not sure|help me|thanks|thank you|got it|makes? sense|(?:that|this) (?:really )?helps)\b",
)
"""Who needs help or gives thanks tells nothing that holds."""

_WRONG = re.compile(
    r"\b(?:wrong|mistaken?|correct(?:ion|ed)|typo|misprint|turns? out|turned out"
    r"|mis(?:read|heard|typed|spoke|counted|remembered|calculated|spelled))\b",
)
"""Words that say that what was told was not so from the first."""

_WORD_OVER = re.compile(rf"[\w'\u2019]*(?:{OVER.pattern})")
"""With the word that it ends: "isn't"."""

_WHO = 3
"""Words at the beginning of a clause that say that it is of somebody new: "A colleague dropped Hungarian"."""

_POSSESSIVE = re.compile(r"['\u2019]s?$")

_VALUE_NEAR = 4
"""Words before and behind one that says that something is over, among which a value is what is over. Of the values
that are further off more still hold: "not more than 120 for the two of us"."""

_THING_NEAR = 2
"""Words before and behind it among which a thing that is no value is over: "no more bullets", "rabbitmq got
decommissioned"."""

_MOST_TERMS = 4
"""Terms of a value that is said to be over: more are a sentence of their own."""

_FIGURES = {word: str(number) for number, word in enumerate(NUMBER_WORDS, 1)}
_OTHERWISE = _FIGURES | {figure: word for word, figure in _FIGURES.items()}
"""Numbers that people write in either way."""

_TEENS = range(11, 14)
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_DAYS = {str(day): f"{day}{'th' if day in _TEENS else _ENDINGS.get(day % 10, 'th')}" for day in range(1, 32)}
_ORDINALS = _DAYS | {ordinal: day for day, ordinal in _DAYS.items()}
"""Days of a month, which people write in either way too."""


def news_of(told: Statement) -> tuple[int, ...]:
    """The marks of what a short message tells: `TOLD`, `CHANGE`, `CORRECTED`, `ANNOUNCED`, `VALUES`.

    And of which of several things it tells that: `qualified`, `numbered`. What it is about is left to the question.
    """
    if not told.has_facts:
        return ()
    said, marks = short(told.text), _told_by(told)
    kinds = frozenset(kind for clause in said for kind in clause.values)
    # Nothing else may stand above what was told before.
    stands = bool(marks) or any(clause.cue or clause.has_become or clause.is_over for clause in said)
    which = frozenset(pairs(told.text)) if stands else ()
    return (
        *marks,
        *(VALUES[kind] for kind in sorted(kinds)),
        *sorted({(numbered if word.isdigit() else qualified)(hashed(noun)) for word, noun in which}),
    )


def _told_by(told: Statement) -> tuple[int, ...]:
    said = short(told.text)
    marks = (
        *((CORRECTED,) if any(map(_corrects, said)) else ()),
        *((ANNOUNCED,) if said and announces_change(told.text) else ()),
    )
    if changed(told.text):
        return TOLD, CHANGE, *marks
    return (TOLD, *marks) if _tells(told.text) else marks


def _corrects(clause: Clause) -> bool:
    """Whether a clause says that what was told was wrong from the first."""
    return _WRONG.search(clause.small) is not None or (
        clause.cue is not None and clause.cue.strong and clause.cue.kind == "corrected"
    )


def told_anew(told: Statement) -> frozenset[str]:
    """Terms of what a short message says is over, not so, or has become so: "lark" of "They've killed Lark".

    Of who has facts of his own. Of another person only who it is: that one may be spoken of.
    """
    if not told.has_facts:
        return frozenset()
    said = short(told.text)
    anew = {place for place, one in enumerate(said) if one.has_become or one.is_over}
    # "Zdeněk flooded the cellar. Never again" names beside it whom it means.
    spoken = [clause for place, clause in enumerate(said) if not anew.isdisjoint((place - 1, place, place + 1))]
    return frozenset(term for clause in spoken for term in _named_in(clause))


def values_over(told: Statement) -> frozenset[Value]:
    """The terms of what a short message says is over: "no more 200", "we're not at the Crown", "I've quit Jira"."""
    if not told.has_facts:
        return frozenset()
    found: set[Value] = set()
    for clause in short(told.text):
        if not of_somebody(clause) or not replaces(clause):
            continue
        if clause.cue is not None and clause.cue.old:
            found |= _each_way(tokens(clause.sentence[slice(*clause.cue.old)]))
        for place in _near(clause, OVER, _VALUE_NEAR) if clause.is_over else ():
            if clause.kinds[place] not in {None, "colour"}:
                found |= _each_way((clause.words[place],))
        for place in _near(clause, ENDED, _THING_NEAR):
            if clause.kinds[place] is None:
                found.add(_terms((clause.words[place],)))
    return frozenset(terms for terms in found if 0 < len(terms) <= _MOST_TERMS)


def values_beside(told: Statement) -> frozenset[Value]:
    """The terms of each value that a short message names beside another one of its kind."""
    if not told.has_facts or not all(map(replaces, short(told.text))):
        return frozenset()
    by_kind: dict[str, set[Value]] = {}
    for clause in filter(of_somebody, short(told.text)):
        for word, kind in zip(clause.words, clause.kinds, strict=True):
            if kind and (terms := _terms((word,))):
                by_kind.setdefault(kind, set()).add(terms)
    return frozenset(terms for some in by_kind.values() if len(some) > 1 for terms in some)


def _tells(text: str) -> bool:
    """Whether a short message mostly tells how something is, and does not say "Perfect." and go on to ask."""
    told = short(text)
    lacking, before = _MOSTLY * len(text.split()) if told else 0.0, ""
    for clause in told:
        # The last part of a sentence stands there by itself too.
        if clause.sentence not in before and _tells_something(clause):
            lacking -= len(clause.words)
            before = clause.sentence
            if lacking <= 0:
                return True
    return False


def _tells_something(clause: Clause) -> bool:
    """Whether a clause tells how something is, of whom or what it speaks."""
    if len(clause.words) <= _OPENING and not clause.values:
        return False
    return of_somebody(clause) and not _NO_NEWS.search(clause.small) and replaces(clause)


def _named_in(clause: Clause) -> set[str]:
    """The terms of a clause without the words that say what has become of it."""
    words = tokens(without(_WORD_OVER, without(BECOME, clause.sentence)))
    if clause.subject.owner == "person" and not of_somebody(clause):
        words = tuple(word for word in words if stem(_POSSESSIVE.sub("", word.lower())) in clause.subject.words)
    elif clause.subject.owner == "other" and not PEOPLE.isdisjoint(clause.lowered[:_WHO]):
        return set()
    return whole_words(" ".join(word for word in words if word.lower().replace("\u2019", "'") not in FUNCTION_WORDS))


def _near(clause: Clause, said: re.Pattern[str], words: int) -> set[int]:
    """The places of a clause's words up to so many before and behind what a pattern finds."""
    places: set[int] = set()
    for match in said.finditer(clause.small):
        first, behind = (len(tokens(clause.sentence[:end])) for end in match.span())
        places.update(range(max(first - words, 0), first), range(behind, min(behind + words, len(clause.words))))
    return places


def _each_way(words: Sequence[str]) -> set[Value]:
    """Some words, and with a number written the other ways: "two" and "2", "9" and "9th"."""
    ways = [(word, _OTHERWISE.get(word.lower()), _ORDINALS.get(word.lower())) for word in words]
    return {_terms([way or word for word, way in zip(words, each, strict=True)]) for each in zip(*ways, strict=True)}


def _terms(words: Sequence[str]) -> Value:
    plain = (word for word in words if word.lower().replace("\u2019", "'") not in FUNCTION_WORDS)
    return tuple(sorted(whole_words(" ".join(plain))))
