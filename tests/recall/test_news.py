"""What is told in passing stands above what it brings up to date, where a question asks for what is so."""

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import OfflineMiniLM, offline_available
from streetai_core.recall.correcting import NEWS
from tests.knowledge.cases import load

pytestmark = pytest.mark.skipif(not offline_available(), reason="the extra `offline` is not installed: no real encoder")

LEAST_RIGHT = {"typed": 0.47, "plain": 0.65}
"""49 and 67 in 100; without this part 41 and 59, and 30 and 47 where only forms of change are known. Who wrote the
cases knew none of the rules; half of each kind was looked at later."""
LEAST_UNDISTURBED = {"typed": 0.78, "plain": 0.9}
"""80 and 92 in 100 of conversations in which something only sounds like a change, as without this part."""

OLDER = "Camping at Les Ormes"
NEWER = "site got flooded so we ended up at La Touesse, right behind the dunes"
ASKED = "Where are we camping?"


@pytest.fixture
def registry(tmp_path):
    """Memories that a test fills."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=OfflineMiniLM(), durability="fast") as opened:
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


def test_somebody_who_is_named_may_have_said_both(registry):
    """In talk of several, what is asked of one of them is ranked as before."""
    memory = registry.get("talk")
    tell(memory, name="Nora")
    _, parts = first_of(memory, "Where is Nora camping?")
    assert parts["change"] == 0.0


@pytest.mark.parametrize(
    "newer",
    [
        "site got flooded so we pitched at La Touesse, right behind the dunes",
        "Have we ended up at La Touesse, right behind the dunes?",
    ],
)
def test_other_messages_are_lifted_by_nothing(registry, newer):
    """Neither what tells of no change, nor what asks."""
    memory = registry.get("trip")
    tell(memory, newer=newer)
    assert all(hit.parts["change"] == 0.0 for hit in memory.retrieve(ASKED, limit=50))


def test_what_others_say_lifts_nothing(registry):
    """An assistant knows only what it was told, and a document may have been planted."""
    memory = registry.get("trip")
    memory.add_message(OLDER, "user", message_id="old")
    memory.add_message(NEWER, role="assistant", message_id="new")
    memory.add_messages([NewMessage(content=f"{NEWER} Really.", role="user", source="document")])
    assert all(hit.parts["change"] == 0.0 for hit in memory.retrieve(ASKED, limit=50))


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


@pytest.mark.parametrize("kind", ["typed", "plain"])
def test_the_current_value_stands_above_the_old_one_however_it_is_told(registry, kind):
    """People say that something changed in more ways than any list has."""
    cases = [case for case in load("changed_facts_as_typed.jsonl") if case["id"].startswith(kind)]
    wrong = []
    for case in cases:
        memory = registry.get(case["id"])
        memory.add_messages(
            [
                NewMessage(content=one["text"], role=one["role"], message_id=str(place))
                for place, one in enumerate(case["messages"])
            ]
        )
        hits = memory.retrieve(case["question"], limit=50)
        order = list(dict.fromkeys(int(hit.signal.parent_turn_id) for hit in hits))
        above = order[: order.index(case["current"])] if case["current"] in order else order
        if case["current"] not in order or set(above) & set(case["old"]):
            wrong.append(case["id"])
    assert len(wrong) <= (1 - LEAST_RIGHT[kind]) * len(cases), wrong


@pytest.mark.parametrize("kind", ["typed", "plain"])
def test_what_still_holds_is_mostly_left_first(registry, kind):
    """Whoever made the cases tried to make them sound like changes; most talk does not."""
    cases = [case for case in load("unchanged_facts_as_typed.jsonl") if case["id"].startswith(kind)]
    disturbed = []
    for case in cases:
        memory = registry.get(f"{case['id']}-unchanged")
        memory.add_messages(
            [
                NewMessage(content=one["text"], role=one["role"], message_id=str(place))
                for place, one in enumerate(case["messages"])
            ]
        )
        first = next(iter(memory.retrieve(case["question"], limit=50)), None)
        if first is None or int(first.signal.parent_turn_id) != case["kept"][0]:
            disturbed.append(case["id"])
    assert len(disturbed) <= (1 - LEAST_UNDISTURBED[kind]) * len(cases), disturbed
