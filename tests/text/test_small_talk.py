"""What asks for nothing that was said before."""

import pytest

from streetai_core.text.small_talk import is_small_talk


@pytest.mark.parametrize(
    "text",
    [
        *(
            "hi",
            "Hello!",
            "Hey Melanie!",
            "Good morning",
            "Good morning! How are you?",
            "What's up?",
            "hola",
            "bye, Tom",
        ),
        *("thanks!", "Thank you so much, Caroline!", "thx", "Danke", "ok", "OK, got it", "yes please", "no", "lol"),
        *(
            "haha that's great",
            "sure, go ahead",
            "Sounds good, see you tomorrow",
            "no problem",
            "\U0001f44d",
            "...",
            "",
        ),
    ],
)
def test_small_talk(text):
    """It is answered by itself."""
    assert is_small_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Is that right?",
            "What is it?",
            "And you?",
            "ok, what about Rome",
            "yes, Berlin",
            "Nora",
            "berth 31",
            "go on",
        ),
        *("Thanks, and where is my boat?", "hi, I moved to Nice", "thanks for the recipe", "Nice?", "no more bullets"),
        *("Good day for the picnic", "I am", "what is it", "Hello world of sailing boats", "17", "ok " * 40),
    ],
)
def test_what_is_about_something(text):
    """Or asks for something, in whatever few words."""
    assert not is_small_talk(text)
