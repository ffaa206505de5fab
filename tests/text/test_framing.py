"""What a question is about, without the words that only say how to answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.text.framing import subject_of
from streetai_core.text.words import terms

FRAMED = [
    ("Can you list the order in which I brought up my boats in our conversations?", "boats"),
    ("Could you please give me a short summary of how the keel was painted so far?", "keel painted"),
    ("Tell me about the harbour fees. Mention only the last two.", "harbour fees"),
    ("Show me the harbour fees; name only two, please", "harbour fees"),
    ("Which sail did I mention?", "sail"),
    ("What have we discussed about anchors over the past sessions, step by step?", "anchors"),
    ("Across all of our earlier chats, what was the price of the mast?", "price mast"),
    ("WOULD YOU SUMMARISE THE VOYAGE IN CHRONOLOGICAL ORDER?", "voyage"),
]

UNFRAMED = [
    "What did Ben order in the harbour café?",
    "Is the boat on the list?",
    "Who gave me the summary?",
    "Did Nora tell Ben about the party?",
    "How many berths are there?",
    "Only the keel is red.",
    "",
]


@pytest.mark.parametrize(("question", "subject"), FRAMED)
def test_what_frames_a_question_is_not_its_subject(question, subject):
    """Such words are rare in what people say otherwise, and would decide what is found."""
    assert terms(subject_of(question)) == terms(subject)


@pytest.mark.parametrize("question", UNFRAMED)
def test_the_same_words_stay_where_they_are_the_matter(question):
    """An order in a café is what is asked about."""
    assert terms(subject_of(question)) == terms(question)


@pytest.mark.parametrize("question", ["Can you list, step by step?", "Please tell me.", "So far?"])
def test_a_question_may_have_no_other_words(question):
    """Then nothing but stop words is left."""
    assert terms(subject_of(question)) == []


@given(st.text(st.sampled_from("aI \n.?,'\u0301") | st.sampled_from("list only in our chats so far you"), max_size=60))
def test_any_text_has_a_subject_no_longer_than_itself(text):
    """Property: whatever is asked, reading it fails nowhere and makes nothing up."""
    assert len(subject_of(text)) <= len(text) + 1
