"""Value swaps: the same sentence with another value, said without any word of change."""

from __future__ import annotations

import re

from streetai_core.knowledge.clauses import Clause
from streetai_core.knowledge.values import ValueKind, kind_of
from streetai_core.knowledge.wording import FUNCTION_WORDS, ONCE, STATES, stem, word_set

_UNIQUE = word_set(
    """favourite favorite preferred usual default main current best name title number address email phone mobile job
    employer boss supervisor roommate flatmate coach laptop car bike home town code budget rent salary airline
    flavour size colour color film model version married single browser editor host bank doctor dentist teacher
    pizza"""
)
"""What one has one of at a time, so that any other value replaces it."""

_SINGLE = re.compile(
    r"^(?:i|we|i'm|we're)(?: am| are)? (?:currently |still )?(?:live|living|reside|work(?:ing)?(?! on\b)|stay|staying"
    r"|based|employed|married|engaged|from|drive|ride|lease|host|reading|watching|dating|seeing"
    r"|earn my living|use|study|studying)\b"
    r"|^(?:i|we) (?:like|drink|take|prefer) my\b|^for (?:breakfast|lunch|dinner)\b"
    r"|^(?:i|we) (?:always|usually) (?:have|eat|drink|take|order|wear|get)\b"
)
"""Beginnings that leave room for one value: one lives in one place, drives one car to work."""

_MODIFIED = ("i follow ", "we follow ", "i'm on ", "we're on ", "i wear ")
"""Beginnings that leave room for one value when the end is the same too ("I follow a low-carb *diet*")."""

_ROLES = re.compile(r"^(?:i'm|i am)(?: an?)?$")
"""The beginning of what somebody is."""

_AT = frozenset({"at", "in", "for"})
"""What makes a role a job: one is "a barista *at* Bean There", and then no longer at the Blue Parrot."""

_DIET = frozenset({"vegan", "vegetarian", "pescatarian", "omnivore", "flexitarian", "keto"})
"""Ways to eat, of which one has one."""

_UNITS = word_set("am pm o'clock mr mrs ms dr professor euro euros dollar dollars pounds")
"""What stands beside a value and is none."""

_PROGRESSIVE = frozenset({"i'm", "we're"})
"""Who is using one thing may be using another one too, so names differ without a swap."""

_ELSEWHERE = frozenset({"on", "under", "behind", "among", "between", "above", "below", "not"})
"""What begins no value of what one has one of: a name may be *on* a list."""

_RECURRING = word_set("mondays tuesdays wednesdays thursdays fridays saturdays sundays weekdays weekends")
"""Days that come again: what holds on Fridays leaves alone what holds on Mondays."""

_EXCLAIMED = (("way", "to", "go"), ("sounds", "like"), ("that", "sounds", "like"))
"""Beginnings of what is called out to somebody, whose name is no value."""

_LONGEST_VALUE = 6
"""Words of a value; longer differences are another statement."""

_LONGEST_SENTENCE = 16
"""Words of a sentence that can be a value swap; longer ones tell more than one value."""

_LEAST_SHARED = 2
"""A shared beginning has at least a subject and a verb."""


def swapped(newer: Clause, older: Clause) -> bool:
    """Whether the two say the same of the same subject with different values.

    The sentences share their beginning, with the subject and a verb of state, and differ in a value of one kind (two
    numbers, two dates, two names), or in anything where the beginning leaves room for one value ("I live in", "My
    favourite colour is").
    """
    mine, theirs = newer.lowered, older.lowered
    if mine[:1] != theirs[:1] or max(len(mine), len(theirs)) > _LONGEST_SENTENCE or _is_exclaimed(newer):
        return False
    head = _shared(mine, theirs)
    rest = min(len(mine), len(theirs)) - head
    tail = min(_shared(mine[::-1], theirs[::-1]), rest)
    new_value, old_value = mine[head : len(mine) - tail], theirs[head : len(theirs) - tail]
    sizes = len(new_value), len(old_value)
    if min(sizes) == 0 or max(sizes) > _LONGEST_VALUE or head < _LEAST_SHARED:
        return False
    if ONCE & {*mine, *theirs} or not STATES & set(mine[:head]):
        return False
    if _RECURRING & set(new_value) and _RECURRING & set(old_value):
        return False
    return _exclusive(newer, older, head, (new_value, old_value), same_end=tail > 0)


