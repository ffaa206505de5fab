"""Short messages that tell how something is."""

import pytest

from streetai_core.knowledge.telling import replaces, short


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("The boat lies at berth 31.", True),
        ("The boat was to be sold.", False),
        ("I nearly bought the boat.", False),
        ("I also have a boat.", False),
        ("The boat lies at berth 31 just for today.", False),
    ],
)
def test_what_may_stand_in_place_of_something_else(text, may):
    """Not what has not come about, nor what holds beside it or for once, whatever letters are large."""
    for written in (text, text.upper()):
        assert [replaces(clause) for clause in short(written)] == [may]


@pytest.mark.parametrize("text", ["x" * 2_001, "Whoops! " + "\u8239" * 2_000, "word " * 46])
def test_what_is_long_is_no_short_message(text):
    """By words, or by characters where it has few words: a key, or a page in a script without spaces."""
    assert short(text) == ()
    assert short(text[:100]) != ()
