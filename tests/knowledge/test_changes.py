"""Who replaces what: the same speaker, the same subject, a statement."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.knowledge.changes import likenesses, link
from streetai_core.knowledge.statements import Statement
from streetai_core.testing.factories import make_message
from streetai_core.text.words import whole_words
from tests.knowledge.cases import load

EVERY = int(os.environ.get("STREETAI_EVERY", "8"))
"""One in so many of all written statements is compared with all; `STREETAI_EVERY=1` compares each, in some minutes."""

NEAR = 0.8
"""Similarity of two remarks on one subject, as the model sees it."""

BUDGET = Statement("My budget is 500 euros.")


def strength(newer, older):
    """How surely one statement replaces another that is the only one there; 0 where it does not."""
    return dict(link(newer, [(older, NEAR)])).get(0, 0)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("My budget is 700 euros.", "My budget is 500 euros."),
        ("I live in Nice.", "I live in Lyon."),
        ("The workshop is on 9 July.", "The workshop is on 3 July."),
        ("We moved to Nice.", "We live in a flat in Lyon."),
        ("I don't meditate these days.", "I meditate."),
        ("My sister moved to Nice.", "My sister lives in Lyon."),
        ("The dentist moved my appointment to Monday.", "My dentist appointment is on Friday."),
        ("The vet looked at her papers and Pickle is nine, not seven.", "Pickle, my cat, is seven years old."),
        ("Tell her I lowered it from 250 to 180.", "The sofa's up for 250."),
        ("I gave up on the Courier, too much shouting.", "I read the Courier every day."),
        ("Goodbye! new deadline is 31 October.", "The thesis deadline is 30 September."),
        ("I've retitled it once more, from Off Beat to Slow Quick.", "Our podcast has been retitled Off Beat."),
        ("Cancelled Ironhouse, the showers were a horror.", "I train at the Ironhouse gym on Docklands."),
        ("I used to be a Harlan's person, but now I bake.", "I get all my bread from Harlan's, the seeded loaf."),
        ("Oh well. It's Tuesday. I no longer smoke. How are you?", "Hi there! I smoke ten cigarettes a day."),
    ],
)
def test_a_change_replaces(newer, older):
    """The old value would be sent as if it still held."""
    assert strength(Statement(newer), Statement(older)) > 0


@pytest.mark.parametrize(
    "newer",
    [
        "My sister's budget is 700 euros.",
        "Is my budget 700 euros?",
        "What is my budget now?",
        "If my budget were 700 euros I would buy it.",
        'He said "my budget is 700 euros".',
        "The other budget is 700 euros.",
        "I spent 700 euros today.",
        "My budget is 500 euros.",
        "Someone raised her budget to 700 euros.",
    ],
)
def test_a_distractor_does_not(newer):
    """A true fact would be hidden."""
    assert strength(Statement(newer), BUDGET) == 0


def test_pasted_code_changes_nothing():
    """A config that somebody shows is not what they say."""
    pasted = make_message(1, content="Look:\n```\nmy budget is now 700 euros\n```")
    assert Statement.of(pasted) == Statement("Look:\n\n")
    assert strength(Statement.of(pasted), BUDGET) == 0


@pytest.mark.parametrize(
    "older",
    [
        "Is my budget 500 euros?",
        "at what budget does it stop, 500 euros",
        "what budget does the bank give me, 500 euros",
        "My sister's budget is 500 euros.",
        "If I moved to Lyon my budget would be 500 euros.",
    ],
)
def test_a_distractor_is_not_replaced(older):
    """A question or another person's fact says nothing that could be outdated."""
    assert strength(Statement("My budget was raised to 700 euros."), Statement(older)) == 0


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        (Statement("My budget is 700 euros.", author="Ben"), Statement("My budget is 500 euros.", author="Anna")),
        (Statement("My budget is 700 euros.", role="assistant"), BUDGET),
        (Statement("My budget is 700 euros.", role="assistant"), Statement(BUDGET.text, role="assistant")),
        (Statement("My budget is 700 euros.", role="tool"), Statement(BUDGET.text, role="tool")),
    ],
)
def test_each_speaker_has_facts_of_their_own(newer, older):
    """One person's words would change what another one said; a model and a tool have no facts of their own."""
    assert link(newer, [(older, NEAR)]) == []


def test_a_named_speaker_counts_in_any_role():
    """In a chat of two people one of them is stored as the assistant."""
    newer, older = (Statement(f"I live in {town}.", role="assistant", author="Ben") for town in ("Nice", "Lyon"))
    assert strength(newer, older) > 0


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("Our test coverage has recently improved to 78%.", "Our test coverage is 65%."),
        ("Our test coverage has now reached 78%.", "Our test coverage is 65%."),
        ("I need to plan around the new sprint deadline of April 5.", "The deadline for the first sprint is April 1."),
        (
            (
                "I'm trying to speed up the app for all who open it on the way to work, and to shorten the response "
                "time of the dashboard, which has recently improved to 250 ms."
            ),
            "The response time of the dashboard is 400 ms.",
        ),
    ],
)
def test_figures_that_have_moved_replace(newer, older):
    """Work is told about in such words."""
    assert strength(Statement(newer), Statement(older)) > 0


def test_what_is_not_known_is_no_fact():
    """Two things that somebody is not sure of are not one after the other."""
    newer, older = (f"I'm not sure if this is the best way to {end}." for end in ("cache it", "do it"))
    assert strength(Statement(newer), Statement(older)) == 0


