"""What states a wish for all that is to come, and what asks for something new."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.text.asking import newness_wanted
from streetai_core.text.marks import WISH
from streetai_core.text.wishes import states_wish
from streetai_core.text.words import counted

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "knowledge" / "data" / "standing_wishes.jsonl")
    .read_text("utf-8")
    .splitlines()
]

WISHES = [
    "Always answer in metric units.",
    "ok. please never use emojis",
    "From now on call me Bo.",
    "Whenever I ask about boats, mind the draught.",
    "I\u2019d really rather take the train.",
    "aisle seats, always",
    "I don't eat fish",
    "Anything you plan for me has to be free of nuts.",
    "Could you always cite a source?",
    "Answer me in Swedish",
    "I want you to answer briefly.",
    "one thing: always type hints, no docstrings please",
    "and no pork or wine for me",
    "Noor doesn't eat anything from the sea.",
    "we don't eat meat",
    "Tove is coeliac",
]

NO_WISHES = [
    "Never mind.",
    "I have never been to Flensburg.",
    "We always had fish on Fridays.",
    "My boss said always answer the phone.",
    "The boat is always wet.",
    "Supper is at seven as always.",
    "Call me tomorrow.",
    "Let me know if there is anything you need.",
    "Which berth is mine?",
    "I love you",
    "I don't have it all yet.",
    "It has to be ugly.",
    "No rewriting of what is there, please.",
    "A friend lends us her flat for two of the nights, so we only pay for three.",
    "",
]

AS_TYPED = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "knowledge" / "data" / "wishes_as_typed.jsonl")
    .read_text("utf-8")
    .splitlines()
]

LEAST_TOLD = {"first": 0.8, "second": 0.58}
"""123 of 150 and 36 of 60; of the first half was looked at, of the second none. With the rules of before 67 and 29."""
MOST_MISTAKEN = {"first": 0.02, "second": 0.08}
"""1 of 100 and 3 of 40; 12 and 6 before."""


@pytest.mark.parametrize("part", ["first", "second"])
def test_wishes_as_they_are_typed(part):
    """Whoever wrote these knew none of the rules: so this says how they fare with what they have not seen."""
    told = [states_wish(row["wish"]) for row in AS_TYPED if (row["set"], row["kind"]) == (part, "wish")]
    assert sum(told) >= LEAST_TOLD[part] * len(told)
    mistaken = [
        row["wish"] for row in AS_TYPED if (row["set"], row["kind"]) == (part, "none") and states_wish(row["wish"])
    ]
    none = sum((row["set"], row["kind"]) == (part, "none") for row in AS_TYPED)
    assert len(mistaken) <= MOST_MISTAKEN[part] * none, mistaken


@pytest.mark.parametrize("text", WISHES)
def test_wishes(text):
    """Orders for always, the future and whenever, preferences, and what binds every suggestion."""
    assert states_wish(text)
    assert states_wish(text.replace("'", "\u2019"))


@pytest.mark.parametrize("text", NO_WISHES)
def test_what_only_sounds_like_one(text):
    """Habits, what is said by others, and what is wanted once."""
    assert not states_wish(text)


def of_kind(kind, key, first):
    """Every other text of a kind."""
    return [row[key] for row in ROWS if row["kind"] == kind][first::2]


@pytest.mark.parametrize(
    ("first", "wishes", "others", "requests", "questions"),
    [(0, 46, 0, 59, 0), (1, 36, 3, 53, 1)],
    ids=["seen", "unseen"],
)
def test_texts_that_were_written_without_sight_of_the_forms(first, wishes, others, requests, questions):
    """Of 50 wishes, 40 that only sound like some, 65 requests and 15 questions that look back.

    The first half was seen when the forms were extended; the second tells how many of other people's are known.
    """
    assert sum(map(states_wish, of_kind("wish", "wish", first))) >= wishes
    assert sum(map(states_wish, of_kind("other", "text", first))) <= others
    asked = [*of_kind("wish", "request", first), *of_kind("request", "text", first)]
    assert sum(newness_wanted(text) > 0.0 for text in asked) >= requests
    assert sum(newness_wanted(text) > 0.0 for text in of_kind("question", "text", first)) <= questions


@given(st.text())
def test_any_text_can_be_read(text):
    """Property: nothing raises, and no text has the term that stands for a wish."""
    assert isinstance(states_wish(text), bool)
    assert WISH not in counted(text)[0]
