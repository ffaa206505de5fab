"""Which passages go into a block: the most evidence for the tokens there are."""

from __future__ import annotations

import math
from collections.abc import Sequence

from streetai_core.config import Config
from streetai_core.tokens import TokenCounter
from streetai_core.types import Hit, Message

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


def packing_order(hits: Sequence[Hit], messages: Sequence[Message], config: Config, counter: TokenCounter) -> list[int]:
    """In which order to try the hits: the best value for their tokens first; as published, the best first.

    Args:
        hits: the candidates, best first.
        messages: the message of each.
        config: the settings.
        counter: counts tokens.
    """
    if config.ranking == "product":
        return list(range(len(hits)))
    price = [LENGTH_PRICE * math.log(min(counter.count(one.content), _MOST_TOKENS) + _LEAST_TOKENS) for one in messages]
    return sorted(range(len(hits)), key=lambda number: (price[number] - hits[number].score, number))


def most_tokens(message: Message, room: float, config: Config, counter: TokenCounter) -> float:
    """Most tokens of one message that are shown.

    Args:
        message: whose passage it is.
        room: tokens that there are for all passages together; infinite where nothing limits them.
        config: the settings.
        counter: counts tokens.
    """
    half = _HALF * counter.count(message.content) + _HALF_EXTRA
    return max(config.passage_tokens, min(half, room * _LARGEST_SHARE))
