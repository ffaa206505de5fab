"""What is told in passing stands above what it brings up to date, where a question asks for what is so."""

import sqlite3
import tracemalloc
from contextlib import closing

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import offline_available
from streetai_core.recall import news
from streetai_core.recall.news import NEWS, SPOKEN_OF

pytestmark = pytest.mark.skipif(not offline_available(), reason="the extra `offline` is not installed: no real encoder")

OLDER = "Camping at Les Ormes"
NEWER = "site got flooded so we ended up at La Touesse, right behind the dunes"
ASKED = "Where are we camping?"


@pytest.fixture
def registry(tmp_path, real_encoder):
    """Memories that a test fills."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=real_encoder, durability="fast") as opened:
        yield opened


def first_of(memory, question):
    """Which of the two stands first, and its parts."""
    hits = memory.retrieve(question, limit=50)
    return next((hit.signal.parent_turn_id, hit.parts) for hit in hits if hit.signal.parent_turn_id in {"old", "new"})


def tell(memory, *, older=OLDER, newer=NEWER, name=None):
    """Two messages, with others between them."""
    memory.add_message(older, "user", message_id="old", name=name)
    memory.add_message("The lift is broken again.", "user", name=name)
    memory.add_message(newer, "user", message_id="new", name=name)


def test_a_message_that_tells_of_a_change_stands_above_an_older_one(registry):
    """No rule knows what replaces what here: no value is of a kind."""
    memory = registry.get("trip")
    tell(memory)
    assert len(memory.revisions("new")) == 1
    found, parts = first_of(memory, ASKED)
    assert found == "new"
    assert 0.0 < parts["change"] <= NEWS


@pytest.mark.parametrize(
    "question",
    ["Where did we camp at first?", "Where were we camping?", "Where did we use to camp?"],
)
def test_what_was_is_not_brought_up_to_date(registry, question):
    """Who asks for the past wants the older one."""
    memory = registry.get("trip")
    tell(memory)
    _, parts = first_of(memory, question)
    assert parts["change"] == 0.0


WITHOUT_A_WORD_OF_CHANGE = "We're camping at La Touesse, right behind the dunes"


def test_a_message_without_a_word_of_change_does_if_it_is_nearer(registry):
    """What is told again is told since it is otherwise."""
    memory = registry.get("trip")
    tell(memory, older="We're camping at Les Ormes, right behind the mill", newer=WITHOUT_A_WORD_OF_CHANGE)
    memory.add_message("Rain all day.", "user")
    found, parts = first_of(memory, "Are we camping near the mill?")
    assert found == "new"
    assert parts["change"] > 0.0


@pytest.mark.parametrize(("newer", "lifted"), [(NEWER, True), (WITHOUT_A_WORD_OF_CHANGE, False)])
def test_of_somebody_who_is_named_only_a_word_of_change_tells(registry, newer, lifted):
    """Who asks in talk of several what one of them does asks for all that was told of it."""
    memory = registry.get("talk")
    tell(memory, newer=newer, name="Nora")
    hits = memory.retrieve("Where is Nora camping? At les ormes?", limit=50)
    assert any(hit.parts["change"] > 0.0 for hit in hits) is lifted


def test_of_somebody_who_is_named_nobody_else_tells(registry):
    """What Ben changes is his."""
    memory = registry.get("talk")
    memory.add_message(OLDER, "user", name="Nora")
    memory.add_message("Camping Le Lac", "user", name="Ben")
    memory.add_message(NEWER, "user", name="Ben")
    hits = memory.retrieve("Where is Nora camping? At Le Lac?", limit=50)
    assert NEWER in [hit.signal.content for hit in hits]
    assert all(hit.parts["change"] == 0.0 for hit in hits)


@pytest.mark.parametrize(
    "newer",
    [
        "site got flooded so we pitched at La Touesse, right behind the dunes",
        "Have we ended up at La Touesse, right behind the dunes?",
        "are campers all gone to La Touesse now, right behind the dunes",
        "site got flooded so we almost moved to La Touesse, right behind the dunes",
        "for once we ended up at La Touesse, right behind the dunes",
        "we also ended up at La Touesse, right behind the dunes",
    ],
)
def test_other_messages_are_lifted_by_nothing(registry, newer):
    """What is a little like it and tells of no change, what asks, what did not come about, and what is beside it."""
    memory = registry.get("trip")
    tell(memory, newer=newer)
    hits = memory.retrieve(ASKED, limit=50)
    assert OLDER in [hit.signal.content for hit in hits]
    assert all(hit.parts["change"] == 0.0 for hit in hits)


@pytest.mark.parametrize(
    ("newer", "question", "lifted"),
    [
        ("Boat 32 lies at berth 11 now.", "Where does boat 31 lie?", False),
        ("Boat 31 lies at berth 11 now.", "Where does boat 31 lie?", True),
        ("She lies at berth 11 now.", "Does boat 31 still lie at berth 7?", True),
    ],
)
def test_what_is_told_of_another_thing_is_no_news_of_the_one_that_is_asked_for(registry, newer, question, lifted):
    """The numbers of boats are nearly all that tells them apart. Whether asks for what may have changed."""
    memory = registry.get("port")
    tell(memory, older="Boat 31 lies at berth 7.", newer=newer)
    memory.add_message("Boat 31 is painted blue, and boat 31 lies well.", "user")
    hits = {hit.signal.parent_turn_id: hit for hit in memory.retrieve(question, limit=50)}
    assert ("new" in hits and hits["new"].score > hits["old"].score) is lifted


BIRTHDAY = ("We're ten for my birthday dinner.", "The Lefevres are ill, so it's not ten but six of us at the table.")
TEA = ("My tea needs 200 degrees, as always.", "after the pale one yesterday: no more 200, it's 230 from now on")


@pytest.mark.parametrize(
    ("older", "newer", "question", "between"),
    [
        pytest.param(*TEA, "How hot must the water for my tea be?", "Tea is dear.", id="of a value"),
        pytest.param(
            *BIRTHDAY, "How many are we for my birthday dinner?", "Birthday dinners are fun.", id="of a number word"
        ),
    ],
)
def test_what_says_that_a_value_is_over_is_found_wherever_it_stands(registry, older, newer, question, between):
    """It may be like nothing that is asked, and far behind all that is."""
    memory = registry.get("kitchen")
    memory.add_message(older, "user", message_id="old")
    memory.add_messages([NewMessage(content=f"{between} Really, {n}.", role="user") for n in range(300, 360)])
    memory.add_message(newer, "user", message_id="new")
    found, parts = first_of(memory, question)
    assert found == "new"
    assert 0.0 < parts["change"] <= SPOKEN_OF


@pytest.mark.parametrize(
    ("newer", "first"),
    [
        ("Ana isn't in the attic any more, she has the room behind", "new"),
        ("Nobody is in the attic any more, take the room behind", "old"),
        ("Nobody has the attic with a stove any more, take the room behind", "new"),
    ],
)
def test_of_somebody_who_is_named_others_may_tell(registry, newer, first):
    """Who tells of somebody else names that one, or says more than a word of what that one told."""
    memory = registry.get("cottage")
    memory.add_message("I take the attic with the stove, as always", "user", name="Ana", message_id="old")
    memory.add_message("The lift is broken again.", "user", name="Ben")
    memory.add_message(newer, "user", name="Ben", message_id="new")
    assert first_of(memory, "Where does Ana sleep at the cottage, in the attic?")[0] == first


@pytest.mark.parametrize(
    ("newer", "question", "first"),
    [
        ("I've seen the deed: not 1952 but 1957, I was wrong", "When did grandpa buy the farm?", "new"),
        ("I've seen the deed: not 1952 but 1957, I was wrong", "When did grandpa buy his first farm?", "new"),
        ("No more 1952 for us, we drink the 1957 now", "When did grandpa buy the farm?", "old"),
    ],
)
def test_what_was_told_wrongly_was_never_so(registry, newer, question, first):
    """A change leaves the past alone, a correction does not."""
    memory = registry.get("chronicle")
    tell(memory, older="Grandpa bought the farm in 1952", newer=newer)
    assert first_of(memory, question)[0] == first


@pytest.mark.parametrize("question", ["Seats for the ferry?", "How many seats are there on the ferry?"])
def test_what_names_a_value_beside_another_stands_above_it(registry, question):
    """It says of nothing that it is over, and tells what was done once; a question without a verb asks for what is."""
    memory = registry.get("ferry")
    tell(memory, older="The ferry has 12 seats", newer="At last, for the ferry we got 16 seats for the 12")
    assert first_of(memory, question)[0] == "new"


def test_what_brings_news_of_a_statement_that_replaces_another_stands_above_both(registry):
    """Which is lifted itself, to where the first one stands."""
    memory = registry.get("puppy")
    told = [
        "Our puppy's name is Rufus, we've called him so",
        "He's not Rufus, he's Pickle",
        "The dog next door is Kevin",
    ]
    newest = "And Pickle is no more. Family vote: it is Moss"
    memory.add_messages([NewMessage(content=text, role="user", message_id=text) for text in [*told, newest]])
    assert len(memory.revisions(told[0])) == 2
    hits = memory.retrieve("What's our puppy's name?", limit=50)
    order = [hit.signal.parent_turn_id for hit in hits]
    assert order.index(newest) < order.index(told[1]) < order.index(told[0])


def test_what_replaces_a_statement_that_brings_news_stands_above_that(registry):
    """Which news lifts to where it would stand above what replaces it."""
    memory = registry.get("cabin")
    told = [
        "The cabin's wifi password is heron21.",
        "The bike shed's code is 4471.",
        "Oops, I gave you last year's, the wifi password is heron35.",
        "It still says no.",
    ]
    newest = "Sorry, read the wrong line, I meant heron53."
    memory.add_messages([NewMessage(content=text, role="user", message_id=text) for text in [*told, newest]])
    hits = memory.retrieve("What's the wifi password at the cabin?", limit=50)
    assert hits[0].signal.parent_turn_id == newest
    assert {hit.signal.parent_turn_id for hit in hits if hit.parts["change"]} == {told[2], newest}


@pytest.mark.parametrize(
    ("question", "first"), [("Do I live near the harbour?", "new"), ("Did I live near the harbour at first?", "old")]
)
def test_a_change_that_is_linked_leaves_the_past_alone(registry, question, first):
    """Only a correction does not."""
    memory = registry.get("home")
    tell(memory, older="I live in Nice, near the harbour", newer="I no longer live in Nice, I moved to Bergen")
    assert len(memory.revisions("new")) == 2
    assert first_of(memory, question)[0] == first


@pytest.mark.parametrize(("question", "lifted"), [(ASKED, True), ("Where am I camping?", False)])
def test_what_is_asked_of_nobody_anybody_may_tell(registry, question, lifted):
    """Where all of them camp is news from any of them; where each does, from that one."""
    memory = registry.get("talk")
    memory.add_message(OLDER, "user", name="Nora")
    memory.add_message("The lift is broken again.", "user", name="Ben")
    memory.add_message(NEWER, "user", name="Ben")
    assert any(hit.parts["change"] > 0.0 for hit in memory.retrieve(question, limit=50)) is lifted


@pytest.mark.parametrize(
    ("newer", "first"),
    [
        ("pencil out again: bela's at 1.39 m! all trousers are shorts", "new"),
        ("pencil out again: bela's grown a lot! all trousers are shorts", "old"),
        ("pencil out again: ida's at 1.39 m! all trousers are shorts", "old"),
    ],
)
def test_what_has_a_word_of_the_question_and_a_value_of_that_kind_is_news(registry, newer, first):
    """It need not be much like what it brings up to date."""
    memory = registry.get("home")
    tell(memory, older="door frame: bela 1.32 m for now", newer=newer)
    assert first_of(memory, "how tall is bela?")[0] == first


def test_a_value_beside_another_has_a_weight_of_its_own(registry, monkeypatch):
    """It is a weaker sign than a word that says that something is over."""
    monkeypatch.setattr(news, "BESIDE", 0.0)
    memory = registry.get("ferry")
    tell(memory, older="The ferry has 12 seats", newer="At last, for the ferry we got 16 seats for the 12")
    assert first_of(memory, "Seats for the ferry?")[0] == "old"


def test_what_lacks_a_number_that_is_wanted_brings_no_news(registry):
    """What is told of crew member 7 is none of member 1, whose locker has that number."""
    memory = registry.get("lockers")
    tell(memory, older="locker 7 belongs to crew member number 1", newer="locker 49 belongs to crew member number 7")
    assert first_of(memory, "locker 7 belongs to crew member number 1")[0] == "old"


NAMES_IT = "They've killed Lark. I've been put on the warehouse scanner."


@pytest.mark.parametrize(
    ("question", "newer", "first"),
    [
        ("What am I working on?", NAMES_IT, "new"),
        ("What did I work on at first?", NAMES_IT, "old"),
        ("What am I working on?", "I've been put on the warehouse scanner.", "old"),
        ("What is Project Lark?", "They've put me on the warehouse scanner, no birds there.", "old"),
    ],
)
def test_what_names_what_is_over_stands_above_it(registry, question, newer, first):
    """Who says what has become of a thing names it, and what is there instead is like nothing that was said."""
    memory = registry.get("office")
    tell(memory, older="At the office I'm working on Project Lark, the loyalty app.", newer=newer)
    assert first_of(memory, question)[0] == first


TEST = "Driving test is on 5 June, 11:20, at the Lowfield centre"
SLOT = "examiners are on strike, got a new slot and it's 1 July, 9:40. at least more time for roundabouts"
WHEN = "When is my driving test?"


@pytest.mark.parametrize(
    ("newer", "reply", "first"),
    [
        (SLOT, "I've moved everything, including the practice reminders.", "new"),
        (SLOT, "Shall I move everything, including the practice reminders?", "old"),
        (f"Whoops. {SLOT}", "Good luck with the roundabouts.", "new"),
        ("examiners are on strike, and nobody knows for how long", "I've moved everything.", "old"),
        ("got a new bike and it's from 1 July, at last no more bus", "I've moved everything.", "old"),
    ],
)
def test_what_is_said_to_have_changed_stands_above_a_value_of_its_kind(registry, newer, reply, first):
    """By who tells of it, or by the assistant that answers: it may be less like it than other news."""
    memory = registry.get("lessons")
    memory.add_message(TEST, "user", message_id="old")
    memory.add_message("Good luck! I'll add practice reminders.", "assistant")
    memory.add_message(newer, "user", message_id="new")
    memory.add_message(reply, "assistant")
    assert first_of(memory, WHEN)[0] == first


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        pytest.param(TEST, "Whoops, driving test examiners are on strike", WHEN, id="tells no value of the kind"),
        pytest.param(
            "Inspection of boat 31 is on 5 June",
            "Oops! Inspection of boat 32: got a new slot and it's 1 July for her",
            "When is the inspection of Boat 31?",
            id="tells of another thing",
        ),
        pytest.param(TEST, f"Whoops. {SLOT}", "When was my driving test at first?", id="asks for what was"),
    ],
)
def test_what_is_said_to_have_changed_may_be_something_else(registry, older, newer, question):
    """It is lifted above nothing then."""
    memory = registry.get("lessons")
    tell(memory, older=older, newer=newer)
    assert first_of(memory, question)[0] == "old"
    assert all(hit.parts["change"] == 0.0 for hit in memory.retrieve(question, limit=50))


@pytest.mark.parametrize("question", [WHEN, "When is Nora's driving test?", "Is Nora's driving test at 11:20?"])
def test_what_others_say_to_have_changed_is_theirs(registry, question):
    """Where the question asks for the matter of one person."""
    memory = registry.get("talk")
    memory.add_message(TEST, "user", name="Nora", message_id="old")
    memory.add_message(f"Whoops. {SLOT}", "user", name="Ben", message_id="new")
    assert first_of(memory, question)[0] == "old"


def test_nobody_else_confirms_a_change(registry):
    """A document that says so may have been planted."""
    memory = registry.get("lessons")
    memory.add_message(TEST, "user", message_id="old")
    memory.add_message(SLOT, "user", message_id="new")
    memory.add_messages([NewMessage(content="I've moved everything.", role="assistant", source="document")])
    assert first_of(memory, WHEN)[0] == "old"


def test_what_others_say_lifts_nothing(registry):
    """An assistant knows only what it was told, and a document may have been planted."""
    memory = registry.get("trip")
    memory.add_message(OLDER, "user", message_id="old")
    memory.add_message(NEWER, role="assistant", message_id="new")
    memory.add_messages([NewMessage(content=f"{NEWER} Really.", role="user", source="document")])
    hits = memory.retrieve(ASKED, limit=50)
    assert OLDER in [hit.signal.content for hit in hits]
    assert all(hit.parts["change"] == 0.0 for hit in hits)


def test_what_is_trusted_less_is_lifted_above_nothing(registry):
    """Otherwise who gets a sentence in says where the camp is."""
    memory = registry.get("trip")
    memory.add_messages(
        [
            NewMessage(content=OLDER, role="user", message_id="old"),
            NewMessage(content=NEWER, role="user", message_id="new", trust=0.9),
        ]
    )
    found, parts = first_of(memory, ASKED)
    assert (found, parts["change"]) == ("old", 0.0)


def test_many_that_say_the_same_take_little_room(registry):
    """A bot says the same over and over: what compares each with each takes room and time that grow with the square."""
    memory, times = registry.get("bot"), 2_000
    memory.add_messages([NewMessage(content="The harbour is open to all boats.", role="user")] * times)
    memory.retrieve("Is it open?")
    tracemalloc.start()
    try:
        hits = memory.retrieve("Which boats is the harbour open to?")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(hits) == 1
    # One byte for each pair would be as many.
    assert most < times**2


def test_a_memory_that_lost_all_its_words_is_recalled_from_by_meaning(tmp_path, real_encoder):
    """If it fails, every question to a memory whose words a salvage could not read ends in an error of NumPy."""
    path = tmp_path / "lost.db"
    with MemoryRegistry(path, encoder=real_encoder, durability="fast") as registry:
        tell(registry.get("trip"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM words")
    with MemoryRegistry(path, encoder=real_encoder) as registry:
        assert OLDER == registry.get("trip").retrieve("Camping at Les Ormes?")[0].signal.content
