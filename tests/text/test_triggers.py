"""Patterns worth trying: the same as if each word were looked for by itself."""

import re

from hypothesis import given
from hypothesis import strategies as st

from streetai_core.text.alternation import any_of
from streetai_core.text.triggers import Triggers

WORDS = st.text(alphabet="ab. '", min_size=1, max_size=4)
TEXTS = st.text(alphabet="ab. '", max_size=30)


@given(st.lists(st.sets(WORDS, min_size=1, max_size=3), min_size=1, max_size=8), TEXTS)
def test_each_pattern_with_a_word_in_the_text_is_tried(words, text):
    """Property: one that is left out would find nothing, whatever the text says; words may overlap."""
    expected = [number for number, needed in enumerate(words) if any(word in text for word in needed)]
    assert Triggers(words).of(text) == expected


@given(st.sets(WORDS, min_size=1, max_size=8), TEXTS)
def test_the_longest_word_is_matched(words, text):
    """Property: also where it holds characters that mean something in a pattern."""
    fitting = [word for word in words if text.startswith(word)]
    match = re.match(any_of(words), text)
    assert (match and match.group()) == (max(fitting, key=len) if fitting else None)
