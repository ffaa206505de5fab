"""How rare a word is among messages."""

from __future__ import annotations

import math


def idf(number: int, having: int) -> float:
    """The inverse document frequency of Lucene's BM25: `ln(1 + (number - having + 0.5) / (having + 0.5))`, above 0.

    Args:
        number: messages, from 0.
        having: those of them that have the word, from 0 to `number`.
    """
    return math.log(1 + (number - having + 0.5) / (having + 0.5))
