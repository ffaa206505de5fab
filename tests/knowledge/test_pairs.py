"""Nouns anywhere in a text with what tells which one is meant."""

import pytest

from streetai_core.knowledge.pairs import pairs


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("When is the maths exam?", {("math", "exam")}),
        ("Where is the key to the cellar?", {("cellar", "key")}),
        ("Who has the key to the water tap?", {("water", "key"), ("tap", "key"), ("water", "tap")}),
        ("What's the capital of Anna's region?", {("anna", "capit"), ("anna", "region")}),
        ("What's the code for the garage?", {("garag", "code")}),
        ("What is the code for locker 8?", {("locker", "code"), ("8", "locker")}),
        ("I've reset locker 12, the code is 3046.", {("reset", "locker"), ("12", "locker")}),
        ("I changed my project to octopuses.", set()),
        ("We meet at the fountain.", set()),
        ("Two cups, the whole report.", set()),
        ("", set()),
    ],
)
def test_what_tells_which(text, found):
    """A number behind a noun does, a number before it counts; a place does not, nor what a thing becomes."""
    assert set(pairs(text)) == found


def test_nothing_goes_on_behind_a_mark():
    """The last word of one clause tells nothing of the first of the next."""
    assert set(pairs("I sold the bike, insurance and all")) == set()
