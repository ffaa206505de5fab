"""What a torture program found: one line to print, and whether it passed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

_SHOWN = 10
"""Problems of each kind that are printed; one is enough to begin with."""


@dataclass(slots=True)
class Report:
    """Counts of what was done, and what went wrong by kind.

    A program names its kinds of failure beforehand, so that `lost=0` is printed even if nothing was lost.
    """

    seed: int
    failures: dict[str, list[str]]
    counts: Counter[str] = field(default_factory=Counter)
    unproved: list[str] = field(default_factory=list)
    """Why the run shows nothing, if it does: a harness that cannot fail has not passed either."""
    skipped: list[str] = field(default_factory=list)
    """What this machine cannot do, and why."""

    @classmethod
    def of(cls, seed: int, *kinds: str) -> Report:
        """A report with nothing in it; `kinds` are what can go wrong."""
        return cls(seed, {kind: [] for kind in kinds})

    @property
    def passed(self) -> bool:
        """Nothing went wrong, and the run could have shown it."""
        return not any(self.failures.values()) and not self.unproved

    def fail(self, kind: str, *problems: str) -> None:
        """Note problems of one kind."""
        self.failures[kind] += problems

    def lines(self) -> list[str]:
        """What to print, the summary first."""
        numbers = {"seed": self.seed, **self.counts, **{kind: len(found) for kind, found in self.failures.items()}}
        return [
            " ".join(f"{name}={number}" for name, number in numbers.items()),
            *(f"skipped: {reason}" for reason in self.skipped),
            *(f"shows nothing: {reason}" for reason in self.unproved),
            *(f"{kind}: {problem}" for kind, found in self.failures.items() for problem in found[:_SHOWN]),
        ]
