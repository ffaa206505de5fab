"""A strategy of one's own: what it is told of a question and a memory, and the scores that it gives.

class NewestFirst(Strategy):
    def score(self, known):
        return np.where(known.relevant, known.sequence, -np.inf)

memory.retrieve("Where do I live?", strategy=NewestFirst())
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from streetai_core.arrays import Flags, Floats, Integers
from streetai_core.errors import StrategyError
from streetai_core.types import Vector

Days: TypeAlias = npt.NDArray[np.datetime64]
Texts: TypeAlias = npt.NDArray[np.object_]

Scores: TypeAlias = npt.ArrayLike | Mapping[str, npt.ArrayLike]
"""Scores of shape (n,), or parts of that shape by name, which are added up."""

_NUMBERS = "iuf"
"""Kinds of NumPy's types that are real numbers; flags are none, for a mask that is returned by mistake would find
everything."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Unranked:
    """What recall knows of a question and of every signal that it may find, before any is left out.

    The arrays are parallel, of shape (n,), n from 1, and cannot be written to. Their order tells nothing, and is
    another one at another time. What is in quarantine is not among the signals; what the caller's filter leaves out is,
    so that a score does not depend on the filter.
    """

    question: str
    """What is asked, of a long one the first 4,000 characters. A question that leans on the one before it is asked a
    second time together with that."""
    asked_at: datetime
    vector: Vector | None
    """Its embedding; `None` if the encoder failed."""
    turn: int
    """The memory's clock: that of the next message."""

    parts: Mapping[str, Floats]
    """What makes up the score under `strategy="hybrid"`, by the names of the README, in units of the cosine: meaning,
    words, neighbours, vague, author, time, length, asking, answers, wishes, whole, stretch, change, activation and
    learning. In a memory of 4,096 signals or more meaning is estimated, to about .0005 with the default model, but for
    what that strategy finds; where a signal has no vector, it is the mean of the others'."""
    relevant: Flags
    """Whether the built-in gate of meaning and words lets the signal through."""
    similarity: Floats
    """Cosine with the question, estimated as meaning is; 0 without a vector."""

    key: Integers
    """The number of the signal in its memory: signals that came later have greater ones."""
    weight: Floats
    """The weight after decay, from 0."""
    last_used_turn: Integers
    """When it was said or sent last."""
    uses: Integers
    """How many replies used it."""
    is_code: Flags

    sequence: Integers
    """The place of its message among all that were stored; signals of one message have one sequence."""
    day: Days
    """The day on which the message was said, where it was said, as `datetime64[D]`."""
    role: Texts
    author: Texts
    """Names; `None`: without."""
    conversation: Texts
    """Ids; `None`: the conversation without one."""
    source: Texts
    trust: Floats
    """How far the message may be believed, 0 to 1."""
    tokens: Floats
    """Length of the whole message: a quarter of its characters, and of those in code fences a sixteenth."""
    asks: Flags
    """Whether the message ends with a question mark."""
    replaced: Flags
    """Whether a later statement has replaced it."""

    token: str
    """What the ids of this memory's signals begin with."""

    def __len__(self) -> int:
        """How many signals there are."""
        return len(self.key)

    @property
    def signal_ids(self) -> list[str]:
        """The ids that hits have as `hit.signal.signal_id`: to look up what an index of your own knows of them."""
        return [f"{self.token}.{key}" for key in self.key.tolist()]


