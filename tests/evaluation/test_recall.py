"""Recall: what was really sent is what counts, and a run that was interrupted goes on with the same figures."""

import json
from contextlib import contextmanager
from dataclasses import replace

import pytest

from streetai_core import Config
from streetai_core.errors import ConfigError, InputError
from streetai_core.evaluation.baselines import Baseline
from streetai_core.evaluation.grid import leave_one_out, read_grid
from streetai_core.evaluation.recall import QuestionResult, by_category, measure, summarise
from streetai_core.evaluation.recall_run import HELD_OUT, RecallPlan, recall_report, run_recall
from streetai_core.evaluation.replay import MemorySystem, as_new_message, open_memory
from streetai_core.evaluation.results import ResultsFolder
from streetai_core.evaluation.systems import Answer, Description, System


class Scripted(System):
    """Sends and ranks what it is told, and counts how often it is asked."""

    def __init__(self, name, texts, ranked, settings=None):
        self.name = name
        self.texts = texts
        self.ranked = ranked
        self.asked = 0
        self.settings = settings or {}

    @property
    def description(self):
        """Only the name."""
        return Description(name=self.name, settings=self.settings, packages=["streetai_core.evaluation"])

    @contextmanager
    def reading(self, recording):
        """Itself."""
        yield self

    def ask(self, question, budgets):
        """What it was told."""
        self.asked += 1
        return Answer(
            sent={budget: self.texts[budget] for budget in budgets},
            tokens=dict.fromkeys(budgets, 7),
            ranked=self.ranked,
        )


def result(recording="a", *, found=1, of=2, category="x", rank=None):
    """One question's result at budget 100."""
    return QuestionResult(
        system="s",
        recording=recording,
        number=0,
        category=category,
        evidence=tuple(map(str, range(of))),
        found={100: tuple(map(str, range(found)))},
        tokens={100: 90},
        recall_at=None if rank is None else {5: float(rank <= 5), 10: float(rank <= 10), 25: float(rank <= 25)},
        reciprocal_rank=None if rank is None else 1 / rank,
    )


def test_evidence_is_looked_for_in_what_was_sent(harbour):
    """If it fails, recall is what a system says about itself."""
    texts = [message.text for message in harbour.messages]
    system = Scripted("s", {50: "", 500: f"> {texts[2]}\nBen: {texts[0]}"}, ["9", "1", "3"])
    results = measure(system, harbour, [50, 500])
    assert [{50: (), 500: ("1",)}, {50: (), 500: ("3",)}, {50: (), 500: ()}, {50: (), 500: ("3",)}] == [
        one.found for one in results
    ]
    assert [1.0, 1.0, 0.0, 0.5] == [one.share(500) for one in results]
    assert [1 / 2, 1 / 3, 0.0, 1.0] == [one.reciprocal_rank for one in results]
    assert [1.0, 1.0, 0.0, 1.0] == [one.recall_at[5] for one in results]


def test_what_is_over_the_budget_is_no_evidence(harbour):
    """If it fails, the easiest way to a good figure is to send more than allowed."""
    everything = "\n".join(message.text for message in harbour.messages)
    system = Scripted("s", {5: everything, 500: everything}, None)
    results = measure(system, harbour, [5, 500])
    assert [(0.0, 1.0)] * 4 == [(one.share(5), one.share(500)) for one in results]
    assert 4 == summarise(results).over_budget


def test_means_by_hand():
    """If it fails, published figures are wrong."""
    rows = [result(found=2, rank=1), result(found=1, rank=8), result(found=0, of=1, rank=30, category="y")]
    summary = summarise(rows)
    assert pytest.approx((0.5, 1 / 3, 90)) == (
        summary.evidence[100].mean,
        summary.complete[100].mean,
        summary.tokens[100],
    )
    assert pytest.approx((1 / 3, 2 / 3, 2 / 3)) == tuple(summary.recall_at[rank].mean for rank in (5, 10, 25))
    assert pytest.approx((1 + 1 / 8 + 1 / 30) / 3) == summary.mrr.mean
    assert {"x": 2, "y": 1} == {name: one.questions for name, one in by_category(rows).items()}


def test_a_system_that_does_not_rank_has_no_ranks():
    """If it fails, it is said to rank nothing right."""
    summary = summarise([result(), result()])
    assert ({}, None) == (summary.recall_at, summary.mrr)


def test_results_survive_json():
    """If it fails, a run that goes on reports other figures than one that was never interrupted."""
    for one in (result(rank=3), result()):
        assert one == QuestionResult.from_dict(json.loads(json.dumps(one.to_dict())))


def test_budgets_below_one_are_refused(harbour):
    """If it fails, a slip measures nothing and says 0 %."""
    with pytest.raises(InputError, match="from 1"):
        measure(Scripted("s", {0: ""}, None), harbour, [0])


