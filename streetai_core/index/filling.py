"""What the word index takes, one message or all of a memory at once, and what it makes of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from streetai_core.arrays import Floats, Integers
from streetai_core.types import DaySpans, TermCounts, TermHashes

_NONE = -1
"""No row, or no name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsEntry:
    """One message as the index takes it."""

    sequence: int
    conversation: str | None
    author: str | None
    characters: int
    day: int
    question: bool
    role: int = 0
    """Any number for each role."""
    terms: TermHashes
    counts: TermCounts
    days: DaySpans
    """Shape (m, 2): first and last day of each time that the text speaks of."""
    replaces: Sequence[int] = ()
    source: int = 0
    """Any number for each source."""
    trust: float = 1.0
    fingerprint: int = 0
    """A number of the text: equal texts have equal ones."""
    rules: int = 0
    """The version of the rules that told all this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsColumns:
    """n messages as the index takes them, by sequence; terms and days of all stand one after the other."""

    sequence: Integers
    """Ascending, shape (n,)."""
    conversation: Integers
    """For each which of `conversations` it is in, shape (n,)."""
    conversations: Sequence[str | None]
    """Distinct, in the order in which they first come."""
    author: Integers
    """For each which of `authors` said it, shape (n,)."""
    authors: Sequence[str | None]
    """As the conversations."""
    columns: Mapping[str, Integers]
    """characters, day, question, role, source, fingerprint and rules, each of shape (n,)."""
    trust: Floats
    term_counts: Integers
    """How many terms each has, shape (n,)."""
    terms: TermHashes
    counts: TermCounts
    day_counts: Integers
    """How many times each speaks of, shape (n,)."""
    days: DaySpans
    """Shape (m, 2)."""
    replaces: Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What stands beside each message in its conversation; arrays of shape (n,)."""

    previous: Integers
    following: Integers
    last_of: dict[int, int]
    """Conversation -> its last row."""


def named(names: Sequence[str | None], numbers: Integers) -> tuple[dict[str, int], Integers]:
    """Names numbered among those that there are, and the numbers of all rows, shape (n,); no name is -1.

    Args:
        names: distinct, in the order in which they first come.
        numbers: for each row which of them it has, shape (n,).
    """
    number_of = {name: number for number, name in enumerate(name for name in names if name is not None)}
    known = np.array([_NONE if name is None else number_of[name] for name in names], dtype=np.int64)
    return number_of, known[numbers]


def summed(values: TermCounts, sizes: Integers) -> Integers:
    """Sums of runs of values, as long as `sizes` says, shape (n,)."""
    total = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
    ends = np.cumsum(sizes)
    sums: Integers = total[ends] - total[ends - sizes]
    return sums


def beside(conversation: Integers) -> Neighbours:
    """The neighbours of messages that are in the order they were said.

    Args:
        conversation: its number for each row, shape (n,).
    """
    order = np.argsort(conversation, kind="stable")
    ordered = conversation[order]
    same = ordered[1:] == ordered[:-1]
    previous = np.full(len(order), _NONE, dtype=np.int64)
    following = previous.copy()
    earlier, later = order[:-1][same], order[1:][same]
    previous[later], following[earlier] = earlier, later
    last = np.ones(len(order), dtype=np.bool_)
    last[:-1] = ~same
    last_of = dict(zip(ordered[last].tolist(), order[last].tolist(), strict=True))
    return Neighbours(previous, following, last_of)
