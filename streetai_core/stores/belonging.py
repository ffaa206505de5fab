"""Whether the rows of a memory belong together: SQLite looks after that only in programs which ask it to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from streetai_core.arrays import Integers
from streetai_core.stores.rows import Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """Which rows a memory has, each of shape (n,)."""

    messages: Integers
    """Sequences of the messages."""
    signals: Integers
    said_in: Integers
    """Sequence of each signal's message."""
    weights: Integers
    """Keys of the signals that have a weight."""
    words: Integers
    """Sequences of the messages that can be found by words."""
    cues: Integers
    """Keys of the signals that have a cue, once for each."""


def check_belonging(keys: Keys, origin: Origin) -> None:
    """Refuse a memory in which a row belongs to one that is not there.

    Raises:
        DamagedFileError: naming the kinds of both rows, and the first that is not there.
    """
    pairs = (
        ("signals", "message", keys.said_in, keys.messages),
        ("words rows", "message", keys.words, keys.messages),
        ("weights", "signal", keys.weights, keys.signals),
        ("cues", "signal", keys.cues, keys.signals),
    )
    for what, other, belonging, there in pairs:
        lost = belonging[~np.isin(belonging, there)]
        if len(lost):
            raise origin.orphaned(what, other, int(lost[0]))
