"""Corrections that do not name the matter again: of what was said shortly before."""

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import offline_available
from streetai_core.knowledge.referring import LATELY, corrected, refers_back
from streetai_core.knowledge.statements import Statement

pytestmark = pytest.mark.skipif(not offline_available(), reason="the extra `offline` is not installed: no real encoder")

WRONG = "Just reread the email. I was wrong, it's in Bath."
INTERVIEW = "The interview's in Bristol next week."


@pytest.mark.parametrize(
    ("older", "found"),
    [
        ("The interview's in Bristol next week.", True),
        ("My sister's interview is in Bristol.", True),
        ("Is the interview in Bristol?", False),
        ("The interview begins at nine.", False),
        ("We went to Bristol yesterday.", False),
        ("Cancelled Ironhouse, I go to the municipal hall now.", False),
    ],
)
def test_a_correction_is_of_what_has_such_a_value(older, found):
    """Who was wrong seldom names the matter again; what has no value of the kind cannot be meant."""
    newer = Statement("Just reread the email. I was wrong, it's in Bath.")
    assert bool(corrected(newer, [(Statement("I like the sea."), 0.6), (Statement(older), 0.3)])) is found


def test_a_value_that_is_said_to_be_wrong_was_told():
    """Of two of one kind the one that is named is meant, though the other is more alike."""
    candidates = [(Statement("Her tutor is Miss Grey."), 0.7), (Statement("Freddie's teacher is Miss Hollis."), 0.5)]
    assert corrected(Statement("It's not Hollis, it's Miss Collis."), candidates) == [(1, 0.5)]


def test_a_long_message_corrects_only_what_it_names():
    """It tells of several things, and nobody can say which of them was wrong."""
    told = " ".join(["The weather was lovely and we walked along the river with the dog."] * 3)
    newer = Statement(f"{told} I was wrong, it's in Bath.")
    assert not corrected(newer, [(Statement("The interview's in Bristol next week."), 0.3)])


def test_only_a_correction_with_a_value_refers_back():
    """Without a value nobody knows what is right."""
    assert refers_back(Statement(WRONG))
    assert not refers_back(Statement("I was wrong about that."))
    assert not refers_back(Statement("The interview is in Bath."))
    assert not refers_back(Statement(WRONG, role="assistant"))


@pytest.fixture
def memory(tmp_path, real_encoder):
    """A memory with nothing in it."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=real_encoder, durability="fast") as registry:
        yield registry.get("talk")


def replaced(memory):
    """How many links there are."""
    return len(memory.revisions("wrong")) - 1


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(("between", "links"), [(LATELY - 1, 1), (LATELY, 0)])
def test_it_refers_to_what_was_said_lately(memory, at_once, between, links):
    """What was said long ago is of something else, whatever it is like."""
    said = [NewMessage(content=INTERVIEW, role="user")]
    said += [NewMessage(content=f"I like the sea, part {number}.", role="user") for number in range(between)]
    said += [NewMessage(content=WRONG, role="user", message_id="wrong")]
    for some in [said] if at_once else [[one] for one in said]:
        memory.add_messages(some)
    assert replaced(memory) == links


@pytest.mark.parametrize("at_once", [True, False])
def test_it_refers_to_nothing_of_another_conversation(memory, at_once):
    """Nobody corrects in one chat what was said in another."""
    said = [
        NewMessage(content=INTERVIEW, role="user", conversation_id="monday"),
        NewMessage(content=WRONG, role="user", message_id="wrong", conversation_id="tuesday"),
    ]
    for some in [said] if at_once else [[one] for one in said]:
        memory.add_messages(some)
    assert replaced(memory) == 0


@pytest.mark.parametrize(("edited", "links"), [("The interview's in Cardiff next week.", 1), ("I like the sea.", 0)])
def test_an_edit_keeps_the_link_as_long_as_it_may_be_meant(memory, edited, links):
    """What no longer tells such a value is not outdated."""
    memory.add_message(INTERVIEW, role="user", message_id="old")
    memory.add_message(WRONG, role="user", message_id="wrong")
    assert replaced(memory) == 1
    memory.update_message("old", edited)
    assert replaced(memory) == links
