"""Simple rankers, as a yardstick: what anybody can build in an afternoon with the same encoder.

Their units are sent as lines `Author: text`, best first, each that still fits into the budget; what is too long is
passed over. Unlike a prompt of this library, which pays for the question, the fence and the dates from the same budget,
they may spend all of it on lines: the comparison leans to their side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.bm25 import Bm25
from streetai_core.evaluation.datasets import Recording
from streetai_core.evaluation.filling import Line, RankedLines
from streetai_core.evaluation.systems import Description, System
from streetai_core.evaluation.units import Unit, units_of

Scores = npt.NDArray[np.float64]
"""One score a unit, shape (n,)."""

Ranker = Callable[[str], Scores]
"""Question -> scores."""

DENSE_SHARE = 0.6
"""Weight of meaning in the sum of z-scores; words have the rest. Best of five on LoCoMo's ten conversations."""


def _last(units: Sequence[Unit], _encoder: Encoder) -> Ranker:
    scores = np.arange(len(units), dtype=np.float64)
    return lambda _question: scores


def _dense(units: Sequence[Unit], encoder: Encoder) -> Ranker:
    vectors = encoder.encode([unit.line for unit in units])
    return lambda question: (vectors @ encoder.encode([question], "query")[0]).astype(np.float64)


def _bm25(units: Sequence[Unit], _encoder: Encoder) -> Ranker:
    return Bm25([unit.line for unit in units]).scores


def _zsum(units: Sequence[Unit], encoder: Encoder) -> Ranker:
    meaning, wording = _dense(units, encoder), _bm25(units, encoder)
    return lambda question: (
        DENSE_SHARE * standardised(meaning(question)) + (1 - DENSE_SHARE) * standardised(wording(question))
    )


RANKERS: Mapping[str, Callable[[Sequence[Unit], Encoder], Ranker]] = {
    "last": _last,
    "dense": _dense,
    "bm25": _bm25,
    "zsum": _zsum,
}
"""The simple rankers: the newest first, cosine, BM25, and the sum of the z-scores of the last two."""


def standardised(scores: Scores) -> Scores:
    """Scores with mean 0 and standard deviation 1, shape (n,); zeros where all are equal."""
    spread = float(scores.std())
    result: Scores = (scores - scores.mean()) / spread if spread > 0 else np.zeros_like(scores)
    return result


class Baseline(System):
    """One simple ranker on one kind of units.

    Args:
        ranker: a key of `RANKERS`.
        units: a key of `UNITS`.
        encoder: shared by all systems of a run.
    """

    def __init__(self, ranker: str, units: str, encoder: Encoder) -> None:
        self._ranker = ranker
        self._units = units
        self._encoder = encoder

    @property
    def description(self) -> Description:
        """Ranker and units; it depends on the chunking, and on nothing else of the library."""
        return Description(
            name=f"{self._ranker} {self._units}",
            settings={"ranker": self._ranker, "units": self._units},
            packages=("streetai_core.evaluation", "streetai_core.text", "streetai_core.tokens"),
        )

    @contextmanager
    def reading(self, recording: Recording) -> Iterator[RankedLines]:
        """All units of the recording, ready to be ranked."""
        units = units_of(recording, self._units)
        lines = [Line(unit.line, (unit.message_id,)) for unit in units]
        ranker = RANKERS[self._ranker](units, self._encoder)

        def search(question: str) -> list[Line]:
            scores = ranker(question)
            # On equal scores the newer one first.
            return [lines[position] for position in np.lexsort((-np.arange(len(lines)), -scores))]

        yield RankedLines(search)