def test_messages_are_stored_as_an_app_would(harbour, encoder):
    """If it fails, the benchmark measures a memory that no app has."""
    with open_memory(harbour, Config(), encoder) as memory:
        memory.add_messages([as_new_message(message) for message in harbour.messages])
        stored = memory.messages(conversation_id="2")
        assert ["5", "6", "7", "8"] == [message.message_id for message in stored]
        first = stored[0]
        assert ("user", "Mara", harbour.messages[4].date) == (first.role, first.name, first.created_at)
        assert 10 == len(memory.messages())


@pytest.mark.parametrize("config", [Config(), Config.classic()], ids=["default", "classic"])
def test_the_memory_is_measured_by_its_prompts(harbour, encoder, config):
    """If it fails, the figures are not about the prompts that an app sends."""
    question = "How much was the mooring for the whole season?"
    with MemorySystem(config, encoder).reading(harbour) as session:
        answer = session.ask(question, [5, 200, 3_000])
        assert answer == session.ask(question, [5, 200, 3_000])
    # The question alone is over the first budget.
    assert ("", 0) == (answer.sent[5], answer.tokens[5])
    assert "four hundred and twenty euros" in answer.sent[200]
    assert 0 < answer.tokens[200] <= 200
    assert "7" in answer.ranked
    assert question not in answer.sent[3_000]


def test_what_is_done_is_not_done_again(data, tmp_path):
    """If it fails, an interrupted run starts from the beginning."""
    folder = ResultsFolder(tmp_path / "out")
    steps = []

    def run(system, dataset=data, budgets=(50,)):
        plan = RecallPlan(dataset=dataset, systems=[system], budgets=budgets, encoder="e")
        assert 6 == plan.questions
        return run_recall(plan, folder, lambda what, count: steps.append((what, count)))

    first = Scripted("s", {50: "nothing", 60: "nothing"}, None)
    results = run(first)
    assert (6, [("harbour s", 1)] * 4 + [("garden s", 1)] * 2) == (first.asked, steps)
    steps.clear()
    again = Scripted("s", {50: "nothing"}, None)
    assert results == run(again)
    assert (0, [("harbour s", 4), ("garden s", 2)]) == (again.asked, steps)
    for other in (Scripted("t", {50: "x"}, None), Scripted("s", {50: "x"}, None, settings={"changed": True})):
        run(other)
        assert 6 == other.asked
    run(first, budgets=(60,))
    assert 12 == first.asked


def test_an_interrupted_conversation_is_done_again(data, tmp_path):
    """If it fails, a run that was stopped in the middle counts half a conversation as a whole one."""
    folder = ResultsFolder(tmp_path / "out")
    system = Scripted("s", {50: "nothing"}, None)
    plan = RecallPlan(dataset=data, systems=[system], budgets=[50], encoder="e")

    def stop(_what, _count):
        if system.asked == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_recall(plan, folder, stop)
    assert [4, 2] == [len(rows) for rows in _by_recording(run_recall(plan, folder, lambda _what, _count: None)["s"])]
    assert 7 == system.asked


def _by_recording(rows):
    return [[row for row in rows if row.recording == name] for name in ("harbour", "garden")]


def test_a_report_has_what_a_reader_needs(data, encoder, tmp_path):
    """If it fails, nobody can repeat a published figure."""
    systems = [MemorySystem(Config(), encoder), Baseline("bm25", "messages", encoder)]
    plan = RecallPlan(
        dataset=data, systems=systems, budgets=[60, 300], encoder=encoder.fingerprint, missing=["x: pip install x"]
    )
    report = recall_report(plan, run_recall(plan, ResultsFolder(tmp_path / "out"), lambda _what, _count: None))
    assert json.loads(json.dumps(report)) == report
    assert encoder.fingerprint == report["encoder"]
    assert (["harbour", "garden"], data.digest) == (report["data"]["conversations"], report["data"]["sha256"])
    assert ["x: pip install x"] == report["missing"]
    ours, bm25 = report["systems"]
    assert Config().to_dict() == ours["settings"]
    assert ["fact", "several"] == list(ours["categories"])
    assert {"harbour", "garden"} == set(bm25["conversations"])
    pair = report["paired"][0]
    assert ("streetai", "bm25 messages", {"60", "300"}) == (pair["first"], pair["other"], set(pair["evidence"]))
    assert pair["evidence"]["60"]["mean"] == pytest.approx(
        ours["all"]["evidence"]["60"]["mean"] - bm25["all"]["evidence"]["60"]["mean"]
    )
    for key in ("date", "version", "git", "code", "command", "packages"):
        assert key in report


def test_variants_are_chosen_on_the_other_conversations():
    """If it fails, weights are chosen on what they are measured on, and the figures are too good."""
    good_in_a = [result("a", found=2), result("b", found=0), result("c", found=0)]
    good_in_b = [result("a", found=0), result("b", found=2), result("c", found=1)]
    held = leave_one_out({"first": good_in_a, "second": good_in_b})
    # Without a: 0 against .75. Without b: .5 against .25. Without c: .5 against .5, the first one.
    assert {"a": "second", "b": "first", "c": "first"} == held.chosen
    assert [0.0, 0.0, 0.0] == [one.share(100) for one in held.results]


