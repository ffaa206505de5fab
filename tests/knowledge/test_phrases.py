"""What a clause is about as a noun phrase, and which two are of different things of one kind."""

import pytest

from streetai_core.knowledge.clauses import clauses
from streetai_core.knowledge.phrases import Phrase, are_apart, phrase_of
from streetai_core.knowledge.wording import tokens


@pytest.mark.parametrize(
    ("text", "head", "before", "behind"),
    [
        ("The maths exam is on Monday.", "exam", {"math"}, set()),
        ("Lunch with Paul is on Tuesday.", "lunch", set(), {"paul"}),
        ("My flight to Rome is at 9:40.", "flight", set(), {"rom"}),
        ("Project Apollo ships in May.", "project", {"apollo"}, set()),
        ("Ben's party is at six.", "party", {"ben"}, set()),
        ("And the front door code is 4471.", "cod", {"front", "door"}, set()),
        ("I changed my Netflix password to robin42.", "password", {"netflix"}, set()),
        ("The new usual plan is fine.", "plan", set(), set()),
        ("Work email is down.", "email", {"work"}, set()),
        ("The standup's at 10.", "standup", set(), set()),
    ],
)
def test_a_noun_and_what_tells_which(text, head, before, behind):
    """It is what stands before the verb, or what somebody does something with."""
    phrase = phrase_of(tokens(text))
    assert phrase is not None
    assert (phrase.head, phrase.before, phrase.behind) == (head, before, behind)


@pytest.mark.parametrize("text", ["", "I moved.", "Is", "and so"])
def test_some_clauses_have_none(text):
    """Who only says what he does tells of no thing."""
    assert phrase_of(tokens(text)) is None


@pytest.mark.parametrize(
    ("older", "newer", "apart"),
    [
        ("The maths exam is on Monday.", "The physics exam moved to Thursday.", True),
        ("The exam is on Monday.", "The physics exam moved to Thursday.", False),
        ("The maths exam is on Monday.", "The exam moved to Thursday.", False),
        ("Lunch with Paul is on Tuesday.", "Lunch with Sara moved to Friday.", True),
        ("The front door code is 4471.", "The back door code was changed to 9902.", True),
        ("The trip to Rome is in May.", "The Italy trip moved to June.", False),
        ("I follow a vegan diet.", "I follow a Mediterranean diet now.", False),
        ("Room 4 is the library.", "Room 7 is now the gym.", True),
        ("The Apollo launch is in May.", "We renamed the Gemini launch to the Apollo launch.", False),
    ],
)
def test_what_has_its_own_name_is_another_thing(older, newer, apart):
    """Only where each says which it is; what is told of the thing that somebody has is a value of it."""
    pairs = [(new, old) for new in clauses(newer) for old in clauses(older)]
    assert any(new.is_of_another(old) for new, old in pairs) is apart


def test_two_nouns_are_never_compared():
    """A bill is no code, whatever stands before it."""
    one = Phrase("bill", is_subject=True, before=frozenset({"gas"}), behind=frozenset())
    assert not are_apart(one, Phrase("cod", is_subject=True, before=frozenset({"door"}), behind=frozenset()))
