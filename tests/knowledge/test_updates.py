"""Short messages that bring an older one up to date, in whatever words they say so."""

import pytest

from streetai_core.knowledge.news import news_of
from streetai_core.knowledge.statements import Statement
from streetai_core.knowledge.telling import LONGEST
from streetai_core.knowledge.updates import tells_update, updated
from streetai_core.text.marks import CHANGE

NEAR = 0.6
"""A cosine of two messages about one thing."""


def brings_up_to_date(newer, older, similarity=NEAR, author=None):
    """Whether the newer text is taken for news of what the older one told."""
    return bool(updated(Statement(newer), [(Statement(older, author=author), similarity)]))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Nightly jobs run on heron1", "heron1's fan died. Nightly jobs go to marten2 from here on"),
        ("The walker is set to height 4", "uncomfortable, so I put the walker up to 6."),
        ("Book circle meets on Tuesdays", "Mia works late now, book circle meets on Fridays from this month"),
        ("The trial costs 40 euros", "good news, the trial has gone down to 25 euros"),
        ("Our ferry leaves at 9:40", "They cancelled the 9:40, the ferry leaves at noon instead."),
        ("The allotment has 6 beds", "correction: the allotment has 8 beds"),
        ("My commute is 6 kilometres", "My commute is nearly eight, so 8 kilometres now"),
        ("The trial costs 40 euros", "Just this morning the trial went down to 25 euros"),
        ("my plot is number 14", "swapped with Ingrid, my plot is number 31"),
    ],
)
def test_a_short_message_with_a_word_of_change_brings_a_value_up_to_date(older, newer):
    """No list has all the ways to say so."""
    assert brings_up_to_date(newer, older)


@pytest.mark.parametrize(
    ("older", "newer", "why"),
    [
        ("The trial costs 40 euros", "The trial is over now", "no value"),
        ("The trial costs 40 euros", "My shoes are size 40 now", "no word in common"),
        ("The trial is on Tuesday", "The trial has changed hands 3 times", "a value of another kind"),
        ("The trial costs 40 euros", "The trial now costs 40 euros", "no other value"),
        ("The trial costs 40 euros", "Their trial now costs 25 euros", "somebody else's"),
        ("My sister's rent is 700 euros", "The rent went up to 900 euros", "an older one of somebody else"),
        ("The trial costs 40 euros", "Has the trial gone down to 25 euros now?", "a question"),
        ("The trial costs 40 euros", "If the trial went down to 25 euros now I'd take it", "imagined"),
        ("The trial costs 40 euros", "The trial costs 25 euros in Spain", "no word of change"),
        ("The trial costs 40 euros", "The trial nearly changed to 25 euros", "it did not come about"),
        ("The trial costs 40 euros", "We almost sold the trial, it went down to 25 euros", "nor did this"),
        ("The trial costs 40 euros", "The trial for today went down to 25 euros", "for once"),
        ("The trial costs 40 euros", "The kids' trial also went down to 25 euros", "beside it"),
    ],
)
def test_others_bring_nothing_up_to_date(older, newer, why):
    """Otherwise what still holds is labelled as changed."""
    assert not brings_up_to_date(newer, older), why


def test_a_long_message_brings_nothing_up_to_date():
    """Some sentence of it has a word and a number in common with nearly anything."""
    newer = "The trial has gone down to 25 euros."
    padding = "It rained all day. " * LONGEST
    assert brings_up_to_date(newer, "The trial costs 40 euros")
    assert not brings_up_to_date(f"{newer} {padding}", "The trial costs 40 euros")
    assert not brings_up_to_date(newer, f"The trial costs 40 euros. {padding}")


def test_only_what_is_near_and_of_the_same_speaker_is_brought_up_to_date():
    """Two people may both have a trial."""
    newer, older = "The trial has gone down to 25 euros.", "The trial costs 40 euros"
    assert not brings_up_to_date(newer, older, similarity=0.3)
    assert not brings_up_to_date(newer, older, author="Mia")


def test_only_the_nearest_is_brought_up_to_date():
    """What is further away is mostly about something else."""
    candidates = [(Statement("The weather was awful"), 0.7), (Statement("The trial costs 40 euros"), NEAR)]
    assert not updated(Statement("The trial has gone down to 25 euros."), candidates)
    assert updated(Statement("The trial has gone down to 25 euros."), candidates[1:]) == [(0, 0.5)]


def test_what_is_said_again_word_for_word_is_no_news():
    """A sentence that stands in both messages says nothing new of either."""
    older = "The trial costs 40 euros now. I like Mondays."
    assert not brings_up_to_date("The trial costs 40 euros now. See you on the 25th.", older)


@pytest.mark.parametrize(
    ("text", "change", "update"),
    [
        ("we use rust now", True, False),
        ("we're 12 people as of today", True, True),
        ("we're 12 people", False, False),
        (f"we're 12 people as of today. {'It rained. ' * LONGEST}", False, False),
        ("Now the buffet for all 18.", False, False),
        ("Now it's 18.", True, True),
        ("are we 12 people now?", False, False),
        ("somebody said it was 12 now", False, False),
        ("my daughter changed to row 12", False, False),
        ("grandma's flat is number 12 now", False, False),
        ("the vet changed it to 12 drops", True, True),
        ("so much for that. moved to row 12 now, what can i see from there?", True, True),
    ],
)
def test_what_tells_of_a_change(text, change, update):
    """A question finds such messages; only with a value do they replace anything by themselves."""
    assert (CHANGE in news_of(Statement(text))) is change
    assert tells_update(Statement(text)) is update
