"""Short messages that tell how something is by now, known by what they share with an older one.

The forms of `forms/` know how a change is put. People put it in more ways than any list has ("They cancelled the 9:40,
the ferry leaves at noon"). What such messages have in common is a word that says that something has become so,
and with it, or in the sentence beside it, a word of the subject and a value of the kind that was told before. In long
messages some sentence shares as much with nearly any other, so that only short ones are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from streetai_core.knowledge.becoming import BECOME
from streetai_core.knowledge.clauses import Clause, clauses
from streetai_core.knowledge.statements import Statement, of_pair
from streetai_core.knowledge.telling import LONGEST, changed, of_somebody
from streetai_core.knowledge.values import ValueKind
from streetai_core.knowledge.wording import tokens
from streetai_core.text.letter_case import without

_LEAST = 0.35
"""The least similarity of two passages. With .40 a seventh fewer changes are found."""

_STRENGTH = 0.5
"""How sure such a link is; one that is announced is surer."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A clause with a word of change, alone or with the one before or behind it: what it tells of, as stems."""

    said: Clause
    """The clause with the word of change."""
    changed: Clause
    """That clause without the word."""
    length: int
    """In words."""
    content: frozenset[str]
    topic: frozenset[str]
    valued: frozenset[str]
    kinds: frozenset[ValueKind]


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
    for place in changed(text):
        anew = _without_cues(told[place])
        around = (told[place + 1 : place + 2], told[max(0, place - 1) : place])
        beside = [one for one in around if one and of_somebody(one[0])]
        found += [_passage(told[place], anew, one) for one in ((), *beside)]
    return tuple(passage for passage in found if passage.kinds)


def _without_cues(clause: Clause) -> Clause:
    """A clause without its words of change: the day since when something is so is no value."""
    sentence = without(BECOME, clause.sentence)
    return Clause(sentence=sentence, words=tokens(sentence), cue=clause.cue)


def _passage(said: Clause, changed: Clause, beside: Sequence[Clause]) -> Passage:
    some = (changed, *beside)

    def together(name: str) -> frozenset[str]:
        return frozenset[str]().union(*(getattr(clause, name) for clause in some))

    return Passage(
        said=said,
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
    if new.said.is_of_another(old):
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
