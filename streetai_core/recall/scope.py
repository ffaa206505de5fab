"""Which signals a question may find, and which of them are not trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from streetai_core.arrays import Flags, Floats, RowNumbers
from streetai_core.config import Config
from streetai_core.dynamics.activation import COMPARED
from streetai_core.recall.filtering import RecallFilter
from streetai_core.recall.question import Question
from streetai_core.recall.topmost import topmost
from streetai_core.state import MemoryState


@dataclass(frozen=True, slots=True)
class Scope:
    """Which signals a question may find; arrays of shape (n,), `None`: all."""

    searched: Flags | None = None
    """Those that are looked at: with `direct_search` off, those of the woken stacks."""
    allowed: Flags | None = None
    """Those among them that the caller wants."""
    doubtful: Flags | None = None
    """Those that are not trusted; `None`: none."""

    def topmost(self, total: Floats, depth: int, within: float) -> RowNumbers:
        """The allowed signals, ascending, that are trusted and among the best, and all that are not trusted."""
        if self.doubtful is None:
            return topmost(total, depth, within=within, allowed=self.allowed)
        allowed = np.ones(len(total), dtype=np.bool_) if self.allowed is None else self.allowed
        trusted = topmost(total, depth, within=within, allowed=allowed & ~self.doubtful)
        return np.sort(np.concatenate([trusted, np.flatnonzero(allowed & self.doubtful)]))

    def best(self, total: Floats, found: RowNumbers, depth: int) -> RowNumbers:
        """The few best signals: of those that are trusted, whatever the caller wants.

        So nothing that is told by them depends on a filter, and no text that was planted to fit a question changes it.

        Args:
            total: what all signals score, shape (n,).
            found: what `topmost` gave of them.
            depth: how many it was asked for.
        """
        if self.allowed is None and self.doubtful is None and depth >= COMPARED:
            # The best of all are among the many best that were found just now.
            return found[topmost(total[found], COMPARED)]
        counted = self.searched
        if self.doubtful is not None:
            counted = ~self.doubtful if counted is None else counted & ~self.doubtful
        return topmost(total, COMPARED, allowed=counted)


def scope_of(
    state: MemoryState,
    question: Question,
    config: Config,
    wanted: RecallFilter | None,
    stacks: Sequence[tuple[int, float]] | None,
    *,
    hidden: bool,
) -> Scope:
    """Which signals may be found.

    What the caller leaves out is scored with the others, so that a score does not depend on the filter.

    Args:
        state: the memory.
        question: what is asked.
        config: the settings.
        wanted: which signals the caller wants; `None`: all.
        stacks: the stacks that are searched, with their cosines; `None`: all.
        hidden: whether signals in quarantine may be found.
    """
    searched: list[Flags] = []
    if stacks is not None:
        searched.append(np.isin(state.columns.column("stack"), [key for key, _ in stacks]))
    if state.hidden and not hidden:
        searched.append(state.shown)
    allowed = list(searched)
    if wanted is not None:
        allowed.append(wanted.allows(state))
    if question.without_messages:
        allowed.append(~np.isin(state.columns.column("sequence"), list(question.without_messages)))
    return Scope(_all(searched), _all(allowed), _doubtful(state, config))


def by_stacks(question: Question, config: Config) -> bool:
    """Whether only the stacks nearest to a question are searched; none is near to one without a vector."""
    return not config.direct_search and question.vector is not None


def woken_stacks(state: MemoryState, question: Question, config: Config) -> list[tuple[int, float]]:
    """The stacks nearest to a question, with their cosines; none of which everything is in quarantine."""
    if question.vector is None:
        return []
    if not state.hidden:
        return state.stacks.nearest(question.vector, config.top_stacks)
    shown = set(state.columns.column("stack")[state.shown].tolist())
    nearest = state.stacks.nearest(question.vector, len(state.stacks))
    return [one for one in nearest if one[0] in shown][: config.top_stacks]


def _all(masks: Sequence[Flags]) -> Flags | None:
    """What all of the masks allow; `None`: everything."""
    return np.logical_and.reduce(masks) if masks else None


def _doubtful(state: MemoryState, config: Config) -> Flags | None:
    """Which signals are not trusted, shape (n,); `None`: all are."""
    # "Not from" and not "below", so that what is not a number is not trusted.
    doubtful = ~(state.words.trust >= config.trusted_from)
    if not doubtful.any():
        return None
    # -1, which stands for no message, is the last.
    found: Flags = np.append(doubtful, np.False_)[state.alignment.at]
    return found
