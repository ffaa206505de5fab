"""Tokens, learning and speed: the figures are those of a memory that lives through the conversation."""

import json
from dataclasses import replace

import pytest

from streetai_core import Config
from streetai_core.evaluation.absence import TopHit, measure_absence, summarise_absence, with_names_of
from streetai_core.evaluation.conversation_runs import Plan, learning_steps, run_learning, run_tokens
from streetai_core.evaluation.credit import CreditedHit, measure_credit, summarise_credit
from streetai_core.evaluation.drift import measure_drift
from streetai_core.evaluation.replies import echoing, reworded, terse
from streetai_core.evaluation.results import ResultsFolder
from streetai_core.evaluation.speed import VERBS, made_up_texts, measure_speed, speed_report
from streetai_core.evaluation.token_use import TurnTokens, replay_tokens, summarise_tokens
from streetai_core.tokens import EstimatedTokens


@pytest.fixture
def plan(data, encoder):
    """The small data with the default configuration."""
    return Plan(dataset=data, config=Config(), encoder=encoder)


def test_the_history_is_everything_said_so_far(harbour, encoder):
    """If it fails, savings are against a history that nobody would send."""
    turns = replay_tokens(harbour, Config(), encoder, budget=200)
    costs = [EstimatedTokens().count(message.text) + 4 for message in harbour.messages]
    expected = [sum(costs[: number + 1]) for number, message in enumerate(harbour.messages) if message.role == "user"]
    assert expected == [turn.history for turn in turns]
    assert [1, 2, 3, 4, 5] == [turn.turn for turn in turns]
    assert turns[0].sent == turns[0].history
    assert all(0 < turn.sent <= 200 for turn in turns)


def test_a_message_over_the_budget_is_sent_alone(harbour, encoder):
    """If it fails, one long message ends the whole run."""
    long = replace(harbour.messages[2], text="boat " * 500)
    recording = replace(harbour, messages=(*harbour.messages[:2], long, *harbour.messages[3:]))
    turns = replay_tokens(recording, Config(), encoder, budget=100)
    assert EstimatedTokens().count(long.text) + 4 == turns[1].sent


def test_learning_from_replies_changes_no_token_count_beyond_the_budget(harbour, encoder):
    """If it fails, the figures hold only for apps that never learn."""
    assert all(turn.sent <= 150 for turn in replay_tokens(harbour, Config(), encoder, budget=150, learn=True))


def test_savings_by_hand():
    """If it fails, published savings are wrong."""
    turns = [
        TurnTokens("a", number, sent, history)
        for number, (sent, history) in enumerate([(110, 100), (300, 400), (500, 5_000), (400, 8_000)], start=1)
    ]
    summary = summarise_tokens(turns)
    assert pytest.approx((0.9 + 0.95) / 2) == summary["saved_long"]
    assert pytest.approx(0.95) == summary["saved_at_end"]
    assert pytest.approx(1 - 1_310 / 13_500) == summary["saved_whole"]
    assert (1, 10, 500) == (summary["turns_above_history"], summary["most_above_history"], summary["largest_prompt"])
    assert [[1, 110, 100], [2, 300, 400], [3, 500, 5_000], [4, 400, 8_000]] == summary["curve"]
    assert summarise_tokens(turns[:2])["saved_long"] is None


def test_a_token_run_is_kept_and_summed_up(plan, tmp_path):
    """If it fails, an interrupted run starts from the beginning, or reports one conversation for all."""
    folder = ResultsFolder(tmp_path / "out")
    steps = []
    first = run_tokens(plan, folder, lambda what, count: steps.append((what, count)), budget=200, learn=False)
    assert [("harbour", 1)] * 10 + [("garden", 1)] * 6 == steps
    steps.clear()
    report, rows = run_tokens(plan, folder, lambda what, count: steps.append((what, count)), budget=200, learn=False)
    assert [("harbour", 10), ("garden", 6)] == steps
    assert (first[0]["conversations"], first[1]) == (report["conversations"], rows)
    assert {"harbour", "garden"} == set(report["conversations"])
    assert max(row["sent"] for row in rows) == report["all"]["largest_prompt"]
    assert json.loads(json.dumps(report)) == report


