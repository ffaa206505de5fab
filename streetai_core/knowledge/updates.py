"""Short messages that tell how something is by now, known by what they share with an older one.

The forms of `forms/` know how a change is put. People put it in more ways than any list has ("They cancelled the 9:40,
the ferry leaves at noon"). What such messages have in common is a word that says that something has become so,
and with it, or in the sentence beside it, a word of the subject and a value of the kind that was told before. In long
messages some sentence shares as much with nearly any other, so that only short ones are compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from streetai_core.knowledge.becoming import BECOME, OVER
from streetai_core.knowledge.clauses import Clause, clauses
from streetai_core.knowledge.statements import Statement, of_pair
from streetai_core.knowledge.subjects import PEOPLE
from streetai_core.knowledge.values import ValueKind
from streetai_core.knowledge.wording import FUNCTION_WORDS, stem, tokens, word_set
from streetai_core.text.marks import CHANGE, TOLD
from streetai_core.text.words import whole_words

LONGEST = 45
"""Words of a message that is compared. Of what longer recorded ones would replace nine in ten were wrong."""

_MOSTLY = 0.5
"""Share of the words of a message that tells how something is. If any such clause would do, "Done. And for Saturday?"
would stand above what was told of Saturday."""

_OPENING = 2
"""Words of a clause that tells nothing without a value: "All green."."""

_NO_NEWS = re.compile(
    r"\b(?:trying to|struggling|ha(?:ve|ving) (?:a hard time|difficult(?:y|ies)|issues|problems|trouble)|unsure"
    r"|not sure|help me|thanks|thank you|got it|makes? sense|(?:that|this) (?:really )?helps)\b",
    re.IGNORECASE,
)
"""Who needs help or gives thanks tells nothing that holds."""

_NOT_SO = re.compile(
    r"\b(?:(?:almost|nearly) (?:(?!hundred\b)\w{3,}ed|bought|got|left|lost|quit|sold|took|went)"
    r"|(?:was|were) to (?:be|have)|thought (?:of|about) \w+ing|could imagine|debating|propos(?:al|ed)|rumou?rs?"
    r"|jok(?:e|er|ing)|kidding)\b",
    re.IGNORECASE,
)
"""What did not come about, or is not settled."""

_BESIDE = re.compile(
    r"\b(?:also|as well|alongside|besides|in addition|next to my"
    r"|(?:this|next|coming) \w+ (?:alone|only)|for (?:today|tomorrow|tonight|a day|the day|once)|just (?:for|on)"
    r"|(?:just )?this (?:once|time)|just this week)\b",
    re.IGNORECASE,
)
"""What holds beside what is told elsewhere, or for once, and takes the place of nothing."""

_LEAST = 0.35
"""The least similarity of two passages. With .40 a seventh fewer changes are found."""

_STRENGTH = 0.5
"""How sure such a link is; one that is announced is surer."""

_OTHERS = frozenset({"his", "her", "hers", "their", "theirs"})
"""Whose matter a sentence tells that is not of the speaker."""

_KNOWN = frozenset({"he", "she", "he's", "she's"})
"""Of whom a sentence speaks that begins so: somebody of whom was told before."""

_WORD_OVER = re.compile(rf"[\w'\u2019]*(?:{OVER.pattern})", re.IGNORECASE)
"""With the word that it ends: "isn't"."""

_WHO = 3
"""Words at the beginning of a clause that say that it is of somebody new: "A colleague dropped Hungarian"."""

_POSSESSIVE = re.compile(r"['\u2019]s?$")

_ACTING = frozenset(
    map(
        stem,
        word_set(
            """boss client coach dean dentist doctor landlady landlord lawyer manager nurse optician professor
            supervisor teacher therapist trainer vet"""
        ),
    )
)
"""Stems of those who change what is the speaker's: "the doctor put the dose up"."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A clause with a word of change, alone or with the one before or behind it: what it tells of, as stems."""

    changed: Clause
    """The clause with the word of change, without that word."""
    length: int
    """In words."""
    content: frozenset[str]
    topic: frozenset[str]
    valued: frozenset[str]
    kinds: frozenset[ValueKind]


def news_of(told: Statement) -> tuple[int, ...]:
    """The terms that say what a short message tells: `TOLD`, and `CHANGE`. Of what, only a question can tell."""
    if not told.has_facts:
        return ()
    if _changed(told.text):
        return TOLD, CHANGE
    return (TOLD,) if _tells(told.text) else ()


def told_anew(told: Statement) -> frozenset[str]:
    """Terms of what a short message says is over, not so, or has become so: "lark" of "They've killed Lark".

    Of who has facts of his own. Of another person only who it is: that one may be spoken of.
    """
    if not told.has_facts:
        return frozenset()
    said = _short(told.text)
    anew = {place for place, one in enumerate(said) if one.has_become or one.is_over}
    # "Zdeněk flooded the cellar. Never again" names beside it whom it means.
    spoken = [clause for place, clause in enumerate(said) if not anew.isdisjoint((place - 1, place, place + 1))]
    return frozenset(term for clause in spoken for term in _named_in(clause))


def tells_update(newer: Statement) -> bool:
    """Whether it says so of a value, so that it may bring another message up to date."""
    return bool(passages_of(newer.text))


