"""The messages of one operation by words and vectors: they can replace each other before any is in the memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import islice
from operator import and_

import numpy as np
import numpy.typing as npt

from streetai_core.index.growing import with_room
from streetai_core.index.order import said_before
from streetai_core.planning.words import day_of
from streetai_core.types import ROLES, Matrix, Message, Role, TermHashes
from streetai_core.vectors import dots

_FIRST_ROOM = 16
"""Vectors that there is room for at first; doubled whenever it is full."""

_FEW = 4
"""Messages of which fewer than this part of all are asked for are compared alone: to copy a vector takes as long as to
compare a few."""

_PAGE = 1024
"""Messages whose bits are kept together, a multiple of 8. With a bit for each message of a large operation, a term that
only its last one has would take as much memory as one that all have."""

Numbers = npt.NDArray[np.intp]
"""Messages, numbered in the order they came, ascending."""


@dataclass(slots=True)
class _Page:
    """Who said what, and which terms it has, of some messages that follow on each other: a bit for each message."""

    said_by: defaultdict[tuple[str | None, Role], int] = field(default_factory=lambda: defaultdict(int))
    having: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))
    """By the hash of a term."""

    def like(self, speaker: tuple[str | None, Role], terms: Iterable[int]) -> bytes:
        """The bits of the messages of a speaker that have all of these terms, the first message's bit first."""
        bits = self.said_by.get(speaker, 0)
        for term in terms:
            bits &= self.having.get(term, 0)
        return bits.to_bytes(_PAGE // 8, "little")


class Batch:
    """Messages of one operation, in the order they came."""

    def __init__(self) -> None:
        self._messages: dict[int, Message] = {}
        self._numbers: dict[int, int] = {}
        self._sequences: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._trust: npt.NDArray[np.float64] = np.empty(0)
        self._days: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._roles: npt.NDArray[np.int8] = np.empty(0, dtype=np.int8)
        self._starts: npt.NDArray[np.intp] = np.zeros(1, dtype=np.intp)
        """Where the vectors of each message begin, and where those of the last one end."""
        self._vectors: npt.NDArray[np.float32] = np.empty((0, 0), dtype=np.float32)
        """Of all messages. These six have room for more."""
        self._pages: list[_Page] = []

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
        self._days, self._roles = with_room(self._days, number + 1), with_room(self._roles, number + 1)
        self._trust[number], self._sequences[number] = message.trust, message.sequence
        self._days[number], self._roles[number] = day_of(message), ROLES.index(message.role)
        if number % _PAGE == 0:
            self._pages.append(_Page())
        page, bit = self._pages[-1], 1 << number % _PAGE
        page.said_by[message.name, message.role] |= bit
        for term in terms.tolist():
            page.having[term] |= bit
        self._messages[message.sequence], self._numbers[message.sequence] = message, number

    def like(self, newer: Message, terms: Iterable[int]) -> Numbers:
        """The messages before one, of the same speaker, that have all of these terms, by their hashes.

        Nobody's word outdoes one that is trusted more: such messages are left out.
        """
        speaker, wanted = (newer.name, newer.role), list(terms)
        packed = np.frombuffer(b"".join(page.like(speaker, wanted) for page in self._pages), dtype=np.uint8)
        found: Numbers = np.flatnonzero(np.unpackbits(packed, bitorder="little"))
        earlier = said_before(self._sequences[found], self._days[found], newer.sequence, day_of(newer))
        return found[earlier & (self._trust[found] <= newer.trust)]

    def lately(self, newer: Message, most: int) -> Numbers:
        """The newest messages of `like` that came before one in the same conversation, at most `most`."""
        came = (self[int(self._sequences[number])] for number in self.like(newer, ())[::-1])
        said = (
            self._numbers[one.sequence]
            for one in came
            if one.sequence < newer.sequence and one.conversation_id == newer.conversation_id
        )
        return np.array(sorted(islice(said, most)), dtype=np.intp)

    def after(self, older: Message) -> Numbers:
        """The messages of the same role that were said after one, and are trusted as much."""
        size = len(self)
        later = said_before(older.sequence, day_of(older), self._sequences[:size], self._days[:size])
        later &= (self._trust[:size] >= older.trust) & (self._roles[:size] == ROLES.index(older.role))
        found: Numbers = np.flatnonzero(later)
        return found

    def vectors_of(self, sequence: int) -> Matrix:
        """The vectors of the chunks of a message of the batch, shape (n, dim)."""
        number = self._numbers[sequence]
        return self._vectors[self._starts[number] : self._starts[number + 1]]

    def having(self, terms: Sequence[int], most: int) -> list[Message]:
        """The newest messages with all of some terms, at least one, by their hashes; at most `most`."""
        found: list[int] = []
        for first, page in zip(range(0, len(self), _PAGE)[::-1], reversed(self._pages), strict=True):
            bits = reduce(and_, (page.having.get(term, 0) for term in terms))
            while bits and len(found) < most:
                highest = bits.bit_length() - 1
                found.append(first + highest)
                bits ^= 1 << highest
        return [self._messages[sequence] for sequence in self._sequences[found].tolist()]

    def has(self, sequence: int, term: int) -> bool:
        """Whether a message of the batch has a term, by its hash."""
        page, place = divmod(self._numbers[sequence], _PAGE)
        return bool(self._pages[page].having.get(term, 0) >> place & 1)

    def similar(self, vectors: Matrix, numbers: Numbers, most: int) -> dict[int, float]:
        """The cosine of the nearest chunk of each of some messages, by sequence: the `most` nearest of them.

        Of those that tie the newest.

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
        best = near[np.lexsort((-near, -nearest[near]))[:most]]
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
