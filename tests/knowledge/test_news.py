"""What short messages tell that a question may find to be news of another."""

from typing import get_args

import pytest

from streetai_core.knowledge.news import news_of, told_anew, values_beside, values_over
from streetai_core.knowledge.statements import Statement
from streetai_core.knowledge.telling import LONGEST
from streetai_core.knowledge.values import ValueKind
from streetai_core.text.marks import CHANGE, CORRECTED, TOLD, VALUES


def test_only_who_has_facts_tells_of_changes():
    """An assistant without a name and a tool speak of what others said."""
    assert not news_of(Statement("we use Rust now", role="assistant"))
    assert news_of(Statement("we use Rust now", role="assistant", author="Mia")) == (TOLD, CHANGE, VALUES["name"])


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("They've killed Lark.", {"lark"}),
        ("It wasn't the 19th, it's the 21st", {"19th", "21st"}),
        ("Zdeněk flooded the cellar. Never again.", {"zdenek", "cellar"}),
        ("Lark has a logo", set()),
        ("Have they killed Lark?", set()),
        ("My sister's Lark was killed", {"sister"}),
        ("Dougie's jacked it in, no drums for now", {"dougi"}),
        ("my daughter had the plum tree pulled out", {"daughter"}),
        ("The mice killed the plum tree, and her owl is gone", {"mice", "plum", "tree", "owl"}),
        (f"They've killed Lark. {'It rained. ' * LONGEST}", set()),
    ],
)
def test_what_is_over_is_known_by_its_name(text, terms):
    """Of another person only who it is: what is hers is not the speaker's."""
    assert told_anew(Statement(text)) == terms


@pytest.mark.parametrize(
    "text", ["The match has been brought forward to 12:45", "The band was rechristened Salt", "We had to rename it"]
)
def test_what_has_been_moved_or_named_anew_has_changed(text):
    """In whatever verb."""
    assert CHANGE in news_of(Statement(text))


def test_only_who_has_facts_says_that_they_are_over():
    """An assistant repeats what it was told."""
    assert not told_anew(Statement("They've killed Lark.", role="assistant"))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("no more 200, it's 230 from here on", {("200",), ("230",)}),
        ("We're not at the Crown", {("crown",)}),
        ("I don't do well done any more", {("done",)}),
        ("I no longer have to be in at two", {("2",), ("two",)}),
        ("the rota is 4 am instead of 2 am", {("2",), ("2nd",), ("two",)}),
        ("It's not more than 120 euros for the whole meal for two", {("120",)}),
        ("moved mine from the 9th to later", {("9th",), ("9",)}),
        ("no longer on 24 May", {("24", "may"), ("24th", "may"), ("24",), ("24th",), ("may",)}),
        ("it's not 40 eggs, it's 30, her threes have a tail", {("40",)}),
        ("no more bullets, just a paragraph", {("bullet",)}),
        ("so strike sesame from the menu", {("sesam",)}),
        ("cross out sesame, it has almonds", {("sesam",)}),
        ("rabbitmq was decommissioned with the servers", {("rabbitmq",)}),
        ("My sister isn't at the Crown", set()),
        ("We also aren't at the Crown", set()),
        ("Aren't we at the Crown?", set()),
        ("We're at the Crown", set()),
        (f"We're not at the Crown. {'It rained. ' * LONGEST}", set()),
    ],
)
def test_values_that_are_over(text, values):
    """What a cue says is over, and what else is a value in such a clause; a number in figures and in words."""
    assert values_over(Statement(text)) == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("prod went from 12 straight to 16", {("12",), ("16",)}),
        ("the Honda is dead, got us a Stihl", {("honda",), ("stihl",)}),
        ("prod is on 16", set()),
        ("we have 12 and also 16", set()),
        ("is it 12 or 16?", set()),
        ("her number was 12, my sister's is 16", set()),
    ],
)
def test_values_beside_others_of_their_kind(text, values):
    """One alone is compared with nothing, and what is told as an addition replaces nothing."""
    assert values_beside(Statement(text)) == values


def test_only_who_has_facts_has_values():
    """An assistant repeats what it was told."""
    told = Statement("not 12 but 16", role="assistant")
    assert not values_over(told)
    assert not values_beside(told)


@pytest.mark.parametrize(
    ("text", "corrected"),
    [
        ("I was wrong, it's in Bath", True),
        ("correction: it's the 14th", True),
        ("I had the wrong year, it was 2012", True),
        ("it's in Bath now", False),
        (f"I was wrong, it's in Bath. {'It rained. ' * LONGEST}", False),
    ],
)
def test_what_was_told_wrongly(text, corrected):
    """That was never so, while what has changed was."""
    assert (CORRECTED in news_of(Statement(text))) is corrected


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("We meet at nine on Friday", {"number", "date"}),
        ("We painted it green, says mia@example.org", {"colour", "contact"}),
        ("We meet at Lou's", {"name"}),
        ("Do we meet at nine?", set()),
        (f"We meet at nine. {'It rained. ' * LONGEST}", set()),
    ],
)
def test_kinds_of_values(text, kinds):
    """What two messages must have in common to tell the same anew, though they are little alike."""
    assert {kind for kind, mark in VALUES.items() if mark in news_of(Statement(text))} == kinds


def test_every_kind_has_a_mark():
    """The kinds are known where values are; the marks, where words are."""
    assert set(VALUES) == set(get_args(ValueKind))