@pytest.mark.parametrize(("budget", "over"), [(1, [5, 3]), (25, [3, 0]), (200, [0, 0])])
def test_prompts_over_the_budget_are_counted(plan, tmp_path, budget, over):
    """If it fails, a budget that no prompt keeps looks like one that all keep."""
    report, rows = run_tokens(
        plan, ResultsFolder(tmp_path / "out"), lambda _what, _count: None, budget=budget, learn=False
    )
    assert over == [one["over_budget"] for one in report["conversations"].values()]
    assert (sum(over), 8) == (report["all"]["over_budget"], report["all"]["turns"])
    costs = {one.text: EstimatedTokens().count(one.text) + 4 for of in plan.dataset.recordings for one in of.messages}
    assert {row["sent"] for row in rows if row["sent"] > budget} <= set(costs.values())


def test_replies_are_made_from_question_and_answer():
    """If it fails, credit is measured on replies that have nothing to do with the question."""
    assert "1.4 metres" == terse(" 1.4 metres ")
    assert "Mara's boat draw: 1.4 metres." == echoing("How much does Mara's boat draw?", "1.4 metres.")
    assert "Why: because." == echoing("Why?", "because")
    asked = "What did Mara pay for the mooring?"
    assert {"Mara", "pay", "for", "the", "mooring"} <= set(reworded(asked).split())
    assert asked.rstrip("?") not in reworded(asked)


def test_every_hit_of_every_question_gets_credit(harbour, encoder):
    """If it fails, credit is measured on some of the hits only."""
    hits = measure_credit(harbour, Config(), encoder)
    assert {(number, style) for number in range(4) for style in ("terse", "echoing")} == {
        (hit.question, hit.style) for hit in hits
    }
    terse_hits, echoing_hits = ([hit for hit in hits if hit.style == style] for style in ("terse", "echoing"))
    assert [hit.score for hit in terse_hits] == [hit.score for hit in echoing_hits]
    assert 4 <= sum(hit.evidence for hit in terse_hits) <= 5
    assert {"harbour"} == {hit.recording for hit in hits}


def test_credit_by_hand():
    """If it fails, published figures of learning are wrong."""
    rows = [
        (0, True, 0.9, 0.1, "boost"),
        (0, False, 0.8, 0.9, "boost"),
        (1, True, 0.3, 0.6, "demote"),
        (1, False, 0.2, 0.5, "none"),
        (1, False, 0.1, 0.4, "demote"),
    ]
    hits = [CreditedHit("a", number, "terse", *rest) for number, *rest in rows]
    figures = summarise_credit(hits)["terse"]
    # .9 is above all three others, .3 above two of them.
    assert pytest.approx(5 / 6) == figures["auroc"]
    assert 1.0 == figures["auroc_in_question"]
    assert pytest.approx((0 + 1) / 2) == figures["score_auroc_in_question"]
    assert (0.5, 0.5) == (figures["evidence_boosted"], figures["evidence_demoted"])
    assert pytest.approx((1 / 3, 1 / 3)) == (figures["other_boosted"], figures["other_demoted"])
    assert 2 == figures["questions"]


def test_the_control_lives_through_the_same_without_learning(harbour, encoder):
    """If it fails, what time does is taken for what learning does."""
    calm = measure_drift(harbour, Config(), encoder, turns=6)
    eager = Config(boost_factor=8.0, demote_factor=0.1, high_relevance=0.01, low_relevance=0.0)
    assert calm["control"] == measure_drift(harbour, eager, encoder, turns=6)["control"]
    assert {"rec@5", "rec@10", "rec@25", "mrr", "most_on_top"} == set(calm["learned"]["repeated"])
    assert all(0 <= share <= 1 for share in calm["learned"]["unrelated"].values())


