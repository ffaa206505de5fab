"""Recall measured: how much of the evidence for a question is in what a system sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from streetai_core.errors import InputError
from streetai_core.evaluation.datasets import RecordedQuestion, Recording
from streetai_core.evaluation.intervals import Estimate, mean_interval
from streetai_core.evaluation.metrics import SentText, recall_at, reciprocal_rank
from streetai_core.evaluation.systems import Answer, System

BUDGETS = (256, 500, 1_000, 1_500, 3_000)
"""Token budgets of a prompt that are measured if not told: from a small local model to a generous app."""

RANKS = (5, 10, 25)
"""Places of the ranking at which recall is measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionResult:
    """What one system did with one question. JSON-safe by `to_dict`; has no text of the data."""

    system: str
    recording: str
    number: int
    category: str
    evidence: tuple[str, ...]
    """Ids of the gold messages."""
    found: Mapping[int, tuple[str, ...]]
    """Token budget -> the gold messages of which at least half the text was sent."""
    tokens: Mapping[int, int]
    """Token budget -> tokens sent."""
    recall_at: Mapping[int, float] | None
    """Rank -> share of the gold messages up to it; `None` if the system does not rank messages."""
    reciprocal_rank: float | None

    def share(self, budget: int) -> float:
        """Share of the gold messages that was sent at a budget."""
        return len(self.found[budget]) / len(self.evidence)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values; numbers as keys become texts."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> QuestionResult:
        """The inverse of `to_dict`, from JSON."""
        ranks = values["recall_at"]
        return cls(
            **{
                **values,
                "evidence": tuple(values["evidence"]),
                "found": {int(budget): tuple(names) for budget, names in values["found"].items()},
                "tokens": {int(budget): count for budget, count in values["tokens"].items()},
                "recall_at": None if ranks is None else {int(rank): share for rank, share in ranks.items()},
            }
        )


def measure(
    system: System, recording: Recording, budgets: Sequence[int] = BUDGETS, progress: Callable[[], None] | None = None
) -> list[QuestionResult]:
    """Ask a system all questions of a recording that have evidence.

    Args:
        system: gets the whole recording first.
        recording: with at least one such question, else the result is empty.
        budgets: token budgets, each from 1.
        progress: called after every question.

    Raises:
        InputError: a budget is below 1.
    """
    if any(budget < 1 for budget in budgets):
        raise InputError(f"token budgets must be whole numbers from 1, got {', '.join(map(str, budgets))}")
    questions = recording.answerable
    if not questions:
        return []
    texts = {message.message_id: message.text for message in recording.messages}
    results: list[QuestionResult] = []
    with system.reading(recording) as session:
        for question in questions:
            answer = session.ask(question.text, budgets)
            results.append(_result(system.description.name, recording, question, answer, texts))
            if progress is not None:
                progress()
    return results


def _result(
    name: str, recording: Recording, question: RecordedQuestion, answer: Answer, texts: Mapping[str, str]
) -> QuestionResult:
    found: dict[int, tuple[str, ...]] = {}
    for budget, sent in answer.sent.items():
        # What costs more than it may is not evidence; a blank gold message was never stored, and is found nowhere.
        text = SentText(sent if answer.tokens[budget] <= budget else "")
        found[budget] = tuple(gold for gold in question.evidence if gold in texts and text.holds(texts[gold]))
    ranked = answer.ranked
    return QuestionResult(
        system=name,
        recording=recording.recording_id,
        number=question.number,
        category=question.category,
        evidence=question.evidence,
        found=found,
        tokens=dict(answer.tokens),
        recall_at=None if ranked is None else {rank: recall_at(ranked, question.evidence, rank) for rank in RANKS},
        reciprocal_rank=None if ranked is None else reciprocal_rank(ranked, question.evidence),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSummary:
    """Means over questions, each with its 95 % interval."""

    questions: int
    evidence: Mapping[int, Estimate]
    """Budget -> mean share of the evidence sent."""
    complete: Mapping[int, Estimate]
    """Budget -> share of questions with all of their evidence sent."""
    tokens: Mapping[int, float]
    """Budget -> mean tokens sent."""
    over_budget: int
    """How often more was sent than a budget allows; none of it counts as evidence. Always 0, or a bug."""
    recall_at: Mapping[int, Estimate]
    """Rank -> mean share of the evidence; empty if the system does not rank messages."""
    mrr: Estimate | None
    """Mean reciprocal rank of the first gold message."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "questions": self.questions,
            "evidence": {str(budget): one.to_dict() for budget, one in self.evidence.items()},
            "complete": {str(budget): one.to_dict() for budget, one in self.complete.items()},
            "tokens": {str(budget): one for budget, one in self.tokens.items()},
            "over_budget": self.over_budget,
            "recall_at": {str(rank): one.to_dict() for rank, one in self.recall_at.items()},
            "mrr": None if self.mrr is None else self.mrr.to_dict(),
        }


def summarise(results: Sequence[QuestionResult]) -> RecallSummary:
    """The means of at least one result of one system; all have the same budgets."""
    budgets = list(results[0].found)
    ranked = [one for one in results if one.recall_at is not None]
    return RecallSummary(
        questions=len(results),
        evidence={budget: mean_interval([one.share(budget) for one in results]) for budget in budgets},
        complete={
            budget: mean_interval([float(len(one.found[budget]) == len(one.evidence)) for one in results])
            for budget in budgets
        },
        tokens={budget: sum(one.tokens[budget] for one in results) / len(results) for budget in budgets},
        over_budget=sum(one.tokens[budget] > budget for one in results for budget in budgets),
        recall_at={
            rank: mean_interval([one.recall_at[rank] for one in ranked if one.recall_at is not None])
            for rank in (RANKS if ranked else ())
        },
        mrr=mean_interval([one.reciprocal_rank or 0.0 for one in ranked]) if ranked else None,
    )


def by_category(results: Sequence[QuestionResult]) -> dict[str, RecallSummary]:
    """The summary of each kind of question, by its name; sorted by name."""
    names = sorted({one.category for one in results})
    return {name: summarise([one for one in results if one.category == name]) for name in names}
