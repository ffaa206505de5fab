"""The yardsticks: BM25 by hand, budgets that hold, and what each ranker puts first."""

import math

import numpy as np
import pytest

from streetai_core.evaluation.baselines import Baseline, standardised
from streetai_core.evaluation.bm25 import Bm25
from streetai_core.evaluation.filling import fill
from streetai_core.evaluation.units import UNITS, units_of
from streetai_core.tokens import EstimatedTokens
from tests.benchmarks.character_trigrams import trigrams


def test_bm25_by_hand():
    """If it fails, the comparison with BM25 is with something else."""
    index = Bm25(["boat boat harbour", "goat", "harbour lettuce goat fence"], k1=0.9, b=0.4)
    # Lengths 3, 1, 4: mean 8/3. "boat" stands in one of three texts, "harbour" in two.
    rare, common = math.log(1 + 2.5 / 1.5), math.log(1 + 1.5 / 2.5)
    first = 0.9 * (0.6 + 0.4 * 3 / (8 / 3))
    third = 0.9 * (0.6 + 0.4 * 4 / (8 / 3))
    expected = [rare * 2 * 1.9 / (2 + first) + common * 1.9 / (1 + first), 0.0, common * 1.9 / (1 + third)]
    assert expected == pytest.approx(index.scores("Boats in the harbour? A boat!").tolist())


def test_bm25_of_nothing():
    """If it fails, a conversation of symbols or a question of stop words ends the run."""
    assert [0.0, 0.0] == Bm25(["...", "?"]).scores("what is it").tolist()
    assert [] == Bm25([]).scores("boat").tolist()


def test_bm25_of_character_trigrams():
    """What `tests.benchmarks.character_trigrams` ranks by: a word is found in another form, and no sign counts."""
    assert trigrams(" Boote,\nne?") == [" bo", "boo", "oot", "ote", "te ", "e n", " ne", "ne "]
    assert trigrams("...") == []
    scores = Bm25(["boot", "hund", "..."], words=trigrams).scores("Boote")
    assert scores[0] > scores[1] == scores[2] == 0.0


def test_standardised_scores():
    """If it fails, the sum of two rankers is one of them."""
    scores = standardised(np.array([1.0, 2.0, 3.0]))
    assert pytest.approx((0.0, 1.0)) == (scores.mean(), scores.std())
    assert [0.0, 0.0] == standardised(np.array([5.0, 5.0])).tolist()


@pytest.mark.parametrize("budget", [1, 3, 10, 11, 57, 1_000])
def test_a_filled_budget_holds(budget):
    """If it fails, a yardstick sends more than it is said to."""
    lines = ["x" * 200, "short line", "another line of text", "\u4e2d\u6587" * 4, "last"]
    text, tokens = fill(lines, budget)
    assert EstimatedTokens().count(text) <= tokens <= budget
    chosen = text.split("\n") if text else []
    assert chosen == [line for line in lines if line in chosen]


def test_a_line_that_is_too_long_is_passed_over():
    """If it fails, one long reply at the top empties the context of a yardstick."""
    assert "short\nalso short" == fill(["x" * 500, "short", "also short"], 10)[0]


@pytest.mark.parametrize("kind", list(UNITS))
def test_units_keep_the_text(data, kind):
    """If it fails, a yardstick loses because a part of the text was never there."""
    recording = data.recordings[0]
    for message in recording.messages:
        parts = [unit.line.removeprefix(f"{message.speaker}: ") for unit in units_of(recording, kind)]
        joined = "".join("".join(part.split()) for part in parts)
        assert "".join(message.text.split()) in joined


@pytest.mark.parametrize("ranker", ["dense", "bm25", "zsum"])
@pytest.mark.parametrize("kind", list(UNITS))
def test_rankers_find_what_was_asked_for(harbour, encoder, ranker, kind):
    """If it fails, the yardsticks are straw men."""
    system = Baseline(ranker, kind, encoder)
    with system.reading(harbour) as session:
        answer = session.ask("How much was the mooring for the whole season?", [40, 2_000])
    assert "7" == answer.ranked[0]
    assert "four hundred and twenty euros" in answer.sent[40]
    assert answer.tokens[40] <= 40
    assert {message.message_id for message in harbour.messages} == set(answer.ranked)
    assert f"{ranker} {kind}" == system.description.name


def test_the_window_is_the_newest(harbour, encoder):
    """If it fails, the comparison with a plain window is with something else."""
    with Baseline("last", "messages", encoder).reading(harbour) as session:
        answer = session.ask("anything", [60])
    assert ["10", "9"] == list(answer.ranked[:2])
    assert "band confirmed" in answer.sent[60]
    assert "1.4 metres" not in answer.sent[60]
