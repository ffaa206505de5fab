"""What goes on with what was said just before stands above what that brings up to date."""

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import offline_available

pytestmark = pytest.mark.skipif(not offline_available(), reason="the extra `offline` is not installed: no real encoder")

OLDER = "Choir recital is on 12 December at St Aldhelm's."
LEAD = "Our conductor's just emailed everyone about the recital."
ASKED = "Something wrong?"
NEWER = "So it's on the 19th now, the heating is kaput."


@pytest.fixture
def memory(tmp_path, real_encoder):
    """One that a test tells something."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=real_encoder, durability="fast") as registry:
        yield registry.get("choir")


def first_of(memory, question):
    """Which of the two stands first."""
    hits = memory.retrieve(question, limit=50)
    return next(hit.signal.parent_turn_id for hit in hits if hit.signal.parent_turn_id in {"old", "new"})


def tell(memory, *between, newer=NEWER):
    """The older message, others as (text, role, conversation), and the newer one."""
    memory.add_message(OLDER, "user", message_id="old", conversation_id="c")
    memory.add_message("Lunch was good.", "user", conversation_id="c")
    for text, role, conversation in between:
        memory.add_message(text, role, conversation_id=conversation)
    memory.add_message(newer, "user", message_id="new", conversation_id="c")


@pytest.mark.parametrize(
    ("between", "newer", "first"),
    [
        ([(LEAD, "user", "c"), (ASKED, "assistant", "c")], NEWER, "new"),
        # Nobody asks in between, and the lead is not as near as what it goes on from.
        ([(LEAD, "user", "c"), ("Oh dear.", "assistant", "c")], NEWER, "old"),
        ([("Our cook's just emailed everyone.", "user", "c"), (ASKED, "assistant", "c")], NEWER, "old"),
        # What was said in another talk leads to nothing here.
        ([(LEAD, "user", "d"), (ASKED, "assistant", "d")], NEWER, "old"),
        # A value of that kind is what may have changed.
        ([(LEAD, "user", "c"), (ASKED, "assistant", "c")], "So it's cancelled now, the heating is kaput.", "old"),
    ],
)
def test_what_somebody_is_asked_for_goes_on_with_what_led_to_it(memory, between, newer, first):
    """It names nothing of what it is about."""
    tell(memory, *between, newer=newer)
    assert first_of(memory, "When is the recital?") == first


def test_who_asks_himself_is_asked_by_nobody(memory):
    """Questions of one's own are seldom answered by oneself."""
    tell(memory, (LEAD, "user", "c"), (ASKED, "user", "c"))
    assert first_of(memory, "When is the recital?") == "old"


def test_of_an_older_value_of_no_kind_any_answer_is_news(memory):
    """What no rule knows as a value is told of what is asked all the same."""
    memory.add_message("The raised bed is going to be courgettes.", "user", message_id="old")
    memory.add_message("Slugs got all the seedlings in the bed.", "user")
    memory.add_message("Is there still time for something else?", "assistant")
    memory.add_message("chucked in dwarf beans now and that's that", "user", message_id="new")
    assert first_of(memory, "What am I planting in the raised bed?") == "new"


def test_what_an_assistant_is_told_is_news_only_if_it_says_so(memory):
    """It asks all the time, and its user goes on to tell of other things."""
    memory.add_message("Hi, I'm Nora and I run a small bakery in Leeds.", "user", message_id="old")
    memory.add_message("Nice to meet you, Nora! How can I help with the bakery?", "assistant")
    memory.add_message("My oven is a Rofco B40, bought in 2021.", "user", message_id="new")
    assert first_of(memory, "Where is my bakery?") == "old"


def test_where_nobody_asks_it_must_be_a_little_like_the_older_one(memory):
    """Who goes on to something else answers nothing."""
    tell(memory, ("When is the recital, says my aunt, when is it.", "user", "c"), newer="Now lunch costs 19 euros.")
    assert first_of(memory, "When is the recital?") == "old"


@pytest.mark.parametrize(("speaker", "first"), [("Ben", "old"), ("Nora", "new")])
def test_who_goes_on_brings_news_of_his_own_words(memory, speaker, first):
    """Another one's recital is on another day."""
    for text, name, place in [
        (OLDER, "Nora", "old"),
        ("Lunch was good.", "Ida", None),
        (LEAD, speaker, None),
        (ASKED, "Ida", None),
        (NEWER, speaker, "new"),
    ]:
        memory.add_message(text, "user", name=name, message_id=place)
    assert first_of(memory, "When is the recital?") == first


def test_what_has_nothing_to_do_with_the_question_leads_to_nothing(memory):
    """Where all that was said is far from it, chance would decide."""
    for text, role, place in [
        ("I'm at the harbour from 6:30 to 14:30.", "user", "old"),
        ("The sun was out all day.", "user", None),
        ("Is anybody there to help?", "assistant", None),
        ("Not any more, I tore my meniscus at 7.", "user", "new"),
    ]:
        memory.add_message(text, role, message_id=place)
    hits = memory.retrieve("Where does Mara work, and when?", limit=50)
    assert hits
    assert all(hit.parts["change"] == 0.0 for hit in hits)