def test_a_text_that_is_told_again_replaces_nothing():
    """The older one says what holds."""
    again = Statement("We raised the budget to 700 euros. I no longer smoke.")
    assert strength(again, again) == 0


def test_a_number_changed_from_another_one_than_was_told_counts_less():
    """What is said to have changed may be another figure."""
    newer = Statement("I raised my budget for the trip from 500 to 700 euros.")
    older = [Statement(f"My budget for the trip is {amount} euros.") for amount in (500, 450)]
    (((_, of_it),), ((_, of_another),)) = (link(newer, [(one, 0.5)]) for one in older)
    assert of_it > of_another


def test_a_day_is_the_same_as_an_ordinal():
    """The deadline that has moved was told as "15 May"."""
    newer = Statement("The draft is now due Monday 18 May instead of the 15th.")
    assert strength(newer, Statement("The draft to the supervisor is 15 May.")) > 0


def test_a_number_changes_nothing_that_has_none():
    """A figure was not told there."""
    newer = Statement("I've reduced the gallery code from 120 lines to 85 lines.")
    assert strength(newer, Statement("I'm having trouble with the gallery code and its lines.")) == 0


def test_pronouns_are_no_subject():
    """A change that lacks "something" or "we'd" of an older statement is about nothing else for that."""
    newer = Statement("Bigger news: we changed our minds about the autumn trip, it's Porto instead of Lisbon.")
    plain = Statement("We want to go to Lisbon in the autumn holidays.")
    chatty = Statement(
        "Something she'd like, he'll like, they've liked: we want to go to Lisbon in the autumn holidays."
    )
    assert strength(newer, chatty) == pytest.approx(strength(newer, plain))


def test_the_right_one_of_many_is_linked():
    """Similar facts stand near each other, and only one is outdated."""
    older = [
        "My sister's budget is 800 euros.",
        "What can I get for 500 euros?",
        BUDGET.text,
        "500 euros is a reasonable amount.",
        "My budget for shoes is 90 euros.",
    ]
    links = link(Statement("I raised my budget to 700 euros."), [(Statement(text), NEAR) for text in older])
    assert [index for index, _ in links] == [2]


def test_a_fact_told_twice_is_replaced_twice():
    """Otherwise its second telling would come back as the current one."""
    older = [Statement("I live in Lyon."), Statement("I live in Lyon, by the way.")]
    links = link(Statement("We moved from Lyon to Nice."), [(statement, NEAR) for statement in older])
    assert {index for index, _ in links} == {0, 1}


def test_twenty_candidates_are_looked_at():
    """The cost of a message stays bounded."""
    candidates = [(Statement(f"Remark number {n} on the weather."), NEAR) for n in range(20)]
    assert link(Statement("My budget is 700 euros."), [*candidates, (BUDGET, NEAR)]) == []


@given(
    st.text(max_size=200),
    st.lists(st.tuples(st.text(max_size=200), st.floats(-1, 1)), max_size=25),
)
def test_any_text_is_taken(newer, older):
    """Property: nothing that people type breaks the rules; strengths are in (0, 1], the surest first."""
    candidates = [(Statement(text), similarity) for text, similarity in older]
    links = link(Statement(newer), candidates)
    strengths = [strength for _, strength in links]
    assert strengths == sorted(strengths, reverse=True)
    assert all(0 < strength <= 1 for strength in strengths)
    assert all(index < 20 for index, _ in links)


@pytest.mark.parametrize("name", ["changed_facts.jsonl", "changed_facts_later.jsonl"])
def test_all_that_can_be_replaced_is_like_what_is_looked_for(name):
    """Written statements and all others, as near as can be: what is found by its words misses none."""
    said = sorted({message["text"] for case in load(name) for message in case["messages"] if message["role"] == "user"})
    words = {text: whole_words(text) for text in said}
    # Each is read once: what a statement says of itself it remembers.
    statements = {text: Statement(text) for text in said}
    linked = 0
    for newer in said[::EVERY]:
        wanted = [whole_words(" ".join(one.words)) for one in likenesses(statements[newer])]
        for older in said:
            if newer != older and strength(statements[newer], statements[older]) > 0:
                linked += 1
                assert any(one <= words[older] for one in wanted), (newer, older)
    assert linked


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("My child has 3 teeth on top.", "My children have 2 teeth on top."),
        ("The women at work number 12.", "The woman at work has number 11."),
    ],
)
def test_forms_that_no_ending_tells_are_not_looked_for(newer, older):
    """The index of words knows "child" and "children" as two words, and would find none of the older ones."""
    assert strength(Statement(newer), Statement(older)) > 0
    wanted = [whole_words(" ".join(one.words)) for one in likenesses(Statement(newer))]
    assert any(one <= whole_words(older) for one in wanted)


@pytest.mark.parametrize(
    ("older", "newer", "replaces"),
    [
        ("Boat 31 lies at berth 7.", "Boat 31 lies at berth 11 now.", True),
        ("Boat 31 lies at berth 7.", "Boat 32 lies at berth 11 now.", False),
        ("Sprint 4 ends on Friday.", "Sprint 5 ends on Monday now.", False),
        ("Room 12 is booked by Ann.", "Room 14 is now booked by Ben.", False),
        ("The project uses version 3.", "The project uses version 4 now.", True),
    ],
)
def test_things_that_only_their_numbers_tell_apart_are_several(older, newer, replaces):
    """Where boat 32 lies says nothing of boat 31."""
    assert bool(link(Statement(newer), [(Statement(older), 0.8)])) is replaces
