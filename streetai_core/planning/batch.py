"""The messages of one operation by their vectors: they can replace each other before any of them is in the memory."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from streetai_core.types import Matrix, Message, Role
from streetai_core.vectors import dots

_FIRST_ROOM = 16
"""Rows that there is room for at first; doubled whenever it is full."""


class Batch:
    """Messages of one operation, in the order they came."""

    def __init__(self) -> None:
        self._messages: dict[int, Message] = {}
        self._by_speaker: defaultdict[tuple[str | None, Role], _Said] = defaultdict(_Said)

    def __contains__(self, sequence: object) -> bool:
        return sequence in self._messages

    def __getitem__(self, sequence: int) -> Message:
        return self._messages[sequence]

    def put(self, message: Message, vectors: Matrix) -> None:
        """Add a message with the vectors of its chunks, at least one, shape (n, dim)."""
        self._messages[message.sequence] = message
        self._by_speaker[message.name, message.role].put(message, vectors)

    def similar(self, vectors: Matrix, speaker: Message, most: int) -> dict[int, float]:
        """The cosine of the nearest chunk of messages of the same speaker, by sequence: the `most` nearest of them.

        Nobody's word outdoes one that is trusted more.

        Args:
            vectors: of what they are compared with, at least one, shape (n, dim).
            speaker: a message of the speaker.
            most: from 1.
        """
        said = self._by_speaker.get((speaker.name, speaker.role))
        return {} if said is None else said.similar(vectors, speaker.trust, most)


@dataclass(slots=True)
class _Said:
    """What one speaker said: all vectors in one array, those of one message together."""

    sequences: list[int] = field(default_factory=list)
    trust: list[float] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    """Where the vectors of each message begin."""
    count: int = 0
    """Vectors that are there."""
    room: npt.NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), dtype=np.float32))

    def put(self, message: Message, vectors: Matrix) -> None:
        end = self.count + len(vectors)
        if end > len(self.room):
            larger = np.empty((max(_FIRST_ROOM, 2 * end), vectors.shape[1]), dtype=np.float32)
            larger[: self.count] = self.room[: self.count].reshape(self.count, vectors.shape[1])
            self.room = larger
        self.room[self.count : end] = vectors
        self.sequences.append(message.sequence)
        self.trust.append(message.trust)
        self.starts.append(self.count)
        self.count = end

    def similar(self, vectors: Matrix, trust: float, most: int) -> dict[int, float]:
        cosines = np.max([dots(self.room[: self.count], vector) for vector in vectors], axis=0)
        nearest = np.maximum.reduceat(cosines, self.starts)
        nearest[np.array(self.trust) > trust] = -np.inf
        # Sorting all that was said before, for each message, would take most of the time of a large operation.
        place = max(0, len(nearest) - most)
        near = np.flatnonzero(nearest >= np.partition(nearest, place)[place])
        best = near[np.argsort(-nearest[near], kind="stable")[:most]]
        return {self.sequences[one]: float(nearest[one]) for one in best.tolist() if np.isfinite(nearest[one])}
