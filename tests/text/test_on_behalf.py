"""Questions that a program asks on behalf of the user."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.text.on_behalf import as_the_user_asks


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("What are the user's allergies?", "What are my allergies?"),
        ("user\u2019s mother's birthday", "my mother's birthday"),
        ("users' allergies", "my allergies"),
        ("User dietary restrictions, allergies", "my dietary restrictions, allergies"),
        ("user + landlord + rent", "my + landlord + rent"),
        ("Where does the user live?", "Where does I live?"),
        ("when did user buy the boat", "when did I buy the boat"),
        ("why user turned down the job", "why I turned down the job"),
        ("fee paid by user", "fee paid by I"),
        ("User told me the name of a landlord", "I told me the name of a landlord"),
        ("what the assistant recommended for the garden", "what you recommended for the garden"),
        ("Which varnish did assistant suggest to the user?", "Which varnish did you suggest to I?"),
    ],
)
def test_of_the_user(query, asked):
    """As the user would put it, but for the grammar, whatever letters are large."""
    assert as_the_user_asks(query) == asked
    assert as_the_user_asks(query.upper()).lower() == asked.lower()


@pytest.mark.parametrize(
    "question",
    [
        "How do we store the user's password?",
        "What did I say about the user?",
        "Where does the user id come from?",
        "user interface",
        "user-defined types",
        "What does a user see?",
        "What does every new user want?",
        "add a table for user roles",
        "What did the assistant manager of the shop want?",
        "Which reuser's manual is it?",
        "user",
        "Wo wohnt er?",
        "",
    ],
)
def test_of_others(question):
    """What users in general have or do, and what is asked by whoever speaks of themselves."""
    assert as_the_user_asks(question) == question


@given(st.text())
def test_any_text_can_be_read(text):
    """Property: nothing raises, and it is as long as before or shorter by words for the user alone."""
    assert len(as_the_user_asks(text)) <= len(text)


def test_a_long_text_costs_no_more_than_its_length():
    """Not the square of it."""
    text = "the user user's user " * 20_000
    assert len(as_the_user_asks(text)) < len(text)
