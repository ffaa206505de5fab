"""The post-processors that come with the library."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Literal, TypeAlias

import numpy as np

from streetai_core.arrays import Floats
from streetai_core.errors import InputError
from streetai_core.recall.processing import Candidates, PostProcessor, rescored
from streetai_core.types import Hit

FusionKind: TypeAlias = Literal["zscore", "minmax", "rrf"]

_DAY = timedelta(days=1)

_RANK_OFFSET = 60
"""The constant of the paper."""

_ROUNDING = 1e-9
"""By how much equal parts may differ, of 1 or of the largest that is more: sums of floats in another order differ by
less than a millionth of that, and parts that are not equal by far more."""


class MinimumScore(PostProcessor):
    """Leaves out hits below a score.

    Args:
        least: hits with this score stay.

    Raises:
        InputError: it is not a finite number.
    """

    def __init__(self, least: float) -> None:
        self._least = _number(least, "least", -math.inf)

    def process(self, found: Candidates) -> list[Hit]:
        """The hits from the least score on."""
        return [hit for hit in found.hits if hit.score >= self._least]


class RecentFirst(PostProcessor):
    """Lifts what was said lately, by the calendar; decay counts turns. Adds the part `recency`.

    Args:
        half_life: days after which the lift is half.
        lift: of what is said now, in units of the cosine, from 0.

    Raises:
        InputError: the half-life is not above 0, or the lift below 0.
    """

    def __init__(self, *, half_life: float, lift: float = 0.1) -> None:
        self._half_life = _number(half_life, "half_life", 0.0)
        self._lift = _number(lift, "lift", 0.0)
        if not self._half_life:
            raise InputError("half_life must be above 0 days")

    def process(self, found: Candidates) -> list[Hit]:
        """The hits, each lifted by `lift * 2 ** (-days / half_life)`; what lies in the future by all of it."""
        return [
            rescored(hit, "recency", self._lift * 2 ** (-self._age(found, hit) / self._half_life)) for hit in found.hits
        ]

    def _age(self, found: Candidates, hit: Hit) -> float:
        return max(0.0, (found.asked_at - hit.signal.created_at) / _DAY)


class Diverse(PostProcessor):
    """Maximal marginal relevance: a hit costs its likeness to what is better than it. Adds the part `diversity`.

    Carbonell and Goldstein, The Use of MMR (1998); with the score as it is in place of their convex sum, so that a
    weight of 0 changes nothing.

    Args:
        weight: what a cosine of 1 to a better hit costs, in units of the cosine, from 0.

    Raises:
        InputError: it is not a number from 0.
    """

    def __init__(self, weight: float = 0.2) -> None:
        self._weight = _number(weight, "weight", 0.0)

    def process(self, found: Candidates) -> list[Hit]:
        """The hits, each less `weight` times its highest cosine to those that come before it; below 0 costs nothing."""
        scores = np.array([hit.score for hit in found.hits])
        nearest = np.zeros(len(scores))
        left = np.ones(len(scores), dtype=np.bool_)
        chosen: list[Hit] = []
        for _ in found.hits:
            values = np.where(left, scores - self._weight * nearest, -np.inf)
            best = int(values.argmax())
            left[best] = False
            chosen.append(rescored(found.hits[best], "diversity", -self._weight * float(nearest[best])))
            nearest = np.maximum(nearest, found.vectors @ found.vectors[best])
        return chosen


class Reranked(PostProcessor):
    """Orders the hits by a model that reads question and text together, as a cross-encoder does.

    Adds the part `rerank`.

    Args:
        scorer: gives a number for each text, higher for better: `scorer(question, texts)`. The method `rerank` of
            fastembed's `TextCrossEncoder` is one.

    Raises:
        InputError: it cannot be called.
    """

    def __init__(self, scorer: Callable[[str, list[str]], Iterable[float]]) -> None:
        if not callable(scorer):
            raise InputError(f"scorer must be a function of a question and texts, got {type(scorer).__name__}")
        self._scorer = scorer

    def process(self, found: Candidates) -> list[Hit]:
        """The hits with the scorer's order, its numbers spread over 0 to 1; equal numbers keep the old order.

        Raises:
            InputError: the scorer did not give a finite number for each text.
        """
        texts = [hit.signal.content for hit in found.hits]
        numbers = _scores(self._scorer(found.question, texts), len(texts))
        spread = _minmax(numbers)
        return [rescored(hit, "rerank", float(new) - hit.score) for hit, new in zip(found.hits, spread, strict=True)]


class Fused(PostProcessor):
    """Orders the hits by meaning and words brought to one scale. Adds the part `fusion`.

    Recall itself adds them as they are, which finds as much and keeps scores comparable between questions. This is for
    those who want one of the usual ways.

    Args:
        kind: "zscore": in standard deviations from the mean of the hits; "minmax": from 0 for the least to 1; "rrf":
            reciprocal rank fusion, `1 / (60 + rank)` (Cormack, Clarke and Buettcher 2009).
        meaning: weight of the similarity, from 0.
        words: weight of the words and of what the neighbours' add to them, from 0.

    Raises:
        InputError: the kind is not known, or a weight is not a number from 0.
    """

    def __init__(self, kind: FusionKind = "zscore", *, meaning: float = 0.5, words: float = 0.5) -> None:
        if kind not in _SCALES:
            raise InputError(f"kind must be one of {', '.join(_SCALES)}, got {kind!r}")
        self._scale = _SCALES[kind]
        self._weights = (_number(meaning, "meaning", 0.0), _number(words, "words", 0.0))

    def process(self, found: Candidates) -> list[Hit]:
        """The hits with the weighted sum as their score."""
        fused = np.zeros(len(found.hits))
        for weight, names in zip(self._weights, (("meaning",), ("words", "neighbours")), strict=True):
            values = [sum(hit.parts.get(name, 0.0) for name in names) for hit in found.hits]
            fused += weight * self._scale(_levelled(np.array(values)))
        return [rescored(hit, "fusion", float(new) - hit.score) for hit, new in zip(found.hits, fused, strict=True)]


def _levelled(values: Floats) -> Floats:
    """The values; all the same where they differ by rounding only."""
    greatest = float(values.max())
    is_level = greatest - float(values.min()) <= _ROUNDING * max(1.0, float(np.abs(values).max()))
    return np.full(len(values), greatest) if is_level else values


def _zscore(values: Floats) -> Floats:
    """Standard deviations from the mean; zeros where all are equal."""
    # The mean of equal values need not be equal to them: it is rounded.
    return (values - values.mean()) / values.std() if values.max() > values.min() else np.zeros(len(values))


def _minmax(values: Floats) -> Floats:
    """0 for the least to 1 for the greatest; ones where all are equal."""
    low, high = float(values.min()), float(values.max())
    return (values - low) / (high - low) if high > low else np.ones(len(values))


def _reciprocal_rank(values: Floats) -> Floats:
    """`1 / (60 + rank)`, the best having rank 1; equal values share the better rank."""
    ranks = 1 + (values[None, :] > values[:, None]).sum(axis=1)
    shares: Floats = 1.0 / (_RANK_OFFSET + ranks)
    return shares


_SCALES: dict[str, Callable[[Floats], Floats]] = {"zscore": _zscore, "minmax": _minmax, "rrf": _reciprocal_rank}


def _scores(given: object, number: int) -> Floats:
    """What a scorer gave for so many texts, shape (n,).

    Raises:
        InputError: it is no finite number for each of them.
    """
    wanted = f"the scorer must give a finite number for each of {number} texts"
    try:
        each = iter(given)  # type: ignore[call-overload]  # that it cannot be gone through is what is looked for
    except TypeError:
        raise InputError(f"{wanted}, got {type(given).__name__}") from None
    # Here a scorer that yields its numbers does its work: what it raises is not about what it gave.
    values = list(each)
    # NumPy would read numbers in texts, which a scorer has not meant that returns the texts themselves.
    text = next((value for value in values if isinstance(value, str | bytes)), None)
    if text is not None:
        raise InputError(f"{wanted}, got the text {text!r}")
    try:
        numbers = np.array(values, dtype=np.float64)
    except Exception as error:
        raise InputError(f"{wanted}, got what NumPy makes no numbers of: {error}") from error
    if numbers.shape != (number,) or not np.isfinite(numbers).all():
        raise InputError(f"{wanted}, got {numbers!r}")
    return numbers


def _number(value: float, name: str, least: float) -> float:
    finite = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not finite or value < least:
        raise InputError(
            f"{name} must be a finite number{'' if least == -math.inf else f' from {least:g}'}, got {value!r}"
        )
    return float(value)
