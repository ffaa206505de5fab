"""Sentences that tell a fact and ask something."""

import pytest

from streetai_core.knowledge.changes import link
from streetai_core.knowledge.statements import Statement
from streetai_core.knowledge.told_and_asked import told_before_question

NEAR = 0.7


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("I moved to Linz last month, which tram do I take to the centre?", "I moved to Linz last month"),
        ("We moved the wedding to June 14, can you update the plan?", "We moved the wedding to June 14"),
        ("I moved to Linz, any gyms there?", "I moved to Linz"),
        ("My rent went up to 950 and can my landlord do that?", "My rent went up to 950"),
        ("From now on I work in Linz, so how do I get there?", "From now on I work in Linz"),
        ("Our rent, which was 900, is now 950, is that legal here?", "Our rent, which was 900, is now 950"),
        ("I moved to Linz \u2013 what\u2019s the best way there?", "I moved to Linz"),
        ("I met Anna, who likes boats, what should I give her?", "I met Anna, who likes boats"),
        ("I moved to Linz, please can you change my address\uff1f", "I moved to Linz"),
    ],
)
def test_what_is_told_before_the_question(sentence, told):
    """People tell a model what is new and ask in the same breath."""
    assert told_before_question(sentence) == told


@pytest.mark.parametrize(
    "sentence",
    [
        "Can you tell me whether I live in Linz?",
        "I live in Linz, don't I?",
        "I live in Linz, is that right?",
        "I live in Linz, am I correct?",
        "I live in Linz, right?",
        "If I moved to Linz, which tram would I take?",
        "When I moved to Linz, which tram did I take?",
        "Ok, so once I have moved to Linz, which tram do I take?",
        "Say I moved to Linz, which tram would I take?",
        "Hypothetically, I moved to Linz, which tram would I take?",
        "For example I moved to Linz, what would my rent be?",
        "You said I moved to Linz, why would you think so?",
        "My plan says that I moved to Linz, is that a mistake?",
        "I moved to Linz where I live?",
        "?",
        "",
    ],
)
def test_what_only_asks(sentence):
    """A question, a confirmation or a condition states no fact."""
    assert told_before_question(sentence) is None
    assert link(Statement(sentence), [(Statement("I live in Graz."), NEAR)]) == []


def test_a_sentence_without_a_question_is_left_to_others():
    """All of it tells."""
    assert told_before_question("I moved to Linz last month.") is None


def test_a_question_before_a_question_tells_nothing():
    """Both are read as such."""
    sentence = "Did I move to Linz, and can you tell me when?"
    assert link(Statement(sentence), [(Statement("I live in Graz."), NEAR)]) == []


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("I moved to Linz last month, any good gyms there?", "I live in Graz."),
        ("I've moved to Linz, so which tram do I take?", "I live in Graz, which tram do I take to the centre?"),
        ("My budget is 700 euros, what could I buy for that?", "My budget is 500 euros."),
        ("We're now 14 people in the team, which plan do we need?", "We have 12 people in the team."),
        ("I've recently extended my study time to 4 hours a week, should I do more?", "I study 3 hours a week."),
    ],
)
def test_what_is_told_replaces(newer, older):
    """Nothing that stood in a sentence with a question mark counted as said."""
    assert link(Statement(newer), [(Statement(older), NEAR)])


def test_a_long_sentence_that_asks_is_read_by_its_clauses():
    """As one without a question is."""
    newer = (
        "I'm trying to plan the spring around the talks in Vienna, and my budget has gone up to 700 euros, so what "
        "could I book for that in a town that is as dear as this one?"
    )
    assert link(Statement(newer), [(Statement("My budget is 500 euros."), NEAR)])


def test_a_sentence_without_end_takes_no_longer():
    """What people paste is read at the same pace, whatever it is."""
    for piece in (", so which of the", " and how much", ", what", "which a b c ", "ok, "):
        sentence = piece * (2000 // len(piece)) + "?"
        told = told_before_question(sentence)
        assert told is None or sentence.startswith(told)