def test_a_learning_run_is_kept(plan, tmp_path):
    """If it fails, an interrupted run starts from the beginning."""
    folder = ResultsFolder(tmp_path / "out")
    steps = []
    report, rows = run_learning(plan, folder, lambda _what, count: steps.append(count), turns=3)
    assert learning_steps(plan, 3) == sum(steps) == 4 + 2 + 2 * 2 * 3
    again = []
    assert rows == run_learning(plan, folder, lambda _what, count: again.append(count), turns=3)[1]
    assert [4, 6, 2, 6] == again
    assert ["harbour", "garden"] == [one["recording"] for one in report["drift"]]
    assert [] == run_learning(plan, folder, lambda _what, _count: None, turns=0)[0]["drift"]


def test_strangers_are_asked_with_our_names(data):
    """If it fails, a question about somebody else is told by the name alone."""
    harbour, garden = data.recordings
    assert ("Ben", "Mara", "Lea", "Tom") == (*harbour.speakers, *garden.speakers)
    asked = "What did Tom and Lea's goat eat, Tomato?"
    assert "What did Mara and Ben's goat eat, Tomato?" == with_names_of(harbour, garden, asked)
    nameless = replace(harbour, speakers=("user", "assistant"))
    assert asked == with_names_of(nameless, garden, asked)
    assert "Mara, Tom?" == with_names_of(
        replace(garden, speakers=("Tom", "Mara")), replace(garden, speakers=("Mara", "Tom")), "Tom, Mara?"
    )


def test_own_questions_and_strangers_are_asked(data, encoder):
    """If it fails, nobody knows whether "nothing found" can be trusted."""
    harbour, garden = data.recordings
    tops = measure_absence(harbour, [garden], Config(), encoder)
    assert [True] * 4 + [False] * 2 == [top.own for top in tops]
    assert {"harbour"} == {top.recording for top in tops}
    assert all(top.score is not None for top in tops[:4])
    assert [True] * 2 == [top.own for top in measure_absence(garden, [], Config(), encoder)]


def test_absence_by_hand():
    """If it fails, published figures of "nothing found" are wrong."""
    tops = [
        TopHit("a", own, score, similarity)
        for own, score, similarity in ((True, 0.9, 0.2), (True, None, None), (False, 0.5, 0.3), (False, None, None))
    ]
    figures = summarise_absence(tops)
    # .9 is above both strangers; nothing found is level with nothing found, and below .5.
    assert pytest.approx((1 + 1 + 0.5 + 0) / 4) == figures["auroc_of_score"]
    assert pytest.approx((0 + 1 + 0.5 + 0) / 4) == figures["auroc_of_similarity"]
    assert (0.5, 0.5, 2, 2) == (
        figures["own_not_found"],
        figures["strangers_not_found"],
        figures["questions"],
        figures["strangers"],
    )


def test_every_verb_is_timed_at_every_size(encoder):
    """If it fails, a verb that became slow is not seen."""
    watched = []
    timings = measure_speed(Config(), encoder, sizes=[20, 40], repeats=2, watch=watched.append)
    assert [(verb, size) for size in (20, 40) for verb in VERBS] == [(one.verb, one.size) for one in timings]
    assert [f"{one.verb} at {one.size}" for one in timings] == watched
    assert all(0 < one.median <= one.tail for one in timings)
    report = speed_report(timings, Config(), encoder)
    assert [1.0, 1.0] == [one["times_encoder"] for one in report["timings"] if one["verb"] == "encode"]


def test_made_up_texts_are_the_same_and_all_different():
    """If it fails, two runs time different work, or a cache hides what encoding costs."""
    assert made_up_texts(300) == made_up_texts(300)
    assert 600 == len({*made_up_texts(300), *made_up_texts(300, seed="questions 1")})
