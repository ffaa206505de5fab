"""Absence measured: does a memory see that something was never said?

A conversation is asked its own questions and those of the other conversations, with the names of its own speakers in
them. The best hit of its own questions should score above the best hit of the strangers'.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from streetai_core.config import Config
from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.datasets import Recording
from streetai_core.evaluation.metrics import auroc, measured
from streetai_core.evaluation.replay import as_new_message, open_memory
from streetai_core.memory import Memory
from streetai_core.types import ROLES


@dataclass(frozen=True, slots=True)
class TopHit:
    """The best hit of one question; `None` where nothing was found."""

    recording: str
    own: bool
    """Whether the question is about this conversation."""
    score: float | None
    similarity: float | None

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)


def measure_absence(
    recording: Recording,
    others: Sequence[Recording],
    config: Config,
    encoder: Encoder,
) -> list[TopHit]:
    """Ask a conversation its own questions, and as many of the others', evenly taken from all of them."""
    own = [question.text for question in recording.answerable]
    strange = [with_names_of(recording, other, question.text) for other in others for question in other.answerable]
    step = max(1, len(strange) // max(1, len(own)))
    asked = [(text, True) for text in own] + [(text, False) for text in strange[::step][: len(own)]]
    with open_memory(recording, config, encoder) as memory:
        memory.add_messages([as_new_message(message) for message in recording.messages])
        return [_top(memory, recording.recording_id, text, is_own=is_own) for text, is_own in asked]


def with_names_of(recording: Recording, other: Recording, question: str) -> str:
    """A question about `other` with the names of the speakers of `recording` in it: the first for the first, etc.."""
    pairs = zip(other.speakers, recording.speakers, strict=False)
    names = {theirs: ours for theirs, ours in pairs if theirs not in ROLES and ours not in ROLES}
    if not names:
        return question
    # All at once, so that a name that both have is not changed twice.
    pattern = re.compile(rf"\b({'|'.join(re.escape(name) for name in names)})\b")
    return pattern.sub(lambda found: names[found[0]], question)


def summarise_absence(tops: Sequence[TopHit]) -> dict[str, float | None]:
    """AUROC of the best hit's score, and of its similarity, for own questions against strangers'; shares of none found.

    Where nothing was found the score counts as below all others. `None` where there are no strangers.
    """
    own = [top.own for top in tops]
    return {
        "questions": sum(own),
        "strangers": len(own) - sum(own),
        "auroc_of_score": measured(auroc([_or_nothing(top.score) for top in tops], own)),
        "auroc_of_similarity": measured(auroc([_or_nothing(top.similarity) for top in tops], own)),
        "own_not_found": _share_of_none([top for top in tops if top.own]),
        "strangers_not_found": _share_of_none([top for top in tops if not top.own]),
    }


def _top(memory: Memory, recording: str, question: str, *, is_own: bool) -> TopHit:
    hits = memory.retrieve(question, limit=1)
    return TopHit(recording, is_own, hits[0].score if hits else None, hits[0].similarity if hits else None)


def _or_nothing(value: float | None) -> float:
    return -math.inf if value is None else value


def _share_of_none(tops: Sequence[TopHit]) -> float | None:
    return sum(top.score is None for top in tops) / len(tops) if tops else None
