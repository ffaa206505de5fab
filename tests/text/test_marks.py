"""Terms of a message that say what it is."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.text.marks import CHANGE, TOLD, WISH, beside_text, marked, news_about
from streetai_core.text.words import counted

_MARKS = st.sets(
    st.one_of(st.sampled_from([WISH, TOLD, CHANGE]), st.integers(0, 2**63 - 1).map(news_about)), max_size=6
)


@given(st.text(max_size=80), _MARKS)
def test_marks_stand_among_the_terms_and_count_nothing(text, marks):
    """Property: a search of sorted terms finds them, and what is said weighs as much as without them."""
    plain = counted(text)
    terms, counts = marked(*plain, marks)
    assert terms.tolist() == sorted({*plain[0].tolist(), *marks})
    assert (terms.dtype, counts.dtype) == (np.uint32, np.uint16)
    assert terms[counts > 0].tolist() == plain[0].tolist()
    assert counts.sum() == plain[1].sum()
    assert set(beside_text(terms, counts)) == marks - {WISH, TOLD, CHANGE}


def test_a_mark_is_set_once():
    """Who marks a message again leaves it as it is."""
    once = marked(*counted("boat"), [WISH])
    again = marked(*once, [WISH])
    assert [array.tolist() for array in again] == [array.tolist() for array in once]


def test_each_message_has_its_mark():
    """News of one is no news of the next."""
    assert len({news_about(sequence) for sequence in range(10_000)}) == 10_000
