"""Post-processors: what an app of its own makes of the hits, after recall has ordered them and before they are cut."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from streetai_core.errors import InputError, ProcessorError, StreetAIError
from streetai_core.types import Hit, Matrix, Signal

_SUM_TOLERANCE = 1e-6
"""How far the parts of a hit may be from its score; of a score beyond 1, which share of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """What recall has found for a question, as a post-processor gets it."""

    question: str
    hits: tuple[Hit, ...]
    """Best first; at least one."""
    vectors: Matrix
    """Their embeddings, unit rows in the same order, shape (n, dim)."""
    asked_at: datetime


class PostProcessor(ABC):
    """Changes what was found: leaves hits out, or gives them other scores. Write one method.

    It is asked on every path, `retrieve`, `build_prompt` and `why`, possibly from several threads at once.
    """

    @abstractmethod
    def process(self, found: Candidates) -> Iterable[Hit]:
        """Those of `found.hits` that stay, as they are or `rescored`; their order does not matter.

        What it raises comes out as a `ProcessorError`, if it is no error of the library's.
        """


def rescored(hit: Hit, part: str, change: float) -> Hit:
    """The hit with `change`, a number of any kind, added to its score, under the name `part`."""
    # A number of NumPy's cannot be written as JSON, as the inspector is.
    added = float(change)
    return replace(hit, score=hit.score + added, parts={**hit.parts, part: hit.parts.get(part, 0.0) + added})


def processed(found: Candidates, processors: Sequence[PostProcessor]) -> list[Hit]:
    """The hits after all processors, one after the other; best first, and on a tie as they were.

    Raises:
        InputError: a processor returned something that is not a hit of its question, twice the same, or a score that is
            not the finite sum of its parts; the message names the processor.
        ProcessorError: a processor failed; the message names it.
    """
    for processor in processors:
        if not found.hits:
            break
        places = {hit.signal.signal_id: place for place, hit in enumerate(found.hits)}
        kept = _checked(processor, _returned(processor, found), found.hits)
        kept.sort(key=lambda hit: (-hit.score, places[hit.signal.signal_id]))
        rows = [places[hit.signal.signal_id] for hit in kept]
        found = replace(found, hits=tuple(kept), vectors=found.vectors[rows])
    return list(found.hits)


def check_processors(processors: Iterable[PostProcessor]) -> tuple[PostProcessor, ...]:
    """The processors as a tuple.

    Raises:
        InputError: they are not post-processors.
    """
    listed = tuple(processors) if isinstance(processors, Iterable) else (processors,)
    wrong = [one for one in listed if not isinstance(one, PostProcessor)]
    if wrong:
        raise InputError(f"processors must be several PostProcessor objects, got {wrong[0]!r}")
    return listed


def _returned(processor: PostProcessor, found: Candidates) -> list[object]:
    """What a processor returned, whatever it is.

    Raises:
        InputError: it is not several things.
        ProcessorError: the processor failed.
    """
    name = type(processor).__name__
    try:
        returned: object = processor.process(found)
        # Here, for a processor that yields its hits does its work only now.
        listed = list(returned) if isinstance(returned, Iterable) else None
    except StreetAIError:
        # What a processor of ours, or the memory that it reads, says of itself.
        raise
    except Exception as error:
        raise ProcessorError(
            f"{name}.process raised {type(error).__name__}: {error}. Mend it, or ask with other processors="
        ) from error
    if listed is None:
        raise InputError(f"{name}.process must return hits, got {type(returned).__name__}")
    return listed


def _checked(processor: PostProcessor, returned: Iterable[object], given: Iterable[Hit]) -> list[Hit]:
    """What a processor returned, if it can be used; `given` are the hits that it was given."""
    name = type(processor).__name__
    hits: dict[str, Hit] = {}
    known = {hit.signal.signal_id: hit.signal for hit in given}
    for hit in returned:
        if not isinstance(hit, Hit) or not _is_known(hit, known) or hit.signal.signal_id in hits:
            got = hit.signal if isinstance(hit, Hit) else hit
            raise InputError(f"{name}.process must return hits that it was given, each once, got {got!r}")
        if not _adds_up(hit):
            # Not the hit itself, which cannot show a score that is no number.
            raise InputError(
                f"{name}.process gave a score that its parts do not sum to; use rescored: {hit.score!r} of "
                f"{hit.parts!r} for {hit.signal!r}"
            )
        hits[hit.signal.signal_id] = _in_plain_numbers(hit)
    return list(hits.values())


def _in_plain_numbers(hit: Hit) -> Hit:
    """The hit with Python's floats, which are JSON; NumPy's are none."""
    if type(hit.score) is float and all(type(value) is float for value in hit.parts.values()):
        return hit
    return replace(hit, score=float(hit.score), parts={part: float(value) for part, value in hit.parts.items()})


def _is_known(hit: Hit, known: Mapping[str, Signal]) -> bool:
    """Whether the signal of a hit is one of these, as it was."""
    signal: object = hit.signal
    return isinstance(signal, Signal) and isinstance(signal.signal_id, str) and known.get(signal.signal_id) == signal


def _adds_up(hit: Hit) -> bool:
    """Whether the score of a hit is the finite sum of its parts; nothing else is a number here."""
    try:
        # Written so that NaN does not pass.
        score = float(hit.score)
        return bool(abs(score - sum(map(float, hit.parts.values()))) <= _SUM_TOLERANCE * max(1.0, abs(score)))
    except (AttributeError, OverflowError, TypeError, ValueError):
        return False
