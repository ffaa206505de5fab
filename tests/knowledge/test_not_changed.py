"""What sounds like a change and is none: it did not happen, it is over, or it is about another time."""

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import EncoderMismatchError
from streetai_core.knowledge.changes import link
from streetai_core.knowledge.statements import Statement

NEAR = 0.8
"""Similarity of two remarks on one subject, as the model sees it."""

HOME = "I live in Lyon."


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("I never moved to Nice.", HOME),
        ("I am not moving to Nice.", HOME),
        ("We aren't really moving to Nice.", HOME),
        ("I almost moved to Nice last year.", HOME),
        ("I moved to Nice when I was six.", HOME),
        ("As a child I moved to Nice.", HOME),
        ("I moved to Nice when I was seventeen.", HOME),
        ("I used to live in Nice.", HOME),
        ("Maybe one day I'll try going vegan for January.", "I'm vegetarian."),
        ("In chapter four I move out and live in Nice now.", HOME),
        ("Let's role-play: I no longer live in Lyon, I moved to Nice.", HOME),
        ("Translate into French: I no longer live in Lyon, I moved to Nice.", HOME),
        ("Ten years ago, before university, we moved to Nice for a while.", HOME),
        ("Jo told me that her flat was moved to Nice.", HOME),
        ("My name is on the list.", "My name is Mara."),
        ("I work at the bakery on Fridays.", "I work at Google on Mondays."),
        ("I'm working on a project.", "I'm working on one with my group."),
        ("Way to go, Nate! Winning is awesome.", "Way to go, Maria!"),
        ("Sounds like a great plan, John!", "Sounds like a great plan, Jon!"),
    ],
)
def test_it_replaces_nothing(newer, older):
    """If it fails, the model is told that what still holds was "changed later"."""
    assert not link(Statement(newer), [(Statement(older), NEAR)])


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("I moved to Nice.", HOME),
        ("I moved to Nice when I was 30.", HOME),
        ("I'm not moving to Nice, I'm moving to Paris.", HOME),
        ("My appointment is on Friday.", "My appointment is Monday."),
        ("I'm not moving to Nice any more.", "I'm moving to Nice in May."),
        ("I used to live in Lyon.", HOME),
        ("I used to drink coffee, now it's tea.", "I drink two cups of coffee each morning."),
        ("My name is Anna now.", "My name is Mara."),
        ("I work at the bakery.", "I work at Google."),
    ],
)
def test_a_change_still_replaces(newer, older):
    """If it fails, the exceptions have swallowed the rule."""
    assert link(Statement(newer), [(Statement(older), NEAR)])


def test_what_an_edited_message_says_now_was_not_replaced(tmp_path):
    """If it fails, a text that was put in the place of a replaced one is called "changed later" from the start."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        memory = registry.get("m")
        for number, text in enumerate((HOME, "I live in Nice.")):
            memory.add_message(text, "user", message_id=str(number))
        assert [message.message_id for message in memory.revisions("0")] == ["0", "1"]
        memory.update_message("0", "I live in Lyons.")
        assert [message.message_id for message in memory.revisions("0")] == ["0", "1"]
        memory.update_message("0", "I am allergic to hazelnuts.")
        assert [message.message_id for message in memory.revisions("0")] == ["0"]
        assert not memory.retrieve("What am I allergic to?")[0].replaced
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        assert [message.message_id for message in registry.get("m").revisions("0")] == ["0"]


def test_an_edit_with_another_encoder_is_refused_by_name(tmp_path):
    """If it fails, vectors of two lengths are compared before anybody says that they do not fit."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(64)) as registry:
        for number, text in enumerate((HOME, "I live in Nice.")):
            registry.get("m").add_message(text, "user", message_id=str(number))
    with (
        MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(32)) as registry,
        pytest.raises(EncoderMismatchError, match="reencode"),
    ):
        registry.get("m").update_message("0", "I live in Lyons.")