def updated(newer: Statement, candidates: Sequence[tuple[Statement, float]]) -> list[tuple[int, float]]:
    """The candidate that a short message brings up to date, as (index, strength); none if it fits none.

    Args:
        newer: what is said now.
        candidates: older statements with the cosine of their embedding to the newer one's, the most similar first. Only
            that one is looked at: what is replaced is nearly always the nearest.
    """
    passages = passages_of(newer.text)
    if not passages or not candidates:
        return []
    older, similarity = candidates[0]
    return [(0, _STRENGTH)] if _is_news(newer, passages, older, similarity) else []


@lru_cache(maxsize=256)
def passages_of(text: str) -> tuple[Passage, ...]:
    """The passages of a short message that tell of a change and have a value."""
    told, found = clauses(text), []
    for place in _changed(text):
        changed = _without_cues(told[place])
        beside = (told[place + 1 : place + 2], told[max(0, place - 1) : place])
        found += [_passage(changed, ()), *(_passage(changed, one) for one in beside if one and _of_somebody(one[0]))]
    return tuple(passage for passage in found if passage.kinds)


def _short(text: str) -> tuple[Clause, ...]:
    """The clauses of a short message; none of a longer one."""
    return () if len(text.split(maxsplit=LONGEST)) > LONGEST else clauses(text)


def _tells(text: str) -> bool:
    """Whether a short message mostly tells how something is, and does not say "Perfect." and go on to ask."""
    told = _short(text)
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
    return _of_somebody(clause) and not _NO_NEWS.search(clause.sentence) and _replaces(clause)


def _changed(text: str) -> tuple[int, ...]:
    """The places of the clauses of a short message that have a word of change."""
    return tuple(
        place
        for place, clause in enumerate(_short(text))
        if clause.has_become and _of_somebody(clause) and _replaces(clause)
    )


def _replaces(clause: Clause) -> bool:
    """Whether what it tells may stand in place of something else."""
    return not _NOT_SO.search(clause.sentence) and not _BESIDE.search(clause.sentence)


def _of_somebody(clause: Clause) -> bool:
    """Whether it is told of whom or what it speaks, and of nobody else, as "The Bakers cancelled their trip" is."""
    subject = clause.subject
    if subject.speaks_of_self or not _KNOWN.isdisjoint(clause.lowered[:1]):
        return True
    if subject.owner == "person" and subject.words.isdisjoint(_ACTING):
        return False
    return subject.owner != "other" and _OTHERS.isdisjoint(clause.lowered)


def _without_cues(clause: Clause) -> Clause:
    """A clause without its words of change: the day since when something is so is no value."""
    sentence = BECOME.sub(" ", clause.sentence)
    return Clause(sentence=sentence, words=tokens(sentence), cue=clause.cue)


def _named_in(clause: Clause) -> set[str]:
    """The terms of a clause without the words that say what has become of it."""
    words = tokens(_WORD_OVER.sub(" ", BECOME.sub(" ", clause.sentence)))
    if clause.subject.owner == "person" and not _of_somebody(clause):
        words = tuple(word for word in words if stem(_POSSESSIVE.sub("", word.lower())) in clause.subject.words)
    elif clause.subject.owner == "other" and not PEOPLE.isdisjoint(clause.lowered[:_WHO]):
        return set()
    return whole_words(" ".join(word for word in words if word.lower().replace("\u2019", "'") not in FUNCTION_WORDS))


def _passage(changed: Clause, beside: Sequence[Clause]) -> Passage:
    some = (changed, *beside)

    def together(name: str) -> frozenset[str]:
        return frozenset[str]().union(*(getattr(clause, name) for clause in some))

    return Passage(
        changed=changed,
        length=sum(len(clause.words) for clause in some),
        content=together("content"),
        topic=together("topic"),
        valued=together("valued"),
        kinds=frozenset[ValueKind]().union(*(clause.values for clause in some)),
    )


def _is_news(newer: Statement, passages: Sequence[Passage], older: Statement, similarity: float) -> bool:
    """Whether a passage brings a clause of a short older statement up to date."""
    if not newer.may_outdo(older) or len(older.text.split(maxsplit=LONGEST)) > LONGEST:
        return False
    words = len(newer.text.split()) * len(older.text.split())
    again = {clause.sentence for clause in clauses(newer.text)}
    return any(
        of_pair(similarity, new.length * len(old.words) / words) >= _LEAST and _fits(new, old)
        for new in passages
        for old in clauses(older.text)
        if old.sentence not in again
    )


def _fits(new: Passage, old: Clause) -> bool:
    """Whether both tell of one subject, and the newer one another value of one kind."""
    shared = bool(new.topic & old.topic)
    if not old.state or not (shared or new.content & old.valued) or not _same_people(new, old, shared=shared):
        return False
    if new.changed.is_of_another(old):
        return False
    if not new.kinds & old.values or new.valued <= old.valued:
        return False
    # What stands beside the change may be of something else altogether.
    return bool(new.changed.content & old.content or new.changed.values & old.values)


def _same_people(new: Passage, old: Clause, *, shared: bool) -> bool:
    """Whether the newer passage can be about the person of whose matter the older clause is."""
    if old.subject.owner == "person":
        return bool(old.subject.words & new.content)
    return old.subject.owner != "other" or shared
