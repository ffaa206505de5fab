"""What post-processors make of a question's hits, worked out while no lock is held: they may ask a model."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from streetai_core.conductor import Asked, Elsewhere
from streetai_core.prompt.selection import Found
from streetai_core.recall.filtering import RecallFilter
from streetai_core.recall.processing import Candidates, PostProcessor, processed
from streetai_core.types import Hit
from streetai_core.verbs.judging import Judging

_ROUNDS = 3
"""How often processors are asked anew because somebody has written meanwhile; then what has come is not seen."""


@dataclass(slots=True)
class Asking:
    """A question that is asked of one view of a memory after another, until nothing of it is left to be worked out."""

    asked: Asked
    processors: Sequence[PostProcessor]
    judging: Judging
    wanted: RecallFilter | None = None
    """Which messages are searched; `None`: all."""
    min_score: float | None = None
    """Leaves out hits with a lower score; `None`: none."""
    _found: dict[Hashable, Found] = field(default_factory=dict)
    _processed: dict[str, dict[tuple[str, ...], list[Hit]]] = field(default_factory=dict)
    """By the question, and the ids of the signals that the processors were given for it, the latest last."""

    @property
    def takes_spare(self) -> bool:
        """Whether room that is left may be filled with what is less relevant: not where the caller says what is."""
        return not self.processors and self.min_score is None

    def once(self, view: Hashable, find: Callable[[], Found]) -> Found:
        """What is found in a view of the memory, looked for once; with no processors a view is seen once anyway."""
        if not self.processors:
            return find()
        if view not in self._found:
            self._found[view] = find()
        return self._found[view]

    def process(self, hits: Sequence[Hit], candidates: Callable[[], Candidates], *, of: str) -> list[Hit]:
        """The hits as the processors leave them, without those below the least score.

        Args:
            hits: what was found.
            candidates: the same as processors get it.
            of: what was asked for: the question, or with it what it leans on.

        Raises:
            Elsewhere: the processors have not been asked for these yet.
        """
        if self.processors and hits:
            hits = self._left(candidates(), self._processed.setdefault(of, {}))
        return [hit for hit in hits if self.min_score is None or hit.score >= self.min_score]

    def _left(self, candidates: Candidates, rounds: dict[tuple[str, ...], list[Hit]]) -> list[Hit]:
        """The hits as the processors leave them; `rounds` is what they have made of this question so far."""
        ids = tuple(hit.signal.signal_id for hit in candidates.hits)
        if ids in rounds:
            return rounds[ids]
        if len(rounds) < _ROUNDS:
            raise Elsewhere(lambda: rounds.update({ids: processed(candidates, self.processors)}))
        *_, latest = rounds.values()
        return [hit for hit in latest if hit.signal.signal_id in ids]
