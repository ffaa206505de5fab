"""Which signals a caller wants searched at all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

import numpy as np
import numpy.typing as npt

from streetai_core.errors import InputError
from streetai_core.state import MemoryState
from streetai_core.types import ROLES, ChunkKind, Role

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallFilter:
    """Conditions on the messages that are searched, joined by AND; `None` asks nothing.

    Raises:
        InputError: a role or kind that there is not, or a time that is no date.
    """

    roles: Iterable[Role] | None = None
    names: Iterable[str] | None = None
    """Authors."""
    conversations: Iterable[str | None] | None = None
    """Conversation ids; `None` among them is the conversation without one."""
    since: date | None = None
    """First day on which it was said."""
    until: date | None = None
    """Last day on which it was said."""
    kinds: Iterable[ChunkKind] | None = None
    """"chunk" for prose, "code" for code."""

    def __post_init__(self) -> None:
        """Make tuples of what was given, and check them."""
        for name in ("roles", "names", "conversations", "kinds"):
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, (given,) if isinstance(given, str) else tuple(given))
        _check("roles", self.roles, ROLES)
        _check("kinds", self.kinds, ("chunk", "code"))
        for name in ("since", "until"):
            if not isinstance(getattr(self, name), date | None):
                raise InputError(f"{name} must be a date, got {getattr(self, name)!r}")

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
            messages &= words.column("day") >= self.since.toordinal()
        if self.until is not None:
            messages &= words.column("day") <= self.until.toordinal()
        rows = words.rows_of(columns.column("sequence"))
        allowed = rows >= 0
        allowed[allowed] = messages[rows[allowed]]
        if self.kinds is not None:
            allowed &= np.isin(columns.column("code"), [int(kind == "code") for kind in self.kinds])
        return allowed


def _check(name: str, given: Iterable[str] | None, known: tuple[str, ...]) -> None:
    unknown = [one for one in given or () if one not in known]
    if unknown:
        raise InputError(f"{name} must be of {', '.join(known)}, got {unknown[0]!r}")
