"""What of a person's life a question asks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.text.matters import _TABLE, asked_for, without_idioms
from streetai_core.text.words import hashed, terms

TOLD = [
    ("Which harbour town do I live in?", "I moved to Flensburg"),
    ("What is my occupation?", "They hired me at the shipyard"),
    ("What does Nora do for a living?", "Nora is a carpenter"),
    ("HOW OLD is Ben?", "It is his birthday"),
    ("Is he married?", "His wedding was on board"),
    ("Do I have pets?", "The dog sleeps in the cabin"),
    ("Which languages does the crew speak?", "All of them are fluent in Swedish"),
    ("Does the cook have children?", "Her daughter sails with us"),
]

OF_NO_MATTER = ["Which berth is mine?", "Is there a nurse aboard?", "the of and", "?", ""]


def matters_of(question):
    """A question without its idioms, and the matters that it asks for."""
    plain, idioms = without_idioms(question)
    return plain, asked_for(terms(plain), idioms)


@pytest.mark.parametrize(("question", "statement"), TOLD)
def test_a_question_asks_for_what_tells_of_it_in_other_words(question, statement):
    """People rarely tell of their lives in the words in which they ask later."""
    assert not set(terms(question)) & (set(terms(statement)) - {"nora"})
    _, matters = matters_of(question)
    assert any(hashed(term) in matter for matter in matters for term in terms(statement))


@pytest.mark.parametrize("question", OF_NO_MATTER)
def test_a_word_that_tells_of_a_matter_does_not_ask_for_it(question):
    """Who asks for a nurse does not want to hear of teachers."""
    assert matters_of(question) == (question, ())


@pytest.mark.parametrize("question", ["What does he do for a living?", "What does he do For A Living?"])
def test_an_idiom_is_not_read_word_by_word(question):
    """Else it would ask for where somebody lives."""
    plain, matters = matters_of(question)
    assert "live" in terms(question)
    assert terms(plain) == []
    assert len(matters) == 1
    assert hashed("live") not in matters[0]


@pytest.mark.parametrize("question", ["for a l\u0131v\u0131ng", "\u017fpare time", "where am \u0130 from"])
def test_letters_that_fold_to_those_of_an_idiom_make_none(question):
    """A dotless i is an i to a pattern that ignores case; it was looked up as it stands, which raised."""
    assert without_idioms(question) == (question, ())


def test_a_word_may_ask_for_several_matters_and_each_comes_once():
    """What somebody eats is a matter of diet as well as of allergies."""
    _, matters = matters_of("What can he eat, what does he eat, and how old is he? How old?")
    assert len(matters) == len(set(matters)) == 3
    assert all(len(matter) == len(set(matter)) for matter in matters)


@given(
    st.lists(
        st.sampled_from([*"aI \n.?\u0301\u0130\u0131\u017f", "for a living", "work", " how old "]), max_size=30
    ).map("".join)
)
def test_any_text_can_be_read(text):
    """Property: whatever is asked, reading it fails nowhere and makes nothing up."""
    plain, matters = matters_of(text)
    assert len(plain) <= len(text)
    assert len(matters) <= 3


@pytest.mark.parametrize("matter", _TABLE, ids=lambda matter: matter.asking.split()[0])
def test_each_word_of_the_table_is_one_term_and_stands_once(matter):
    """A word that falls into two would be found by either, and one that falls to nothing by none."""
    found = [terms(word) for word in f"{matter.asking} {matter.telling}".split()]
    assert all(len(one) == 1 for one in found)
    assert len({one[0] for one in found}) == len(found)
