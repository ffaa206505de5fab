"""Whole runs of the measurements that take one conversation at a time: tokens, learning and absence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from streetai_core.config import Config
from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.absence import TopHit, measure_absence, summarise_absence
from streetai_core.evaluation.credit import CreditedHit, measure_credit, summarise_credit
from streetai_core.evaluation.datasets import Dataset, Recording
from streetai_core.evaluation.drift import measure_drift
from streetai_core.evaluation.needed import check_answers, check_evidence, check_turns, with_answers
from streetai_core.evaluation.provenance import code_digest, described, provenance
from streetai_core.evaluation.results import ResultsFolder
from streetai_core.evaluation.token_use import TurnTokens, replay_tokens, summarise_tokens

Watch = Callable[[str, int], None]
"""Called with (what is being worked on, steps that are newly done)."""

_LEAST_QUESTIONS = 2
"""One to repeat and one that is not, to measure drift."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """On what a memory is measured, and with what."""

    dataset: Dataset
    config: Config
    encoder: Encoder

    @property
    def head(self) -> dict[str, Any]:
        """What made the results, as JSON values."""
        return {
            **provenance(),
            "data": described(self.dataset),
            "encoder": self.encoder.fingerprint,
            "config": self.config.to_dict(),
        }

    def key(self, recording: Recording, **more: Any) -> dict[str, Any]:
        """All that the results of one conversation depend on."""
        return {
            "data": self.dataset.digest,
            "recording": recording.recording_id,
            "config": self.config.to_dict(),
            "code": code_digest(["streetai_core"]),
            "encoder": self.encoder.fingerprint,
            **more,
        }


def run_tokens(
    plan: Plan, folder: ResultsFolder, watch: Watch, *, budget: int, learn: bool
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The report on tokens, and one row for every turn; a step is a message.

    Raises:
        InputError: no message is a user's, or the folder cannot be written.
    """
    check_turns(plan.dataset, "tokens")
    rows: list[dict[str, Any]] = []
    conversations: dict[str, dict[str, Any]] = {}
    for recording in plan.dataset.recordings:
        found, kept = folder.kept(
            f"tokens {recording.recording_id}",
            plan.key(recording, budget=budget, learn=learn),
            _tokens_of(plan, recording, watch, budget=budget, learn=learn),
        )
        if kept:
            watch(recording.recording_id, len(recording.messages))
        if found:
            turns = [TurnTokens(**row) for row in found]
            conversations[recording.recording_id] = {
                **summarise_tokens(turns),
                "over_budget": sum(turn.sent > budget for turn in turns),
            }
            rows += found
    report = {
        "benchmark": "tokens",
        **plan.head,
        "tokens": "characters / 4, and 4 for each message",
        "budget": budget,
        "learn": learn,
        "conversations": conversations,
        "all": _overall(list(conversations.values())),
    }
    return report, rows


def _tokens_of(
    plan: Plan, recording: Recording, watch: Watch, *, budget: int, learn: bool
) -> Callable[[], list[dict[str, Any]]]:
    def make() -> list[dict[str, Any]]:
        turns = replay_tokens(
            recording,
            plan.config,
            plan.encoder,
            budget=budget,
            learn=learn,
            progress=lambda: watch(recording.recording_id, 1),
        )
        return [turn.to_dict() for turn in turns]

    return make


def _overall(summaries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Means over conversations; `None` where no conversation has the figure."""
    means = {
        name: mean(values) if (values := [one[name] for one in summaries if one[name] is not None]) else None
        for name in ("saved_long", "saved_at_end", "saved_whole")
    }
    return {
        **means,
        "turns": sum(one["turns"] for one in summaries),
        "over_budget": sum(one["over_budget"] for one in summaries),
        "turns_above_history": sum(one["turns_above_history"] for one in summaries),
        "most_above_history": max((one["most_above_history"] for one in summaries), default=0),
        "largest_prompt": max((one["largest_prompt"] for one in summaries), default=0),
    }


def learning_steps(plan: Plan, turns: int) -> int:
    """Steps of a learning run: questions that get credit, and turns of the memory that learns and of the other one."""
    recordings = plan.dataset.recordings
    return sum(len(with_answers(one)) + 2 * turns * _can_drift(one) for one in recordings)


def run_learning(
    plan: Plan, folder: ResultsFolder, watch: Watch, *, turns: int
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The report on learning, and one row for every hit that got credit; no drift is measured with 0 turns.

    Raises:
        InputError: no question names its evidence and its answer, or the folder cannot be written.
    """
    check_answers(plan.dataset, "learning")
    hits: list[dict[str, Any]] = []
    drifts: list[dict[str, Any]] = []
    for recording in plan.dataset.recordings:
        credited, kept = folder.kept(
            f"credit {recording.recording_id}", plan.key(recording), _credit_of(plan, recording, watch)
        )
        hits += credited
        if kept:
            watch(recording.recording_id, len(with_answers(recording)))
        if turns and _can_drift(recording):
            drift, kept = folder.kept(
                f"drift {recording.recording_id}",
                plan.key(recording, turns=turns),
                _drift_of(plan, recording, watch, turns),
            )
            drifts += drift
            if kept:
                watch(recording.recording_id, 2 * turns)
    report = {
        "benchmark": "learning",
        **plan.head,
        "credit": summarise_credit([CreditedHit(**hit) for hit in hits]),
        "drift": drifts,
    }
    return report, hits


def run_absence(plan: Plan, folder: ResultsFolder, watch: Watch) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The report on questions about things never said, and one row for every question; a step is a conversation.

    Raises:
        InputError: no question names its evidence, or the folder cannot be written.
    """
    check_evidence(plan.dataset, "absence")
    rows: list[dict[str, Any]] = []
    for recording in plan.dataset.recordings:
        others = [other for other in plan.dataset.recordings if other is not recording]
        key = plan.key(recording, others=[other.recording_id for other in others])
        found, _ = folder.kept(f"absence {recording.recording_id}", key, _absence_of(plan, recording, others))
        watch(recording.recording_id, 1)
        rows += found
    report = {"benchmark": "absence", **plan.head, "all": summarise_absence([TopHit(**row) for row in rows])}
    return report, rows


def _absence_of(plan: Plan, recording: Recording, others: Sequence[Recording]) -> Callable[[], list[dict[str, Any]]]:
    return lambda: [top.to_dict() for top in measure_absence(recording, others, plan.config, plan.encoder)]


def _credit_of(plan: Plan, recording: Recording, watch: Watch) -> Callable[[], list[dict[str, Any]]]:
    def make() -> list[dict[str, Any]]:
        found = measure_credit(
            recording, plan.config, plan.encoder, progress=lambda: watch(f"{recording.recording_id} credit", 1)
        )
        return [hit.to_dict() for hit in found]

    return make


def _drift_of(plan: Plan, recording: Recording, watch: Watch, turns: int) -> Callable[[], list[dict[str, Any]]]:
    def make() -> list[dict[str, Any]]:
        return [
            measure_drift(
                recording,
                plan.config,
                plan.encoder,
                turns=turns,
                progress=lambda: watch(f"{recording.recording_id} drift", 1),
            )
        ]

    return make


def _can_drift(recording: Recording) -> bool:
    return len(with_answers(recording)) >= _LEAST_QUESTIONS
