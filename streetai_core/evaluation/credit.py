"""Credit measured: does learning tell the evidence from the other hits, and does it act on it?

For each question the best hits are taken, and a reply is made from the gold answer: terse (the answer alone) or echoing
(the question's words turned into a statement, with the answer). Simulated replies are not what users' models write.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import mean
from typing import Any

from streetai_core.config import Config
from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.datasets import Recording
from streetai_core.evaluation.metrics import auroc, measured
from streetai_core.evaluation.needed import with_answers
from streetai_core.evaluation.replay import as_new_message, open_memory
from streetai_core.evaluation.replies import echoing, terse
from streetai_core.types import Action

HITS = 25
"""Best hits of each question that get credit; the published size of the thinking space."""

STYLES = ("terse", "echoing")
"""Kinds of simulated replies."""


@dataclass(frozen=True, slots=True)
class CreditedHit:
    """One hit of one question after one reply."""

    recording: str
    question: int
    style: str
    evidence: bool
    """Whether it is a piece of a gold message."""
    credit: float
    score: float
    """The retrieval score, which is what credit has to be better than."""
    action: Action

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)


def measure_credit(
    recording: Recording, config: Config, encoder: Encoder, progress: Callable[[], None] | None = None
) -> list[CreditedHit]:
    """Credit of the best hits of every question with evidence and an answer, for both kinds of replies.

    All hits are looked up before anything is learned, so that no question sees what another one taught.
    """
    credited: list[CreditedHit] = []
    questions = with_answers(recording)
    with open_memory(recording, config, encoder) as memory:
        memory.add_messages([as_new_message(message) for message in recording.messages])
        found = [memory.retrieve(question.text, limit=HITS) for question in questions]
        for question, hits in zip(questions, found, strict=True):
            replies = {"terse": terse(question.answer), "echoing": echoing(question.text, question.answer)}
            by_id = {hit.signal.signal_id: hit for hit in hits}
            for style in STYLES:
                for update in memory.post_process(hits, replies[style]):
                    hit = by_id[update["signal_id"]]
                    credited.append(
                        CreditedHit(
                            recording=recording.recording_id,
                            question=question.number,
                            style=style,
                            evidence=hit.signal.parent_turn_id in question.evidence,
                            credit=update["contribution"],
                            score=hit.score,
                            action=update["action"],
                        )
                    )
            if progress is not None:
                progress()
    return credited


def summarise_credit(hits: Sequence[CreditedHit]) -> dict[str, dict[str, float | None]]:
    """For each kind of reply AUROC of credit and of the retrieval score alone, and shares of what was done, in [0, 1].

    AUROC is taken over all hits together, which is what a threshold needs, and in each question, as the mean over
    questions, which is what an order needs.

    Questions whose hits are all evidence or have none say nothing about telling them apart, and are left out of the
    mean over questions; `None` where nothing is left.
    """
    return {style: _figures([hit for hit in hits if hit.style == style]) for style in STYLES}


def _figures(hits: Sequence[CreditedHit]) -> dict[str, float | None]:
    true = [hit for hit in hits if hit.evidence]
    other = [hit for hit in hits if not hit.evidence]
    groups: dict[tuple[str, int], list[CreditedHit]] = {}
    for hit in hits:
        groups.setdefault((hit.recording, hit.question), []).append(hit)
    return {
        "questions": len(groups),
        "evidence_hits": len(true),
        "other_hits": len(other),
        "auroc": measured(auroc([hit.credit for hit in hits], [hit.evidence for hit in hits])),
        "auroc_in_question": _in_question(list(groups.values()), lambda hit: hit.credit),
        "score_auroc": measured(auroc([hit.score for hit in hits], [hit.evidence for hit in hits])),
        "score_auroc_in_question": _in_question(list(groups.values()), lambda hit: hit.score),
        "evidence_boosted": _share(true, "boost"),
        "evidence_demoted": _share(true, "demote"),
        "other_boosted": _share(other, "boost"),
        "other_demoted": _share(other, "demote"),
    }


def _in_question(groups: Sequence[Sequence[CreditedHit]], value: Callable[[CreditedHit], float]) -> float | None:
    """Mean over questions of the AUROC among the hits of one question."""
    single = [
        auroc([value(hit) for hit in group], [hit.evidence for hit in group])
        for group in groups
        if 0 < sum(hit.evidence for hit in group) < len(group)
    ]
    return mean(single) if single else None


def _share(hits: Sequence[CreditedHit], action: Action) -> float | None:
    return sum(hit.action == action for hit in hits) / len(hits) if hits else None
