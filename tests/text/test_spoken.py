"""What of a text is said, and what is pasted into it or quoted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.text.spoken import prose, spoken_length

LOG = "It fails:\n14:02:11 INFO starting\n14:02:12 WARN no cache\n14:02:13 ERROR no disk\nWhat is it?"


@pytest.mark.parametrize(
    ("text", "said", "length"),
    [
        ("", "", 0),
        ("We use `pnpm` now.", "We use `pnpm` now.", 18),
        ("See:\n```py\nab\n```\nOK?", "See:\n\n\nOK?", 10 + 2),
        ("~~~\nabcdefgh\n~~~", "\n", 1 + 3),
        ("a ```b``` c ```d``` e", "a \n c \n e", 9 + 3),
        ("It fails:\n```\nnever closed", "It fails:\n\n", 11 + 3),
        (LOG, "It fails:\n\nWhat is it?", 22 + 17),
        (f"{LOG}\n```\nab\n```", "It fails:\n\nWhat is it?\n\n", 24 + 19),
        ("> to Nice?\nTo Bergen.", "\nTo Bergen.", 11 + 2),
        (f"> no disk?\n{LOG}", "\nIt fails:\n\nWhat is it?", 23 + 19),
    ],
)
def test_what_is_said_is_told_from_what_is_pasted_and_quoted(text, said, length):
    """Of code and quotations a character counts a quarter, rounded down."""
    assert prose(text, "user") == said
    assert spoken_length(text, "user") == length


def test_what_an_assistant_sets_off_is_its_answer():
    """A draft of a mail stands behind ">" in Markdown."""
    draft = "Here it is:\n\n> Dear Mara,\n> the boat lies at berth 31."
    assert prose(draft, "assistant") == draft
    assert spoken_length(draft, "assistant") == len(draft)


@given(st.text(alphabet="ab`~> \n=(){};:", max_size=80))
def test_what_is_said_is_never_longer_than_the_text(text):
    """A length below 0 or above the text's would be stored."""
    assert len(text) // 4 <= spoken_length(text, "user") <= max(len(text), 1)
