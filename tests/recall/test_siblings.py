"""What is told of another thing of the kind stands above nothing that was told of the one that is asked for."""

from datetime import datetime, timezone

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import offline_available

pytestmark = pytest.mark.skipif(not offline_available(), reason="the extra `offline` is not installed: no real encoder")


@pytest.fixture
def memory(tmp_path, real_encoder):
    """One that knows nothing."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=real_encoder, durability="fast") as opened:
        yield opened.get("talk")


def first(memory, told, question, **when):
    """What is recalled first, of messages with their months."""
    memory.add_messages(
        [
            NewMessage(content=text, role="user", created_at=datetime(2026, month, 3, 10, tzinfo=timezone.utc))
            for text, month in told
        ]
    )
    return memory.retrieve(question, limit=50, **when)[0].signal.content


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        ("The maths exam is on Monday.", "The physics exam moved to Thursday.", "When is the maths exam?"),
        ("The key to the cellar is outside.", "The key to the attic is in here now.", "Where's the key to the cellar?"),
        ("Lunch with Paul is on Tuesday.", "Lunch with Sara moved to Friday.", "When is lunch with Paul?"),
        ("Bus 14 leaves from the pharmacy.", "Bus 22 now leaves from the station.", "Where does bus 14 leave from?"),
        ("My Spotify password is lark19.", "I changed my Netflix password to robin42.", "What is my Spotify password?"),
    ],
)  # fmt: skip
def test_what_says_that_it_is_of_another_thing_is_no_news_of_this_one(memory, older, newer, question):
    """Otherwise the wrong day, code or place comes first."""
    assert first(memory, [(older, 1), (newer, 2)], question) == older
    assert memory.revisions(memory.retrieve(question)[0].signal.parent_turn_id)[-1].content == older


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        ("The maths exam is on Monday.", "The exam moved to Thursday.", "When is the maths exam?"),
        ("The maths exam is on Monday.", "The maths exam moved to Thursday.", "When is the maths exam?"),
        ("My Netflix password is lark19.", "I changed the one for Netflix to robin42.", "My Netflix password?"),
        ("The meeting is in the blue room.", "The meeting moved to the red room.", "Is it in the blue room?"),
    ],
)  # fmt: skip
def test_what_does_not_say_so_is(memory, older, newer, question):
    """There may be one exam only, and who asks whether something is so names what may have changed."""
    assert first(memory, [(older, 1), (newer, 2)], question) == newer


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Where do I live?", "We moved to Nice yesterday."),
        ("Where did I live in January?", "I live in Lyon."),
        ("Where did I live before Nice?", "I live in Lyon."),
        ("Where did I use to live?", "I live in Lyon."),
        ("What did I say in June about where I live?", "We moved to Nice yesterday."),
        ("As of January 2026, where do I live?", "We moved to Nice yesterday."),
    ],
)
def test_what_was_so_stands_first_where_that_is_asked_for(memory, question, wanted):
    """By a time that it names, or by a word of the past."""
    told = [("I live in Lyon.", 1), ("We moved to Nice yesterday.", 6)]
    assert first(memory, told, question, asked_at=datetime(2026, 9, 10, tzinfo=timezone.utc)) == wanted


def test_a_question_that_says_which_is_meant_knows_better_than_a_link(memory):
    """When it was written, nothing told that the doctor spoke of another one."""
    told = [("My morning pill is 50 milligrams.", 1), ("My doctor lowered the evening pill to 25 milligrams.", 2)]
    assert first(memory, told, "How strong is my morning pill?") == told[0][0]
    assert memory.retrieve("How strong is my morning pill?")[0].replaced


def test_what_was_told_wrongly_was_not_so_in_any_month(memory):
    """Who asks for January wants what was right then, told whenever."""
    told = [("My rent is 900 euros.", 1), ("Correction, my rent is 990 euros.", 3)]
    at = datetime(2026, 9, 10, tzinfo=timezone.utc)
    assert first(memory, told, "What was my rent in January?", asked_at=at) == told[1][0]


def test_the_last_of_many_states_stands_just_above_all_before_it(memory):
    """However long the chain: what has changed often is not more important than anything else."""
    told = [("My weight is 80 kg.", 1), *((f"My weight is now {number} kg.", 2) for number in range(81, 101))]
    assert first(memory, told, "What is my weight?") == "My weight is now 100 kg."
    newest, *others = memory.retrieve("What is my weight?", limit=50)
    assert newest.score - others[0].score < 0.05
    assert first(memory, [("My cat is called Minka.", 3)], "What is my cat called?") == "My cat is called Minka."


def test_what_says_of_something_else_that_it_is_over_replaces_nothing(memory):
    """Who sold the car has the bike still."""
    told = [("My bike is a red Trek.", 1), ("I sold the car and bought a Volvo.", 2)]
    first(memory, told, "What is my bike?")
    hits = memory.retrieve("What is my bike?")
    assert told[0][0] in [hit.signal.content for hit in hits]
    assert all(len(memory.revisions(hit.signal.parent_turn_id)) == 1 for hit in hits)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "On Saturdays we close the shop at 18:00.",
            "Sorry, I meant 16:00 for closing on Saturday, I was thinking of May.",
        ),
        ("Mum still lives alone in the farmhouse.", "A miracle, Mum has moved from the farmhouse to Elm Court."),
    ],
)
def test_each_main_clause_may_tell_of_a_change(memory, older, newer):
    """What stands before or behind it says something else."""
    first(memory, [(older, 1), (newer, 2)], older)
    assert [one.content for one in memory.revisions(memory.retrieve(older)[0].signal.parent_turn_id)] == [older, newer]


def test_of_many_states_the_first_stands_above_all_where_it_is_asked_for(memory):
    """In between nothing is lifted."""
    told = [("My weight is 80 kg.", 1), *((f"My weight is now {number} kg.", 2) for number in range(81, 85))]
    assert first(memory, told, "What was my weight at first?") == told[0][0]


def test_an_edit_takes_away_what_was_news_of_the_older_text(memory):
    """What says that 200 is over has nothing to do with a cat."""
    older = memory.add_message("The tent deposit is 200 euros.", role="user")[0]
    memory.add_message("My sister plays the cello.", role="user")
    memory.add_message("No more 200, it's 230.", role="user")
    assert memory.retrieve("What is the tent deposit?")[0].parts["change"] > 0
    memory.update_message(older.parent_turn_id, "The tent deposit is 200 euros, in cash.")
    assert memory.retrieve("What is the tent deposit?")[0].parts["change"] > 0
    memory.update_message(older.parent_turn_id, "My cat is called Minka.")
    hits = memory.retrieve("What is my cat called?", limit=50)
    assert hits[0].signal.content == "My cat is called Minka."
    assert all(hit.parts["change"] == 0 for hit in hits)
