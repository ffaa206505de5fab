"""Texts in small letters, and patterns that are looked for in those."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.text.letter_case import lowered, without


@pytest.mark.parametrize(("text", "small"), [("ÖLÇÜ", "ölçü"), ("\u0130STANBUL", "\u0130stanbul"), ("", "")])
def test_small_letters(text, small):
    """A letter that has two in lower case stays, so that all others stay where they are."""
    assert lowered(text) == small


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("I Quit, and it's OVER", "I  , and it's  "),
        ("\u0130zmir is over now", "\u0130zmir is   now"),
        ("Nothing", "Nothing"),
        ("quit", " "),
        ("", ""),
    ],
)
def test_without_what_is_found(text, left):
    """A space in its place, and the other letters as they were."""
    assert without(re.compile("quit|over"), text) == left


@given(st.text())
def test_offsets_stay(text):
    """Property: as long as before; and with nothing found, the same text."""
    assert len(lowered(text)) == len(text)
    assert without(re.compile("(?!)"), text) == text


@given(st.text(alphabet="aAbB ,."))
def test_it_is_what_a_pattern_of_either_case_would_leave(text):
    """Property: for letters that have one small form."""
    assert without(re.compile("ab|b,"), text) == re.sub("ab|b,", " ", text, flags=re.IGNORECASE)
