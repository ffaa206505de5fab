"""Which questions lean on the one before."""

# ruff: noqa: RUF001 - the full-width marks of Chinese and Japanese are among what is tested

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.text.follow_ups import is_follow_up


@pytest.mark.parametrize(
    "question",
    [
        "And in October?",
        "what about the second one?",
        "How did I find her?",
        "how much was it in the end?",
        "since when?",
        "What happened to his wife?",
        "did they pay?",
        "why not the big one?",
        "is that the dark one",
        "ok and what's her job",
    ],
)
def test_what_leans(question):
    """What it is about stands in the question before."""
    assert is_follow_up(question)


@pytest.mark.parametrize(
    "question",
    [
        "Where does my boat lie in winter?",
        "What did Nils say about his wife?",
        "Which berth did the harbour office give me for Kittiwake, and is it deep enough for a keel of two metres?",
        "How many eggs go into the cake?",
        "Wo liegt mein Boot im Winter?",
        "妹はどこに住んでいますか？",
        "车卖了多少钱？",
        "ชื่อแมวของฉันคืออะไร?",
        "Thanks!",
        "ok cool",
        "She told me that yesterday.",
        "And then we went home.",
        "",
    ],
)
def test_what_stands_alone(question):
    """A name before a pronoun is what it stands for; a long question says enough."""
    assert not is_follow_up(question)


@given(st.text())
def test_any_text_can_be_asked(text):
    """Property: nothing raises, and nothing that is long leans."""
    assert is_follow_up(text) in {True, False}
    assert not is_follow_up(text + "x" * 1000 + "?")


@pytest.mark.parametrize("part", ["0", "a", "-", "she ", "A", "the one ", " "])
def test_no_text_takes_long(part):
    """A million characters are as quickly told as a few."""
    assert not is_follow_up(part * 1_000_000)
