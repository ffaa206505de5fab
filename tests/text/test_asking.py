"""How surely a question wants something new, and whether it asks for what was told."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.text.asking import newness_wanted, told_wanted

ASKING = [
    ("Could you plan a trip?", 1.0),
    ("write a letter to the harbour master", 1.0),
    ("So, suggest me a name.", 1.0),
    ("I need a plan for Sunday.", 1.0),
    ("any ideas for supper", 1.0),
    ("How tall is the mast?", 0.5),
    ("Oak or pine?", 0.5),
    ("What did I say about the mast?", 0.0),
    ("Can you remind me of the plan?", 0.0),
    ("Which rope have you recommended?", 0.0),
    ("Could you summarise our talk?", 0.0),
    ("The mast is tall.", 0.0),
    ("name of the inn?", 0.5),
    ("book title?", 0.5),
    ("list of my boats", 0.0),
    ("", 0.0),
    ("I was wondering if you could recommend me a book.", 1.0),
    ("hoping you can help w the tiles", 1.0),
    ("We went to Rome last year. Any ideas for this one?", 1.0),
    ("I'm planning a party. What did Tom say he eats?", 0.0),
    ("I've got room for one more plant, which one?", 0.5),
    ("Turn the notes I gave you last week into a plan.", 1.0),
    ("Write a query for the areas with the highest consumption last month", 1.0),
    ("what was in the budget, plan and schedule of last week", 0.0),
    ("Throw some hard questions at me", 1.0),
    ("List all the pills I have been through", 0.0),
    ("Tell me the whole story of the damp wall", 0.0),
    ("Write me a story about our dog", 1.0),
    ("Who was on duty at our open day?", 0.0),
    ("How tall was Napoleon?", 0.5),
    ("who won the cup in 1966", 0.5),
    ("three dinners with cabbage. go!", 1.0),
    ("a pep talk please", 1.0),
    ("code for the gate?", 0.5),
    ("sort of tired today", 0.0),
    ("Explain in simple words how a pump works", 1.0),
]

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "knowledge" / "data" / "asked_for.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize(("text", "surely"), ASKING)
def test_how_surely_something_new_is_wanted(text, surely):
    """A request, another question, and one that looks back, whatever letters are large."""
    assert newness_wanted(text) == newness_wanted(text.upper()) == newness_wanted(text.lower()) == surely


@pytest.mark.parametrize(
    ("part", "number", "requests", "mistaken", "questions"),
    [("first", 80, 68, 3, 74), ("second", 100, 92, 2, 81)],
)
def test_texts_that_were_written_without_sight_of_the_rules(part, number, requests, mistaken, questions):
    """Requests, questions about one's own life, which look back or are like any other, and about the world.

    With the rules of before 40 and 49 requests were told. The first part was seen when these were made; of the second
    71 were told then, and it was seen when they were extended.
    """
    told = Counter((row["kind"], newness_wanted(row["text"])) for row in ROWS if row["part"] == part)
    assert {kind: sum(n for (one, _), n in told.items() if one == kind) for kind in ("request", "back", "general")} == (
        dict.fromkeys(("request", "back", "general"), number)
    )
    assert told["request", 1.0] >= requests
    assert told["back", 1.0] <= mistaken
    assert told["general", 0.5] >= questions


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Who is my dentist?", True),
        ("where do we meet", True),
        ("Where can i see what i'm owed?", False),
        ("Who won World War I?", False),
        ("What is the population of the US?", False),
        ("How deep is the mine?", False),
        ("Hvem er borgmester i Oslo?", False),
        ("How far away is the moon? My son wonders.", False),
        ("What did Tom say?", True),
        ("Can you remind me of the plan?", True),
        ("The tap drips. Who did we call when it did before? I forgot.", True),
        ("list all the pills I have been through", True),
        ("Please remind me of the plan.", True),
        ("Who is the mayor of Hull?", False),
        ("How tall is the mast?", False),
        ("Where can I buy a mast?", False),
        ("Could you plan my trip?", False),
        ("How do I boil an egg?", False),
        ("Turn the notes I gave you last week into a plan.", False),
        ("I bought a boat.", False),
        ("Our cat sleeps.", False),
        ("", False),
    ],
)
def test_whether_what_was_told_is_asked_for(text, told):
    """A question that looks back, or has "my" in it; no request, and nothing that tells."""
    assert told_wanted(text) == told_wanted(text.upper()) == told_wanted(text.lower()) == told


def test_what_was_told_among_texts_that_were_written_without_sight_of_the_rules():
    """Most questions about one's own life, and few of all others."""
    told = Counter(row["kind"] for row in ROWS if told_wanted(row["text"]))
    assert told["back"] >= 136
    assert told["general"] <= 7
    assert told["request"] <= 8


@given(st.text())
def test_any_text_can_be_read(text):
    """Property: nothing raises, there are three answers, and a request asks for nothing that was told."""
    assert newness_wanted(text) in (0.0, 0.5, 1.0)
    assert not (told_wanted(text) and newness_wanted(text) == 1.0)


@pytest.mark.parametrize(("asked", "surely"), [("Translate this into Dutch:", 1.0), ("What did I say about it?", 0.0)])
def test_a_long_text_asks_at_either_end(asked, surely):
    """What is pasted stands before or behind what is asked."""
    pasted = "The mast is tall. " * 5000
    assert newness_wanted(f"{asked}\n{pasted}") == newness_wanted(f"{pasted}\n{asked}") == surely
    assert told_wanted(f"{asked}\n{pasted}") == told_wanted(f"{pasted}\n{asked}") == (not surely)
