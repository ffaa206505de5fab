"""In which order messages were said: as they came, unless their days say plainly that it was another one.

An old history may be imported into a memory in use. What it says of three years ago is no news then, although it came
last.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Days = npt.NDArray[np.int64]
"""Ordinals of the days on which messages were said, each by the clock of who said it."""

ZONES = 1
"""Days by which a message that came later may seem to be older: people travel, and apps tell the time of any zone."""


def may_be_before(days: Days | int, day: Days | int) -> npt.NDArray[np.bool_]:
    """Whether what was said on some days, and came first, was said before what was said on others."""
    return np.asarray(np.less_equal(days, np.add(day, ZONES)), dtype=np.bool_)


def said_before(
    sequences: Days | int, days: Days | int, sequence: Days | int, day: Days | int
) -> npt.NDArray[np.bool_]:
    """Whether messages were said before others: as they came, unless their days say plainly that it was another order.

    Args:
        sequences: of the messages.
        days: on which they were said.
        sequence: of the others, one or as many.
        day: on which these were said.
    """
    first = np.less(sequences, sequence)
    return np.asarray(np.where(first, may_be_before(days, day), ~may_be_before(day, days)), dtype=np.bool_)


def oldest_first(sequences: npt.NDArray[np.int64], days: Days) -> npt.NDArray[np.intp]:
    """The places of messages in the order in which they were said, shape of both; of one that comes twice as they are.

    Args:
        sequences: of the messages.
        days: on which they were said.
    """
    arrived = np.argsort(sequences, kind="stable")
    said = as_said(sequences[arrived], days[arrived])
    places: npt.NDArray[np.intp] = arrived[np.argsort(said, kind="stable")]
    return places


def as_said(sequences: npt.NDArray[np.int64], days: Days) -> npt.NDArray[np.int64]:
    """The sequences that messages would have if they had come in the order they were said, shape of both."""
    # Nearly always they did, and to sort those of a large memory takes longer than all else for a question.
    if (np.diff(sequences) >= 0).all() and may_be_before(np.maximum.accumulate(days), days).all():
        return sequences
    arrived = np.argsort(sequences, kind="stable")
    reached = np.maximum.accumulate(days[arrived])
    told = np.where(may_be_before(reached, days[arrived]), reached, days[arrived])
    places = np.empty_like(sequences)
    places[arrived[np.argsort(told, kind="stable")]] = sequences[arrived]
    return places
