"""The messages of one operation by words and vectors: they can replace each other before any is in the memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from streetai_core.index.growing import with_room
from streetai_core.types import Matrix, Message, Role, TermHashes
from streetai_core.vectors import dots

_FIRST_ROOM = 16
"""Vectors that there is room for at first; doubled whenever it is full."""

_FEW = 4
"""Messages of which fewer than this part of all are asked for are compared alone: to copy a vector takes as long as to
compare a few."""

Numbers = npt.NDArray[np.intp]
"""Messages, numbered in the order they came, ascending."""


class Batch:
    """Messages of one operation, in the order they came.

    Who said what, and which terms it has, is kept as whole numbers with a bit for each message.
    """

    def __init__(self) -> None:
        self._messages: dict[int, Message] = {}
        self._sequences: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._trust: npt.NDArray[np.float64] = np.empty(0)
        self._starts: npt.NDArray[np.intp] = np.zeros(1, dtype=np.intp)
        """Where the vectors of each message begin, and where those of the last one end."""
        self._vectors: npt.NDArray[np.float32] = np.empty((0, 0), dtype=np.float32)
        """Of all messages. These four have room for more."""
        self._said_by: defaultdict[tuple[str | None, Role], int] = defaultdict(int)
        self._having: defaultdict[int, int] = defaultdict(int)
        """By the hash of a term."""

    def __len__(self) -> int:
        return len(self._messages)

    def __contains__(self, sequence: object) -> bool:
        return sequence in self._messages

    def __getitem__(self, sequence: int) -> Message:
        return self._messages[sequence]

    def put(self, message: Message, vectors: Matrix, terms: TermHashes) -> None:
        """Add a message with the vectors of its chunks, at least one, shape (n, dim), and the hashes of its terms."""
        number = len(self)
        self._keep(number, vectors)
        self._trust, self._sequences = with_room(self._trust, number + 1), with_room(self._sequences, number + 1)
        self._trust[number], self._sequences[number] = message.trust, message.sequence
        bit = 1 << number
        self._said_by[message.name, message.role] |= bit
        for term in terms.tolist():
            self._having[term] |= bit
        self._messages[message.sequence] = message

    def like(self, newer: Message, terms: Iterable[int]) -> Numbers:
        """The messages before one, of the same speaker, that have all of these terms, by their hashes.

        Nobody's word outdoes one that is trusted more: such messages are left out.
        """
        bits = self._said_by.get((newer.name, newer.role), 0)
        for term in terms:
            bits &= self._having.get(term, 0)
        if not bits:
            return np.zeros(0, dtype=np.intp)
        packed = np.frombuffer(bits.to_bytes((bits.bit_length() + 7) // 8, "little"), dtype=np.uint8)
        found: Numbers = np.flatnonzero(np.unpackbits(packed, bitorder="little"))
        return found[(self._trust[found] <= newer.trust) & (self._sequences[found] < newer.sequence)]

    def similar(self, vectors: Matrix, numbers: Numbers, most: int) -> dict[int, float]:
        """The cosine of the nearest chunk of each of some messages, by sequence: the `most` nearest of them.

        Args:
            vectors: of what they are compared with, at least one, shape (n, dim).
            numbers: the messages.
            most: from 1.
        """
        if not len(numbers):
            return {}
        nearest = self._nearest(vectors, numbers)
        # Sorting all that was said before, for each message, would take most of the time of a large operation.
        place = max(0, len(nearest) - most)
        near = np.flatnonzero(nearest >= np.partition(nearest, place)[place])
        best = near[np.argsort(-nearest[near], kind="stable")[:most]]
        sequences = self._sequences[numbers[best]]
        return dict(zip(sequences.tolist(), nearest[best].tolist(), strict=True))

    def _keep(self, number: int, vectors: Matrix) -> None:
        first = int(self._starts[number])
        end = first + len(vectors)
        if not first:
            self._vectors = np.empty((_FIRST_ROOM, vectors.shape[1]), dtype=np.float32)
        self._vectors = with_room(self._vectors, end)
        self._vectors[first:end] = vectors
        self._starts = with_room(self._starts, number + 2)
        self._starts[number + 1] = end

    def _nearest(self, vectors: Matrix, numbers: Numbers) -> npt.NDArray[np.float32]:
        """The cosine of the nearest chunk of each of some messages, at least one, shape (len(numbers),)."""
        starts = self._starts[: len(self) + 1]
        if _FEW * len(numbers) >= len(self):
            every = np.maximum.reduceat(_nearest(self._vectors[: starts[-1]], vectors), starts[:-1])
            of_all: npt.NDArray[np.float32] = every[numbers]
            return of_all
        sizes = starts[numbers + 1] - starts[numbers]
        begins = np.cumsum(sizes) - sizes
        rows = np.arange(sizes.sum()) + np.repeat(starts[numbers] - begins, sizes)
        some: npt.NDArray[np.float32] = np.maximum.reduceat(_nearest(self._vectors[rows], vectors), begins)
        return some


def _nearest(rows: Matrix, vectors: Matrix) -> npt.NDArray[np.float32]:
    """The cosine of each row with the nearest of some vectors, shape (len(rows),)."""
    found = dots(rows, vectors[0])
    for vector in vectors[1:]:
        np.maximum(found, dots(rows, vector), out=found)
    return found
