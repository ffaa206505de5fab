"""Questions that signals helped to answer: which of them are like this one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from heapq import nsmallest
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from streetai_core.arrays import Integers, RowNumbers
from streetai_core.types import KeptVector, Matrix, Vector
from streetai_core.vectors import dots

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float32]

Name: TypeAlias = tuple[int, int]
"""Signal and question of a cue."""

_FIRST_CAPACITY = 16
"""Cues that a memory has room for at first; doubled whenever it is full."""


class CueIndex:
    """The cues of one memory: few (`stores.values.CUES_KEPT`), so that all are compared with a question.

    Args:
        dim: length of the vectors; 0 while there are none.
    """

    def __init__(self, dim: int) -> None:
        self._rows: dict[Name, int] = {}
        """The row of each cue; rows are those from 0 on, in no order."""
        self._names: list[Name] = []
        """By row, as the following."""
        self._versions: list[int] = []
        self._signals = np.zeros(_FIRST_CAPACITY, dtype=np.int64)
        self._vectors = np.zeros((_FIRST_CAPACITY, dim), dtype=np.float32)

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[Name]:
        return iter(self._names)

    def version(self, name: Name) -> int:
        """That of the memory after the reply with which the signal first helped to answer the question."""
        return self._versions[self._rows[name]]

    def put(self, name: Name, version: int, vector: KeptVector) -> None:
        """Add a cue; one that is there stays as it is."""
        if name in self._rows:
            return
        row = self._rows[name] = len(self._names)
        self._names.append(name)
        self._versions.append(version)
        if row == len(self._signals):
            self._signals = np.concatenate([self._signals, np.zeros_like(self._signals)])
            self._vectors = np.concatenate([self._vectors, np.zeros_like(self._vectors)])
        self._signals[row], self._vectors[row] = name[0], vector

    def keep_newest(self, most: int) -> None:
        """Let go of the oldest, if there are more."""
        if len(self) > most:
            self.remove(nsmallest(len(self) - most, self._names, key=lambda name: (self.version(name), name)))

    def remove(self, names: Iterable[Name]) -> None:
        """Let go of cues that may be there."""
        for name in names:
            row = self._rows.pop(name, None)
            if row is None:
                continue
            # The last one takes the place.
            last, version = self._names.pop(), self._versions.pop()
            if last != name:
                self._rows[last], self._names[row], self._versions[row] = row, last, version
                self._signals[row] = self._signals[len(self)]
                self._vectors[row] = self._vectors[len(self)]

    def remove_of(self, signals: Collection[int]) -> None:
        """Let go of all cues of some signals."""
        gone = set(signals)
        self.remove([name for name in self._names if name[0] in gone])

    def since(self, version: int) -> list[Name]:
        """The cues that came after a version."""
        return [name for name in self._names if self.version(name) > version]

    def of_questions(self, questions: Collection[int]) -> list[Name]:
        """The cues of some questions, by their fingerprints."""
        return [name for name in self._names if name[1] in questions]

    def questions_at(self, rows: RowNumbers) -> list[int]:
        """The fingerprints of the questions of some cues, by their places in what `near` gives."""
        return [self._names[row][1] for row in rows.tolist()]

    def vectors_of(self, names: Iterable[Name]) -> Matrix:
        """The vectors of cues that are there, shape (n, dim)."""
        return self._vectors[[self._rows[name] for name in names]]

    def near(self, vector: Vector) -> tuple[Integers, Floats]:
        """The signal of every cue, and the cosine of its question and this one; shape (n,) each."""
        # Not OpenBLAS's product, whose rounding depends on where a row stands.
        return self._signals[: len(self)], dots(self._vectors[: len(self)], vector)

    def image(self) -> dict[str, Array]:
        """All cues as arrays, by name."""
        return {
            "signal": self._signals[: len(self)],
            "question": np.array([question for _, question in self._names], dtype=np.int64),
            "version": np.array(self._versions, dtype=np.int64),
            "vectors": self._vectors[: len(self)].ravel(),
        }

    def restore(self, image: Mapping[str, Array]) -> None:
        """Take over what `image` gave.

        Raises:
            ValueError: the arrays do not fit each other; a `KeyError` if one is missing.
        """
        columns = [image[name].tolist() for name in ("signal", "question", "version")]
        vectors = image["vectors"].reshape(len(columns[0]), self._vectors.shape[1])
        for signal, question, version, vector in zip(*columns, vectors, strict=True):
            self.put((signal, question), version, vector)