class Strategy(ABC):
    """Gives the signals of a memory their scores, in place of a built-in strategy. Write one method.

    Give one wherever the name of a strategy is taken: `Config(strategy=)`, `retrieve`, `build_prompt`, `why` and their
    twins. It works while nothing of the memory is locked: it may take its time, and use the memory. It is asked once
    for a question, again if somebody writes meanwhile, and possibly from several threads at once.

    All that follows is as with the built-in ones: trust, quarantine, filter, repetitions, post-processors, limits,
    learning, `why`. Texts are read only of what is found, so it is told none: to judge by them, write a
    `PostProcessor`.
    """

    @property
    def name(self) -> str:
        """What it is called in reasons, errors and settings, and its part of a score.

        The name of its class; give another one where objects of one class are to be told apart. Text that is not blank,
        and no name of a built-in strategy.
        """
        return type(self).__name__

    @abstractmethod
    def score(self, known: Unranked) -> Scores:
        """The scores of all signals, shape (n,): higher is better, `-np.inf` is not to be found.

        It is the gate too: whatever has another score than `-np.inf` may be recalled. `known.relevant` is what the
        built-in gate says.

        A prompt packs by the score less .10 for each e-fold of length. So a scale like that of `known.parts`, where 1
        is much, weighs messages against their tokens; with a far wider one length does not count, and with a far
        narrower one nothing else.

        Returns:
            Finite numbers or `-np.inf`, in the order of `known`; a hit has them as one part, named after the strategy.
            Or parts by name, each such an array: their sum is the score, and a hit has them all. A masked array is one
            only where nothing is masked.
        """


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """The scores that a strategy gave; arrays of shape (n,)."""

    keys: Integers
    """Of the signals that it was told of."""
    similarity: Floats
    """As it was told."""
    scores: Floats
    """Finite, or -inf for what it does not want found."""
    parts: Mapping[str, Floats]
    """They sum to the scores."""


def judged(strategy: Strategy, known: Unranked) -> Judged:
    """What a strategy makes of what it is told; it is not asked where there is no signal.

    Raises:
        StrategyError: it failed, or gave no scores; the message names it.
    """
    returned: Any = {}
    if len(known):
        try:
            returned = strategy.score(known)
        except Exception as error:
            raise StrategyError(
                f"{strategy.name}.score raised {type(error).__name__}: {error}. Mend it, or ask with another strategy="
            ) from error
    parts = _parts(strategy, returned, len(known))
    scores = np.zeros(len(known))
    with np.errstate(over="ignore"):
        for part in parts.values():
            scores += part
    if (scores == np.inf).any():
        raise StrategyError(f"{strategy.name}.score gave parts whose sum is no finite number; give smaller ones")
    return Judged(keys=known.key, similarity=known.similarity, scores=scores, parts=parts)


def _parts(strategy: Strategy, returned: Any, number: int) -> dict[str, Floats]:
    """What a strategy returned for so many signals, as parts by name.

    Raises:
        StrategyError: they cannot be used.
    """
    if not isinstance(returned, Mapping):
        return {strategy.name: _numbers(f"{strategy.name}.score", returned, number)}
    if number and not returned:
        raise StrategyError(f"{strategy.name}.score gave no parts; give one at least, or scores")
    unnamed = [name for name in returned if not isinstance(name, str) or not name.strip()]
    if unnamed:
        raise StrategyError(
            f"{strategy.name}.score must name its parts by a text that is not blank, got {unnamed[0]!r}"
        )
    return {name: _numbers(f"{strategy.name}.score, part {name!r},", part, number) for name, part in returned.items()}


def _numbers(what: str, given: Any, number: int) -> Floats:
    """One number for each of so many signals, as a copy.

    Raises:
        StrategyError: what was given is something else; it begins with `what`.
    """
    wanted = f"{what} must give a number for each of {number} signals"
    try:
        array = np.asarray(given)
    except Exception as error:
        raise StrategyError(f"{wanted}, got {type(given).__name__}, of which NumPy makes no array: {error}") from error
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        # NumPy would give what stands behind the mask, which nobody has meant.
        raise StrategyError(f"{wanted}, got a masked array. Say what the masked ones are worth: scores.filled(-np.inf)")
    if array.dtype == np.bool_:
        raise StrategyError(f"{wanted}, got flags. Say what they are worth: np.where(flags, scores, -np.inf)")
    if array.dtype.kind not in _NUMBERS:
        raise StrategyError(f"{wanted}, got {type(given).__name__} of {array.dtype}")
    if array.shape != (number,):
        raise StrategyError(f"{wanted}, as an array of the shape ({number},), got one of the shape {array.shape}")
    with np.errstate(over="ignore"):
        numbers = np.array(array, dtype=np.float64)
    wrong = np.isnan(numbers) | (numbers == np.inf)
    if wrong.any():
        raise StrategyError(
            f"{wanted}, got {numbers[wrong][0]} for {np.count_nonzero(wrong)}; what is not to be found gets -np.inf"
        )
    return numbers