def _exclusive(
    newer: Clause, older: Clause, head: int, values: tuple[tuple[str, ...], tuple[str, ...]], *, same_end: bool
) -> bool:
    """Whether the beginning, the first `head` words, leaves room for only one of the two values."""
    mine, (new_value, old_value) = newer.lowered, values
    kinds = _kinds(newer, head, new_value) & _kinds(older, head, old_value)
    if kinds and (mine[0] not in _PROGRESSIVE or kinds <= {"number", "date"}):
        return True
    if new_value[0] in _ELSEWHERE:
        return False
    beginning = " ".join(mine[:head])
    if _ROLES.match(beginning):
        return any(all(kind & set(value) for value in values) for kind in (_DIET, _AT))
    if beginning.startswith(_MODIFIED):
        return same_end
    return bool(_SINGLE.search(beginning)) or bool(_UNIQUE & set(mine[:head]) and {"is", "are"} & set(mine[:head]))


def retold(newer: Clause, older: Clause) -> bool:
    """Whether the two have the same words but their values, or one denies what the other affirms.

    Both tell a state. So "My landlady has the number 55" and "The number of my landlady is 66" are told anew, and "I
    meditate" is denied by "I don't meditate these days".
    """
    if not (newer.state and older.state) or max(len(newer.words), len(older.words)) > _LONGEST_SENTENCE:
        return False
    if newer.topic != older.topic or not newer.topic:
        return False
    if newer.valued == older.valued:
        return newer.negated != older.negated
    return len(newer.topic) >= _LEAST_SHARED and bool(newer.values & older.values & {"number", "date", "contact"})


def swap_beginning(clause: Clause) -> str | None:
    """The words, as written in lower case, that an older statement must begin with to be swapped for this one.

    `None` where no other statement can be: it says nothing that stays so, or leaves room for more than one value.
    """
    end = _verb_of_state(clause)
    if end is None or ONCE.intersection(clause.lowered) or _is_exclaimed(clause):
        return None
    head = max(end, _LEAST_SHARED)
    return " ".join(clause.lowered[:head]) if _leaves_room_for_one(clause, head) else None


def may_retell(clause: Clause) -> bool:
    """Whether any other statement can be told anew by this one; such a one has the same topic."""
    return _verb_of_state(clause) is not None and clause.state and bool(clause.topic)


def _verb_of_state(clause: Clause) -> int | None:
    """Where the first verb of what holds ends, in words, in a sentence that can tell one value."""
    if len(clause.words) > _LONGEST_SENTENCE:
        return None
    return next((place + 1 for place, word in enumerate(clause.lowered) if word in STATES), None)


def _is_exclaimed(clause: Clause) -> bool:
    return any(clause.lowered[: len(beginning)] == beginning for beginning in _EXCLAIMED)


def _leaves_room_for_one(clause: Clause, head: int) -> bool:
    """Whether `_exclusive` can hold of this clause and any other that shares at least its first `head` words."""
    mine = clause.lowered
    kinds = set(clause.kinds[head:]) - {None}
    if kinds and (mine[0] not in _PROGRESSIVE or kinds & {"number", "date"}):
        return True
    said = " ".join(mine)
    if said.startswith(("i'm a ", "i'm an ", "i am ")) and (_DIET | _AT).intersection(mine):
        return True
    named = _UNIQUE.intersection(mine) and {"is", "are"}.intersection(mine)
    return said.startswith(_MODIFIED) or bool(_SINGLE.search(said) or named)


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many words at the beginning are the same."""
    for count, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if stem(mine) != stem(theirs):
            return count
    return min(len(one), len(other))


def _kinds(clause: Clause, start: int, value: tuple[str, ...]) -> set[ValueKind]:
    """The kinds of the values in the part of the clause that differs, if nothing else is in it."""
    found: set[ValueKind] = set()
    for place in range(start, start + len(value)):
        word = clause.words[place]
        kind = kind_of(word, first=place == 0)
        if kind is None and (word.lower() in FUNCTION_WORDS or word.lower() in _UNITS):
            continue
        if kind is None:
            return set()
        found.add(kind)
    return found
