"""A whole recall run: every system on every conversation, what is done kept, the comparison at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streetai_core.errors import InputError
from streetai_core.evaluation.datasets import Dataset, Recording
from streetai_core.evaluation.grid import check_can_choose, leave_one_out
from streetai_core.evaluation.intervals import paired_difference
from streetai_core.evaluation.needed import check_evidence
from streetai_core.evaluation.provenance import code_digest, described, provenance
from streetai_core.evaluation.recall import QuestionResult, by_category, measure, summarise
from streetai_core.evaluation.results import ResultsFolder
from streetai_core.evaluation.systems import System

HELD_OUT = "leave one out"
"""What the choice between variants is called in the results."""

Watch = Callable[[str, int], None]
"""Called with (what is being worked on, steps that are newly done)."""

Results = dict[str, list[QuestionResult]]
"""System -> what it did with every question, in the order of the data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallPlan:
    """What is to be run."""

    dataset: Dataset
    systems: Sequence[System]
    budgets: Sequence[int]
    encoder: str
    """Fingerprint of the encoder of all systems."""
    missing: Sequence[str] = ()
    """Systems that cannot be run, with what would help."""
    variants: Sequence[str] = ()
    """Systems among which leave-one-conversation-out chooses."""

    @property
    def questions(self) -> int:
        """How many questions will be asked in all."""
        return len(self.systems) * sum(len(recording.answerable) for recording in self.dataset.recordings)


def run_recall(plan: RecallPlan, folder: ResultsFolder, watch: Watch) -> Results:
    """All results by system, in the order of the plan.

    Each conversation is kept when it is done, and taken from the folder if system, code, data, encoder and budgets are
    the same. Interrupting loses the conversation that is being measured.

    Raises:
        InputError: no question names its evidence, two systems have one name, there is only one conversation to choose
            between variants on, or the folder cannot be written.
    """
    check_evidence(plan.dataset, "recall")
    names = [system.description.name for system in plan.systems]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise InputError(f"two systems are called {twice!r}, and their figures would be mixed: rename the variant")
    if plan.variants:
        check_can_choose([recording.recording_id for recording in plan.dataset.recordings if recording.answerable])
    results: Results = {system.description.name: [] for system in plan.systems}
    # Conversation by conversation, so that an interrupted run has compared all systems on some of them.
    for recording in plan.dataset.recordings:
        for system in plan.systems:
            results[system.description.name] += _measured(plan, system, recording, folder, watch)
    return results


def _measured(
    plan: RecallPlan, system: System, recording: Recording, folder: ResultsFolder, watch: Watch
) -> list[QuestionResult]:
    what = f"{recording.recording_id} {system.description.name}"
    key = {
        "data": plan.dataset.digest,
        "recording": recording.recording_id,
        "system": system.description.to_dict(),
        "code": code_digest(system.description.packages),
        "encoder": plan.encoder,
        "budgets": list(plan.budgets),
    }

    def make() -> list[dict[str, Any]]:
        measured = measure(system, recording, plan.budgets, lambda: watch(what, 1))
        return [one.to_dict() for one in measured]

    rows, kept = folder.kept(what, key, make)
    if kept:
        watch(what, len(rows))
    return [QuestionResult.from_dict(row) for row in rows]


def recall_report(plan: RecallPlan, results: Mapping[str, Sequence[QuestionResult]]) -> dict[str, Any]:
    """Everything that a table needs, and what made it, as JSON values."""
    asked = {name: rows for name, rows in results.items() if rows}
    systems = [
        {**system.description.to_dict(), **_summaries(asked[system.description.name])}
        for system in plan.systems
        if system.description.name in asked
    ]
    first = next(iter(asked), "")
    compared = [(first, other, asked[first], asked[other]) for other in list(asked)[1:]]
    chosen: Mapping[str, str] = {}
    if plan.variants and asked:
        held = leave_one_out({name: asked[name] for name in plan.variants})
        chosen = held.chosen
        systems.append({"name": HELD_OUT, "settings": {}, "packages": [], **_summaries(held.results)})
        compared.append((HELD_OUT, first, held.results, asked[first]))
    return {
        "benchmark": "recall",
        **provenance(),
        "data": described(plan.dataset),
        "encoder": plan.encoder,
        "tokens": "characters / 4, labels included",
        "budgets": list(plan.budgets),
        "missing": list(plan.missing),
        "systems": systems,
        "paired": [_paired(*pair, plan.budgets) for pair in compared],
        "chosen": dict(chosen),
    }


def _summaries(rows: Sequence[QuestionResult]) -> dict[str, Any]:
    names = list(dict.fromkeys(row.recording for row in rows))
    return {
        "all": summarise(rows).to_dict(),
        "categories": {name: one.to_dict() for name, one in by_category(rows).items()},
        "conversations": {name: _means([row for row in rows if row.recording == name]) for name in names},
    }


def _means(rows: Sequence[QuestionResult]) -> dict[str, float]:
    """Mean share of the evidence for each budget."""
    return {str(budget): sum(row.share(budget) for row in rows) / len(rows) for budget in rows[0].found}


def _paired(
    first: str,
    other: str,
    ours: Sequence[QuestionResult],
    theirs: Sequence[QuestionResult],
    budgets: Sequence[int],
) -> dict[str, Any]:
    """How much more of the evidence the first system sends, question by question."""
    differences = {
        str(budget): paired_difference(
            [one.share(budget) for one in ours], [one.share(budget) for one in theirs]
        ).to_dict()
        for budget in budgets
    }
    return {"first": first, "other": other, "evidence": differences}