def test_choosing_needs_two_conversations():
    """If it fails, a variant is chosen on nothing."""
    with pytest.raises(InputError, match="two conversations"):
        leave_one_out({"first": [result("a")]})


def test_a_grid_run_reports_the_choice(data, tmp_path):
    """If it fails, the choice between variants is not in the results."""
    texts = {message.message_id: message.text for recording in data.recordings for message in recording.messages}
    systems = [Scripted("poor", {50: ""}, None), Scripted("rich", {50: "\n".join(texts.values())}, None)]
    plan = RecallPlan(dataset=data, systems=systems, budgets=[50], encoder="e", variants=["poor", "rich"])
    report = recall_report(plan, run_recall(plan, ResultsFolder(tmp_path), lambda _what, _count: None))
    assert {"harbour": "rich", "garden": "rich"} == report["chosen"]
    assert HELD_OUT == report["systems"][-1]["name"]
    assert (HELD_OUT, "poor") == (report["paired"][-1]["first"], report["paired"][-1]["other"])


def test_two_systems_of_one_name_are_not_measured(data, tmp_path):
    """If it fails, a variant that is called as a system is mixed with it, and both rows tell the mean of the two."""
    systems = [Scripted("same", {50: ""}, None), Scripted("same", {50: "boat"}, None)]
    plan = RecallPlan(dataset=data, systems=systems, budgets=[50], encoder="e", variants=["same"])
    with pytest.raises(InputError, match="two systems are called 'same'"):
        run_recall(plan, ResultsFolder(tmp_path), lambda _what, _count: pytest.fail("it was measured"))


def test_a_choice_on_one_conversation_is_refused_before_it_is_measured(data, tmp_path):
    """If it fails, hours of measuring end with an error in place of the figures."""
    alone = replace(data, recordings=data.recordings[:1])
    systems = [Scripted("poor", {50: ""}, None), Scripted("rich", {50: "boat"}, None)]
    plan = RecallPlan(dataset=alone, systems=systems, budgets=[50], encoder="e", variants=["poor", "rich"])
    with pytest.raises(InputError, match="two conversations"):
        run_recall(plan, ResultsFolder(tmp_path), lambda _what, _count: pytest.fail("it was measured"))


def test_a_grid_is_every_combination(tmp_path):
    """If it fails, a part of a grid is never run."""
    path = tmp_path / "grid.json"
    path.write_text('{"settings": {"decay_rate": [0, 0.03], "recency_turns": [1, 2]}}', encoding="utf-8")
    variants = read_grid(path, Config(top_stacks=3))
    assert [
        "decay_rate=0 recency_turns=1",
        "decay_rate=0 recency_turns=2",
        "decay_rate=0.03 recency_turns=1",
        "decay_rate=0.03 recency_turns=2",
    ] == [one.name for one in variants]
    assert (3, 0.03, 2) == (
        variants[3].config.top_stacks,
        variants[3].config.decay_rate,
        variants[3].config.recency_turns,
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_grid_may_name_its_variants(tmp_path, encoding):
    """If it fails, an ablation table has settings for names, or a grid from Windows with a mark in front is refused."""
    path = tmp_path / "grid.json"
    path.write_text('{"variants": [{"name": "no decay", "settings": {"decay_rate": 0}}]}', encoding=encoding)
    variant = read_grid(path, Config())[0]
    assert ("no decay", 0) == (variant.name, variant.config.decay_rate)


@pytest.mark.parametrize(
    ("text", "error", "named"),
    [
        ("[", InputError, "is not JSON"),
        pytest.param("[" * 100_000, InputError, "is not JSON", id="deep"),
        ("[]", InputError, "'settings'"),
        ('{"settings": {"top_stacks": 3}}', InputError, "'settings'"),
        ('{"variants": [{"settings": {}}]}', InputError, "'variants'"),
        (
            '{"variants": [{"name": "a", "settings": {}}, {"name": "a", "settings": {"top_stacks": 3}}]}',
            InputError,
            "two variants of the grid are called 'a'",
        ),
        ('{"settings": {"top_stack": [3]}}', ConfigError, "variant 'top_stack=3'"),
        ('{"settings": {"top_stacks": [0]}}', ConfigError, "variant 'top_stacks=0'"),
    ],
)
def test_a_grid_that_cannot_be_used_is_refused(tmp_path, text, error, named):
    """If it fails, a slip in a grid is found after hours."""
    path = tmp_path / "grid.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(error) as caught:
        read_grid(path, Config())
    assert named in str(caught.value)


def test_a_grid_that_is_too_large_is_refused(tmp_path):
    """If it fails, a slip in a grid runs for days."""
    path = tmp_path / "grid.json"
    path.write_text(json.dumps({"settings": {"top_stacks": list(range(1, 502))}}), encoding="utf-8")
    with pytest.raises(InputError, match="501 variants"):
        read_grid(path, Config())
