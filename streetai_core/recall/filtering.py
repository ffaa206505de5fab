"""Which signals a caller wants searched at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np

from streetai_core.arrays import Flags, RowNumbers
from streetai_core.errors import InputError
from streetai_core.recall.metadata import Value, WantedMetadata, checked_metadata, fits
from streetai_core.state import MemoryState
from streetai_core.stores.values import utc
from streetai_core.text.clean import clean
from streetai_core.types import ROLES, ChunkKind, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallFilter:
    """Conditions on the messages that are searched, joined by AND; `None` asks nothing.

    Raises:
        InputError: a condition of the wrong type, a role or kind that there is not, a time that is no date, or a span
            of days that ends before it begins.
    """

    roles: Iterable[Role] | None = None
    names: Iterable[str] | None = None
    """Authors."""
    conversations: Iterable[str | None] | None = None
    """Conversation ids; `None` among them is the conversation without one."""
    since: date | None = None
    """First day on which it was said, where it was said; or a `datetime`: the first moment, in UTC without a zone. For
    the first question with a moment what was said about its day is read."""
    until: date | None = None
    """Last day on which it was said, as above; or a `datetime`: the last moment."""
    kinds: Iterable[ChunkKind] | None = None
    """"chunk" for prose, "code" for code."""
    metadata: WantedMetadata | None = None
    """Values that the message has in its metadata, by key: one value, or several of which one is enough. If it has a
    list there, one of the list is enough. The metadata of all messages are read for the first such question."""

    def __post_init__(self) -> None:
        """Make tuples of what was given, and check them."""
        for name in ("roles", "names", "conversations", "kinds"):
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, _texts(name, given))
        if self.names is not None:
            # As they are stored.
            object.__setattr__(self, "names", tuple(clean(name)[0] for name in self.names))
        if self.metadata is not None:
            object.__setattr__(self, "metadata", checked_metadata(self.metadata))
        _check("roles", self.roles, ROLES)
        _check("kinds", self.kinds, ("chunk", "code"))
        for name in ("since", "until"):
            if not isinstance(getattr(self, name), date | None):
                raise InputError(f"{name} must be a date, got {getattr(self, name)!r}")
            if isinstance(getattr(self, name), datetime):
                object.__setattr__(self, name, utc(getattr(self, name), name))
        if self.since is not None and self.until is not None and _is_after(self.since, self.until):
            raise InputError(f"since ({self.since}) must not be after until ({self.until}): nothing can be said then")

    def allows(self, state: MemoryState) -> Flags:
        """Which signals fit, shape (n,)."""
        words, columns = state.words, state.columns
        messages = np.ones(words.size, dtype=np.bool_)
        if self.roles is not None:
            messages &= np.isin(words.column("role"), [ROLES.index(role) for role in self.roles])
        if self.names is not None:
            messages &= np.isin(
                words.column("author"), [words.authors[name] for name in self.names if name in words.authors]
            )
        if self.conversations is not None:
            messages &= np.isin(words.column("conversation"), words.numbers_of(self.conversations))
        if self.since is not None:
            messages &= words.column("day") >= _day(self.since).toordinal() - _reach(self.since)
        if self.until is not None:
            messages &= words.column("day") <= _day(self.until).toordinal() + _reach(self.until)
        rows = words.rows_of(columns.column("sequence"))
        allowed = rows >= 0
        allowed[allowed] = messages[rows[allowed]]
        if self.kinds is not None:
            allowed &= np.isin(columns.column("code"), [int(kind == "code") for kind in self.kinds])
        for bound in (self.since, self.until):
            if isinstance(bound, datetime):
                self._compare_moments(state, allowed, rows, bound)
        if self.metadata is not None:
            self._compare_metadata(state, allowed, checked_metadata(self.metadata))
        return allowed

    def _compare_moments(self, state: MemoryState, allowed: Flags, rows: RowNumbers, bound: datetime) -> None:
        """Of what was said about the day of a moment, take away what was said on its wrong side."""
        # The index has days only, those of where it was said; on all others the day has decided.
        at = np.flatnonzero(allowed)
        away = np.abs(state.words.column("day")[rows[at]] - _day(bound).toordinal())
        at = at[away <= _reach(bound)]
        sequences = state.columns.column("sequence")[at]
        said_at = state.said_at(np.unique(sequences).tolist())
        allowed[at] = [_is_between(said_at[number], self.since, self.until) for number in sequences.tolist()]

    @staticmethod
    def _compare_metadata(state: MemoryState, allowed: Flags, wanted: Mapping[str, tuple[Value, ...]]) -> None:
        """Take away what does not have these values."""
        at = np.flatnonzero(allowed)
        sequences = state.columns.column("sequence")[at]
        metadata = state.metadata_of(np.unique(sequences).tolist())
        fitting = {sequence for sequence, one in metadata.items() if fits(one, wanted)}
        allowed[at] = [sequence in fitting for sequence in sequences.tolist()]


def _day(bound: date) -> date:
    """The day of a bound, in UTC."""
    return bound.date() if isinstance(bound, datetime) else bound


def _reach(bound: date) -> int:
    """How many days before and after the day of a bound what is said at the same moment can be, somewhere on earth."""
    return int(isinstance(bound, datetime))


def _is_after(since: date, until: date) -> bool:
    """Whether nothing can be said between two bounds."""
    if isinstance(since, datetime) and isinstance(until, datetime):
        return since > until
    return (_day(since) - _day(until)).days > _reach(since) + _reach(until)


def _is_between(moment: datetime, since: date | None, until: date | None) -> bool:
    """Whether a moment is neither before nor after the bounds, as far as they are moments."""
    too_early = isinstance(since, datetime) and moment < since
    too_late = isinstance(until, datetime) and moment > until
    return not (too_early or too_late)


def _texts(name: str, given: object) -> tuple[str | None, ...]:
    """One text or several as a tuple; among conversations `None` counts as one."""
    several = (given,) if isinstance(given, str) else given
    if not isinstance(several, Iterable):
        raise InputError(f"{name} must be a text or several texts, got {given!r}")
    chosen = tuple(several)
    wrong = [one for one in chosen if not (isinstance(one, str) or (one is None and name == "conversations"))]
    if wrong:
        raise InputError(f"{name} must be a text or several texts, got {wrong[0]!r} among them")
    return chosen


def _check(name: str, given: Iterable[str] | None, known: tuple[str, ...]) -> None:
    unknown = [one for one in given or () if one not in known]
    if unknown:
        raise InputError(f"{name} must be of {', '.join(known)}, got {unknown[0]!r}")
