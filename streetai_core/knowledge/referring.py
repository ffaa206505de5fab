"""Corrections that do not name the matter again: "I was wrong, it's in Bath".

They are of something that was said shortly before. `changes` finds those that have more in common with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from streetai_core.knowledge.clauses import Clause, clauses
from streetai_core.knowledge.statements import Statement
from streetai_core.knowledge.values import ValueKind

_PREPOSITIONS = frozenset({"at", "by", "for", "from", "in", "on", "since", "to", "until", "with"})
"""Words before a value by which it is told of what it is: what is "in Bath" is no name of a gym."""

LATELY = 20
"""Statements of the same speaker, the last ones, to which a correction may refer."""

_BEHIND = 2
"""Clauses, the one with the cue and the next, in which the right value stands."""

_FEW = 3
"""Words of a subject at most: who says more names the matter, and is compared with it."""

_LONGEST = 24
"""Words of such a message: longer ones tell of several things, and correct another one than the nearest."""

_STRENGTH = 0.5
"""How sure such a link is; one that is announced is surer."""

_LEAST = 0.15
"""The least similarity of the two messages."""


def refers_back(newer: Statement) -> bool:
    """Whether it corrects something, in few words and without naming it."""
    return newer.has_facts and _right(newer.text) is not None


def corrected(newer: Statement, candidates: Sequence[tuple[Statement, float]]) -> list[tuple[int, float]]:
    """The candidate that a correction is of, as (index, strength): the most similar one with a value of that kind.

    "In Bath" is right for where something is "in", and "not Hollis" for what was told of Hollis.

    Args:
        newer: what is said now.
        candidates: what was said before in the same talk, the last `LATELY` statements, with the cosine of their
            embedding to the newer one's, the most similar first.
    """
    right = _right(newer.text)
    if right is None:
        return []
    for index, (older, similarity) in enumerate(candidates):
        if similarity >= _LEAST and newer.may_outdo(older) and any(right.may_be_of(one) for one in clauses(older.text)):
            return [(index, _STRENGTH)]
    return []


@dataclass(frozen=True, slots=True)
class _Right:
    """What a correction says is right."""

    values: frozenset[tuple[ValueKind, str]]
    """Kinds of values, each with the preposition before it, if there is one."""
    wrong: frozenset[str]
    """Stems of the value that was wrong, if it is said."""

    def may_be_of(self, clause: Clause) -> bool:
        """Whether a clause tells what holds, with such a value."""
        return clause.state and self.wrong <= clause.content and not self.values.isdisjoint(_values(clause))


def _right(text: str) -> _Right | None:
    """What a short text says is right, where something else was wrong."""
    if len(text.split(maxsplit=_LONGEST)) > _LONGEST:
        return None
    told = clauses(text)
    for place, clause in enumerate(told):
        if clause.cue is not None and clause.cue.strong and clause.cue.kind == "corrected":
            near = told[place : place + _BEHIND]
            values = frozenset[tuple[ValueKind, str]]().union(*map(_values, near))
            if values and len(frozenset[str]().union(*(one.topic for one in near))) <= _FEW:
                return _Right(values, clause.old_value)
    return None


def _values(clause: Clause) -> frozenset[tuple[ValueKind, str]]:
    """The kinds of the values of a clause, with the prepositions before them."""
    before = ("", *clause.lowered)
    return frozenset(
        (kind, word if word in _PREPOSITIONS else "") for kind, word in zip(clause.kinds, before, strict=False) if kind
    )
