"""Which passages go into a block: the most evidence for the tokens there are."""

from __future__ import annotations

import math
from collections.abc import Sequence

from streetai_core.config import Config

LENGTH_PRICE = 0.10
"""What an e-fold of length costs a hit in the order of packing, in units of the score: two short messages are worth
more than one as good that takes the room of both."""
_LEAST_TOKENS = 8
"""What a passage costs even if it is one word: its label and line."""
_MOST_TOKENS = 200
"""Beyond this length a passage is cut anyway."""

_HALF = 0.55
"""The share of a long message that is sent: its better half, and what the cut at a sentence takes."""
_HALF_EXTRA = 5
"""Tokens on top, for the marks where something is left out."""
_LARGEST_SHARE = 2 / 3
"""No passage takes more than two thirds of the room, so that one long message is never all that is recalled. Half of a
reply of several hundred tokens is worth more in a small room than less than half of two."""


def packing_order(scores: Sequence[float], sizes: Sequence[int], config: Config) -> list[int]:
    """In which order to try the hits: the best value for their tokens first; as published, the best first.

    Args:
        scores: of the candidates, best first.
        sizes: tokens of the message of each.
        config: the settings.
    """
    if config.ranking == "product":
        return list(range(len(scores)))
    price = [LENGTH_PRICE * math.log(min(size, _MOST_TOKENS) + _LEAST_TOKENS) for size in sizes]
    return sorted(range(len(scores)), key=lambda number: (price[number] - scores[number], number))


def most_tokens(size: int, room: float, config: Config) -> float:
    """Most tokens of one message that are shown.

    Args:
        size: tokens of all of it.
        room: tokens that there are for all passages together; infinite where nothing limits them.
        config: the settings.
    """
    half = _HALF * size + _HALF_EXTRA
    return max(config.passage_tokens, min(half, room * _LARGEST_SHARE))
