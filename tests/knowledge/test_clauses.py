"""Which sentences state something, and which only imagine it or hand over a text to be worked on."""

import pytest

from streetai_core.knowledge.clauses import clauses


@pytest.mark.parametrize(
    "sentence",
    [
        "I'd held the tape wrong: Jakob is 1.31 m.",
        "We'd forgotten one, so it's 26 guests.",
        "I'd just measured it wrong, the garden is 385 square metres.",
        "The rewrite's live: the website is in Vue.",
        "Rewrite's live as of Thursday: the website is in Vue.",
        "is now at 14 members",
        "is 1010 now",
        "are back at the old place",
    ],
)
def test_what_had_been_is_told(sentence):
    """If it fails, whoever says what was wrong before seems to wish for something."""
    assert clauses(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "I'd hold the tape lower, Jakob is 1.31 m then.",
        "We'd forget one, so it's 26 guests.",
        "I'd measure the garden at 385 square metres.",
        "Rewrite this for the website: we are closed on Mondays.",
        "are diesel 208s any good",
        "are 40 chairs enough for a hall",
        "could 1200 be enough for a week there",
    ],
)
def test_what_would_be_is_not(sentence):
    """Nor what a text says that is to be worked on, or what is asked without a question mark."""
    assert not clauses(sentence)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("it's not 4 eggs, it's 3 of them", {"it's not 4 eggs", "it's 3 of them"}),
        ("The neighbours fed her and she's back at 6.3 kg", {"The neighbours fed her", "she's back at 6.3 kg"}),
        ("Emergency: Dad's idea WAS the course", {"Emergency: Dad's idea WAS the course"}),
        ("They dropped the price: I'm now on 27.50", {"They dropped the price", "I'm now on 27.50"}),
    ],
)
def test_main_clauses_are_read_by_themselves_too(text, said):
    """What one says of others says nothing of what the other tells."""
    assert said <= {clause.sentence for clause in clauses(text)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            'A letter from the court: "The hearing is on 3 July." So there is time.',
            ["A letter from the court.", "The hearing is on 3 July.", "So there is time."],
        ),
        ("Email from the gym: \u201cIt costs 30 from May\u201d", ["Email from the gym.", "It costs 30 from May"]),
        ('A letter from Ann: "My hearing is on 3 July."', ["A letter from Ann:"]),
        ('Ann wrote: "The hearing is on 3 July."', ["Ann wrote:"]),
        ('My novel begins: "The hearing is on 3 July."', ["My novel begins:"]),
    ],
)
def test_a_notice_tells_what_it_says(text, said):
    """What people are quoted with is of them, or of a story."""
    assert [clause.sentence for clause in clauses(text)] == said
