"""What a process has of a memory, whichever handle stands for it: it is there as long as the memory is in use."""

from __future__ import annotations

from streetai_core.coherence import CoherentState
from streetai_core.forking import fork_safe_lock
from streetai_core.state import MemoryState

MOST_AT_ONCE = 32
"""Signals without a vector that are embedded beside one call that stores: .1 seconds of it with the default model."""

_REST = 100
"""Calls that store after which a text is tried again that failed alone: one that is always refused adds a hundredth of
them to what is asked of a provider."""


class LateVectors:
    """Which signals without a vector are worth another try, and how many at once."""

    def __init__(self) -> None:
        self.lock = fork_safe_lock()
        """Who has it embeds them. Nobody waits for it: others would embed the same texts again."""
        self._token: str | None = None
        """Of the memory whose keys are in the next two: one that was forgotten and begun anew has the same ones."""
        self._meaningless: set[int] = set()
        """Keys of signals that an encoder that works gave no vector."""
        self._failed: set[int] = set()
        """Keys of those that failed alone: for what they say, or because the provider allows no second call."""
        self._resting = 0
        """Calls that stored since those were last forgotten, to be tried again."""
        self._at_once = MOST_AT_ONCE
        """Fewer after a failure, for one text may be the cause."""

    @property
    def refused(self) -> list[int]:
        """The keys of those that failed alone, ascending."""
        return sorted(self._failed)

    def try_all(self) -> None:
        """Have those tried too that failed alone: it may have been for another reason."""
        self._failed.clear()

    def stored(self) -> None:
        """A call that stores is about to try some."""
        self._resting = (self._resting + 1) % _REST
        if not self._resting:
            self.try_all()

    def waiting(self, state: MemoryState) -> set[int]:
        """Keys of those that are worth a try."""
        if state.head.token != self._token:
            self._token = state.head.token
            self._meaningless.clear()
            self._failed.clear()
        return state.columns.without_vector - self._meaningless - self._failed

    def next(self, state: MemoryState) -> list[int]:
        """The keys to try now, the newest of all, ascending."""
        return sorted(self.waiting(state))[-self._at_once :]

    def failed(self, keys: list[int]) -> None:
        """None of these got a vector, for the encoder failed."""
        if len(keys) == 1:
            self._failed.update(keys)
        self._at_once = max(1, len(keys) // 2)

    def embedded(self, meaningless: set[int]) -> None:
        """The encoder works, and gave all but these a vector."""
        self._at_once = min(MOST_AT_ONCE, 2 * self._at_once)
        self._meaningless |= meaningless


class OpenMemory:
    """One memory in this process.

    Args:
        coherent: its state.
    """

    def __init__(self, coherent: CoherentState) -> None:
        self.coherent = coherent
        self.common: float | None = None
        """What all vectors of the encoder have in common; `None`: it was not asked for this memory yet."""
        self.late = LateVectors()
