"""What is measured: evidence in a text, places in a ranking, areas under curves. Rules without I/O."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

HALF = 0.5
"""Share of a message's text from which it counts as being there."""

_SHORTEST_PIECE = 24
"""Characters of the shortest part of a longer message that counts: about five words. Shorter runs ("and I think that")
stand in many messages."""

_QUOTE_MARKS = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
"""What a quotation puts in front of every line."""

_WHITE_SPACE = re.compile(r"\s+")

_PLAIN = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "})
"""Typographic quote marks and the fixed space, which some memories rewrite."""

_LABEL = re.compile(r"^.{1,80}?:[ \t]+")
"""A speaker, perhaps with a date, in front of a message on the same line."""


class SentText:
    """A text that was sent to a model, ready to be searched for what it holds.

    Quote marks at the start of lines, line breaks, runs of white space and typographic quote marks make no difference.

    Args:
        text: what was sent; of several messages joined with line breaks.
    """

    def __init__(self, text: str) -> None:
        plain = _unquoted(text)
        self._whole = _flat(plain)
        lines = [line.strip() for line in plain.splitlines()]
        self._lines = {_flat(line) for line in lines} | {_flat(_LABEL.sub("", line)) for line in lines}

    def share_of(self, message: str) -> float:
        """How much of a message's text stands here, in [0, 1].

        Parts count from `_SHORTEST_PIECE` characters on; a message shorter than that counts where it is a line of its
        own, after a label at most. A blank message is always there.
        """
        wanted = _flat(_unquoted(message))
        if len(wanted) < _SHORTEST_PIECE:
            return float(not wanted or wanted in self._lines)
        if wanted in self._whole:
            return 1.0
        covered = start = 0
        while start <= len(wanted) - _SHORTEST_PIECE:
            length = self._longest(wanted, start)
            if length:
                covered += length
                start += length
            else:
                space = wanted.find(" ", start)
                start = len(wanted) if space < 0 else space + 1
        return covered / len(wanted)

    def holds(self, message: str) -> bool:
        """Whether at least half of a message's text stands here."""
        return self.share_of(message) >= HALF

    def _longest(self, wanted: str, start: int) -> int:
        """Length of the longest piece from `start` that stands here; 0 if it is too short to count."""
        low, high = _SHORTEST_PIECE, len(wanted) - start
        if wanted[start : start + low] not in self._whole:
            return 0
        while low < high:
            middle = (low + high + 1) // 2
            if wanted[start : start + middle] in self._whole:
                low = middle
            else:
                high = middle - 1
        return low


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Share of the `gold` ids among the first `k` of `ranked`, in [0, 1]; `gold` is not empty."""
    return len(set(ranked[:k]) & set(gold)) / len(set(gold))


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str]) -> float:
    """1 / the place of the first gold id, counted from 1; 0 if none is there."""
    wanted = set(gold)
    return next((1 / place for place, name in enumerate(ranked, start=1) if name in wanted), 0.0)


def auroc(scores: npt.ArrayLike, positive: npt.ArrayLike) -> float:
    """Area under the receiver operating characteristic: how often a positive scores above a negative; ties count half.

    Args:
        scores: shape (n,).
        positive: flags, shape (n,).

    Returns:
        A number in [0, 1]; NaN without both kinds. (Mann and Whitney 1947: U / (positives * negatives).)
    """
    values = np.asarray(scores, dtype=np.float64)
    flags = np.asarray(positive, dtype=bool)
    positives, negatives = int(flags.sum()), int((~flags).sum())
    if not positives or not negatives:
        return float("nan")
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks = (last - (counts - 1) / 2)[inverse]
    return float((ranks[flags].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def measured(figure: float) -> float | None:
    """A figure as results have it: `None` where nothing was measured, for JSON has no NaN."""
    return None if math.isnan(figure) else figure


def _unquoted(text: str) -> str:
    return _QUOTE_MARKS.sub("", "\n".join(text.splitlines())).translate(_PLAIN)


def _flat(text: str) -> str:
    return _WHITE_SPACE.sub(" ", text).strip()
