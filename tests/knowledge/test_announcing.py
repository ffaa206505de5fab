"""What says of itself that something has changed."""

import pytest

from streetai_core.knowledge.announcing import announces_change, confirms_change


@pytest.mark.parametrize(
    "text",
    [
        "Change of plans, we meet at noon.",
        "Whoops, fat fingers. SE14 6LB is right",
        "so our plans have changed, it's Rome",
        "Update: the bike is red",
        "Scratch that, two cakes",
        "we've changed our minds",
        "There\u2019s been a slight change",
        "I stand corrected",
        "ok, forget what I said, it's two",
    ],
)
def test_who_tells_of_a_change_often_says_so(text):
    """In words that name nothing of it."""
    assert announces_change(text)


@pytest.mark.parametrize(
    "text",
    [
        "We never change our plans",
        "The app wants an update",
        "Forget me not",
        "I planned it anew",
        "A change is needed",
        "Don't forget that the exam is on Monday",
        "I always forget that he moved",
    ],
)
def test_who_names_a_change_need_not_tell_of_one(text):
    """The words alone are no announcement."""
    assert not announces_change(text)


@pytest.mark.parametrize(
    "reply",
    [
        "Updated.",
        "Subscription list updated. Anything else?",
        "The regular order is changed.",
        "Moved to Thursday in your calendar.",
        "Got it, Thursday instead.",
        "Thanks for letting me know about the new correction!",
        "Oh no! I've now rescheduled it.",
        "That's sooner. I\u2019ll adjust the reminder.",
        "Correction noted.",
        "Noted, Conor in his place.",
    ],
)
def test_an_assistant_says_that_it_has_understood_a_change(reply):
    """In its first two sentences."""
    assert confirms_change(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Shall I move it?",
        "Noted.",
        "Times have changed.",
        "What's changed? Tell me more.",
        "You could move it to Thursday.",
        "Buy milk. Buy eggs. I've updated the list.",
        f"{'Advice ' * 60}. I've updated the list.",
        "Sure, you can take oat milk instead.",
        "Right, running rather than walking burns more.",
        "Slightly raised, but no cause for alarm.",
    ],
)
def test_other_replies_confirm_nothing(reply):
    """What is asked, advised, or said further on."""
    assert not confirms_change(reply)
