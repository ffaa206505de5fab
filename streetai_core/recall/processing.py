"""Post-processors: what an app of its own makes of the hits, after recall has ordered them and before they are cut."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from streetai_core.errors import InputError
from streetai_core.types import Hit, Matrix

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
        """Those of `found.hits` that stay, as they are or `rescored`; their order does not matter."""


def rescored(hit: Hit, part: str, change: float) -> Hit:
    """The hit with `change` added to its score, under the name `part`."""
    return replace(hit, score=hit.score + change, parts={**hit.parts, part: hit.parts.get(part, 0.0) + change})


def processed(found: Candidates, processors: Sequence[PostProcessor]) -> list[Hit]:
    """The hits after all processors, one after the other; best first, and on a tie as they were.

    Raises:
        InputError: a processor returned something that is not a hit of its question, twice the same, or a score that is
            not the finite sum of its parts; the message names the processor.
    """
    for processor in processors:
        if not found.hits:
            break
        places = {hit.signal.signal_id: place for place, hit in enumerate(found.hits)}
        kept = _checked(processor, processor.process(found), places)
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


def _checked(processor: PostProcessor, returned: object, known: Collection[str]) -> list[Hit]:
    """What a processor returned, if it can be used; `known` are the ids of the signals that it was given."""
    name = type(processor).__name__
    if not isinstance(returned, Iterable):
        raise InputError(f"{name}.process must return hits, got {type(returned).__name__}")
    hits = list(returned)
    seen: set[str] = set()
    for hit in hits:
        if not isinstance(hit, Hit) or hit.signal.signal_id not in known or hit.signal.signal_id in seen:
            raise InputError(f"{name}.process must return hits that it was given, each once, got {hit!r}")
        # Written so that NaN does not pass.
        if not abs(hit.score - sum(hit.parts.values())) <= _SUM_TOLERANCE * max(1.0, abs(hit.score)):
            raise InputError(f"{name}.process gave a score that its parts do not sum to; use rescored: {hit!r}")
        seen.add(hit.signal.signal_id)
    return hits
