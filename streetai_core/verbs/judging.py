"""What a strategy of one's own makes of a memory, worked out while no lock is held: it may ask a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from streetai_core.arrays import RowNumbers
from streetai_core.conductor import Elsewhere
from streetai_core.config import Config
from streetai_core.recall.own_strategy import unranked
from streetai_core.recall.question import Question
from streetai_core.recall.ranking import considered
from streetai_core.state import MemoryState
from streetai_core.strategy import Judged, Strategy, Unranked, judged

_ROUNDS = 3
"""How often it is asked anew because somebody has written meanwhile; then what has come is not seen."""


@dataclass(slots=True)
class Judging:
    """The strategy of a call, which is asked about one view of a memory after another."""

    config: Config
    """The settings of the call."""
    asked_at: datetime
    _judged: dict[str, dict[int, Judged]] = field(default_factory=dict)
    """By question and by the version of the memory, the latest last."""

    def of(self, state: MemoryState, question: Question, leaders: Callable[[], RowNumbers]) -> Judged | None:
        """The scores for a question; `None`: the strategy is a built-in one.

        Args:
            state: the memory.
            question: what is asked.
            leaders: gives the rows of the signals that have the words of their messages in place of the nearest ones.

        Raises:
            Elsewhere: a strategy of one's own has not been asked yet.
        """
        strategy = self.config.strategy
        if not isinstance(strategy, Strategy):
            return None
        before = self._judged.setdefault(question.text, {})
        version = state.head.version
        if version not in before and len(before) < _ROUNDS:
            sure = considered(self.config)
            known = unranked(state, question, self.config, asked_at=self.asked_at, sure=sure, leaders=leaders())
            raise Elsewhere(lambda: _ask(strategy, known, before, version))
        *_, latest = before.values()
        return before.get(version, latest)


def _ask(strategy: Strategy, known: Unranked, before: dict[int, Judged], version: int) -> None:
    before[version] = judged(strategy, known)
