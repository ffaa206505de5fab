"""Corrections that do not name the matter again: "I was wrong, it's in Bath".

They are of something that was said shortly before. `changes` finds those that have more in common with it.
"""

from __future__ import annotations

from collections.abc import Sequence

from streetai_core.knowledge.clauses import Clause, clauses
from streetai_core.knowledge.statements import Statement
from streetai_core.knowledge.values import ValueKind

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
    return newer.has_facts and bool(_kinds(newer.text))


def corrected(newer: Statement, candidates: Sequence[tuple[Statement, float]]) -> list[tuple[int, float]]:
    """The candidate that a correction is of, as (index, strength): the most similar one with a value of that kind.

    Args:
        newer: what is said now.
        candidates: what was said before in the same talk, the last `LATELY` statements, with the cosine of their
            embedding to the newer one's, the most similar first.
    """
    kinds = _kinds(newer.text)
    if not kinds:
        return []
    for index, (older, similarity) in enumerate(candidates):
        if similarity >= _LEAST and newer.may_outdo(older) and any(_tells(one, kinds) for one in clauses(older.text)):
            return [(index, _STRENGTH)]
    return []


def _kinds(text: str) -> frozenset[ValueKind]:
    """The kinds of the values that a text gives for something else that was wrong."""
    if len(text.split(maxsplit=_LONGEST)) > _LONGEST:
        return frozenset()
    told = clauses(text)
    for place, clause in enumerate(told):
        if clause.cue is not None and clause.cue.strong and clause.cue.kind == "corrected":
            near = told[place : place + _BEHIND]
            if len(frozenset[str]().union(*(one.topic for one in near))) <= _FEW:
                return frozenset[ValueKind]().union(*(one.values for one in near))
    return frozenset()


def _tells(clause: Clause, kinds: frozenset[ValueKind]) -> bool:
    """Whether a clause tells what holds, with a value of one of some kinds."""
    return clause.state and not kinds.isdisjoint(clause.values)
