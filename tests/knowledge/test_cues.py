"""Cues of change: found where people announce one, and not in ordinary talk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.knowledge.cues import change_cue

WITH_OLD_VALUE = [
    ("I switched from tea to coffee.", "changed", "tea"),
    ("We moved the party from Friday to Sunday.", "changed", "Friday"),
    ("Not 500, 700.", "corrected", "500"),
    ("It is 700 rather than 500.", "corrected", "500"),
    ("I no longer smoke.", "ended", "smoke"),
    ("I don't eat meat any more.", "ended", "eat meat"),
    ("I used to live in Leeds.", "now", "live in Leeds"),
    ("Forget what I said about the sofa.", "undone", "the sofa"),
    ("I replaced my Nikon with a Fuji.", "changed", "my Nikon"),
    ("We quit the gym.", "ended", "the gym"),
    ("I sold the car to my cousin.", "ended", "the car"),
    ("Call me Jo instead of Johanna.", "corrected", "Johanna"),
    ("Collection time moves from 7 am to 5:30 am.", "changed", "7 am"),
    ("I agreed with them to bring my leave forward from 1 September to 18 August.", "changed", "1 September"),
    ("The job has passed from Farida to Colin.", "changed", "Farida"),
    ("Pickle is nine, not seven.", "corrected", "seven"),
    ("I'm a green belt, bye bye orange.", "ended", "orange"),
    ("I cut out sugar.", "ended", "sugar"),
]

WITHOUT_OLD_VALUE = [
    ("We moved to Lyon.", "changed"),
    ("The meeting was postponed to Monday.", "changed"),
    ("They raised the limit to 300.", "changed"),
    ("The release has been pushed to May.", "changed"),
    ("We renamed the dog.", "changed"),
    ("We've had to switch the offsite to Eindhoven.", "changed"),
    ("My new phone number is 555 0100.", "now"),
    ("From now on I work on Mondays.", "now"),
    ("Marco and I broke up.", "ended"),
    ("The Jazz has gone as well.", "ended"),
    ("Scratch that.", "undone"),
    ("Correction: it starts at nine.", "corrected"),
    ("I meant the blue one.", "corrected"),
    ("I was wrong about the date.", "corrected"),
]

WEAK = [
    "Actually, it's at nine.",
    "It turns out my flight is on Tuesday.",
    "I'm now a teacher.",
    "We take the bus these days.",
    "I'd rather have tea.",
]

ORDINARY = [
    "I live in Lyon and love it.",
    "I cut out the boring bits",
    "I've cut out the part about the harbour.",
    "That reminds me of my first day at school.",
    "We watched the moving end of the film.",
    "I need more time right now.",
    "She laughed and left early.",
    "The room has no more than two windows.",
    "I had to move the sofa.",
    "My sister is coming for dinner.",
    "I'll never forget the day we met.",
    "It made me happy.",
    "I am used to it.",
    "What a week!",
    "Bye Joanna! Good luck!",
    "The new restaurant was full.",
    "We have known each other for years now.",
    "",
]


@pytest.mark.parametrize(("text", "kind", "old"), WITH_OLD_VALUE)
def test_the_old_value_is_cut_out(text, kind, old):
    """The old value leads to the statement that holds it."""
    cue = change_cue(text)
    assert cue is not None
    assert cue.kind == kind
    assert text[slice(*cue.old)] == old


@pytest.mark.parametrize(("text", "kind"), WITHOUT_OLD_VALUE)
def test_a_change_is_announced(text, kind):
    """Otherwise the change goes unseen."""
    cue = change_cue(text)
    assert cue is not None
    assert (cue.kind, cue.strong, cue.old) == (kind, True, None)


@pytest.mark.parametrize("text", WEAK)
def test_words_with_other_uses_are_weak(text):
    """They need a closer match, or "actually" would hide true facts."""
    cue = change_cue(text)
    assert cue is not None
    assert not cue.strong


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_talk_has_no_cue(text):
    """Otherwise talk replaces facts."""
    assert change_cue(text) is None


@given(st.text(max_size=300))
def test_spans_lie_in_the_text(text):
    """Property: whatever is said, the spans can be cut out."""
    cue = change_cue(text)
    if cue is not None:
        assert 0 <= cue.start < cue.end <= len(text)
        assert cue.old is None or 0 <= cue.old[0] < cue.old[1] <= len(text)


@pytest.mark.parametrize("text", ["i no longer smoke", "I NO LONGER SMOKE", "I don\u2019t smoke any more"])
def test_case_and_apostrophes_do_not_matter(text):
    """Phones write them in their own way."""
    cue = change_cue(text)
    assert cue is not None
    assert cue.kind == "ended"
