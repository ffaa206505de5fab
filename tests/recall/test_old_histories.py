"""An old history that is stored in a memory in use stays old: it replaces nothing, is no news, and stands first."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import permutations

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import offline_available
from streetai_core.transfer import import_file
from tests.knowledge.cases import of_kind, recalled, stands_above

pytestmark = pytest.mark.skipif(not offline_available(), reason="the extra `offline` is not installed: no real encoder")

NOW = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)
LONG_AGO = datetime(2023, 5, 4, 12, tzinfo=timezone.utc)
OTHER = ("The ferry was late again.", "I painted the hull today.", "My sister came for lunch.", "It rained all week.")


def said(text, at, number, conversation="chat"):
    """What the user said."""
    return NewMessage(
        content=text, role="user", created_at=at, message_id=f"{conversation}-{number}", conversation_id=conversation
    )


def talk(fact, at, conversation="chat"):
    """Some messages, one of which tells a fact."""
    return [said(text, at, number, conversation) for number, text in enumerate((*OTHER[:2], fact, *OTHER[2:]))]


@pytest.fixture
def registry(tmp_path, real_encoder):
    """An empty database."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=real_encoder) as opened:
        yield opened


def stored(registry, way):
    """A memory that knew the newer fact first and was given the older one then."""
    memory = registry.get("mara")
    newer, older = talk("I live in Nice now.", NOW), talk("I live in Lyon.", LONG_AGO, "old")
    if way == "at once":
        memory.add_messages([*newer, *older])
    else:
        memory.add_messages(newer)
        memory.add_messages(older)
    return memory


@pytest.mark.parametrize("way", ["at once", "one after the other"])
@pytest.mark.parametrize("question", ["Where do I live now?", "What is the latest: where do I live?"])
def test_what_was_said_long_ago_replaces_nothing_newer(registry, way, question):
    """It came later, and would stand above what holds."""
    hits = stored(registry, way).retrieve(question)
    found = {hit.signal.content: (place, hit.replaced) for place, hit in enumerate(hits)}
    place, replaced = found["I live in Nice now."]
    assert not replaced
    assert place < found["I live in Lyon."][0]


def test_the_latest_is_what_was_said_last_by_its_time(registry):
    """Newness counts from the oldest to the newest, whichever came first."""
    hits = stored(registry, "one after the other").retrieve("Where do I live at the moment?")
    time = {hit.signal.content: hit.parts.get("time", 0.0) for hit in hits}
    assert time["I live in Nice now."] > time["I live in Lyon."]


def test_a_prompt_quotes_in_the_order_in_which_it_was_said(registry):
    """A model takes what stands below for newer."""
    prompt = stored(registry, "one after the other").build_prompt(
        "Where do I live?", conversation_id="new", token_budget=400
    )
    text = prompt.recalled_text
    assert 0 < text.index("2023-05-04") < text.index("I live in Lyon.") < text.index("2026-03-02")
    assert text.index("2026-03-02") < text.index("I live in Nice now.")


def test_a_file_of_old_messages_is_old_too(registry, tmp_path):
    """By the import, as most old histories come."""
    memory = registry.get("mara")
    memory.add_messages(talk("I live in Nice now.", NOW))
    path = tmp_path / "old.jsonl"
    path.write_text('{"role": "user", "content": "I live in Lyon now.", "created_at": "2023-05-04T12:00:00Z"}\n')
    import_file(registry, path, memory_id="mara")
    hits = {hit.signal.content: hit.replaced for hit in memory.retrieve("Where do I live now?")}
    assert hits["I live in Nice now."] is False


@pytest.mark.parametrize("days", [0, 1])
def test_a_change_that_is_told_in_a_zone_further_west_counts(registry, days):
    """There it may be the day before."""
    memory = registry.get("mara")
    at = NOW.replace(day=5)
    memory.add_messages(talk("I live in Nice.", at))
    memory.add_messages(talk("I live in Lyon now.", at.replace(day=5 - days), "west"))
    hits = {hit.signal.content: hit.replaced for hit in memory.retrieve("Where do I live now?")}
    assert hits == hits | {"I live in Nice.": True, "I live in Lyon now.": False}


CHANGED = [
    pytest.param("I live in Lyon.", "I moved to Nice last month.", "Where do I live?", id="moved"),
    pytest.param("My boss is called Helen.", "Helen left, my new boss is Raj.", "Who is my boss?", id="somebody new"),
    pytest.param("I drive a Skoda.", "Sold the Skoda, I drive a Kia now.", "Which car do I drive?", id="sold"),
    pytest.param("My PIN is 4411.", "I changed my PIN, it's 9027 now.", "PIN?", id="a number"),
    pytest.param("The dentist is on 3 May.", "The dentist moved it to 7 May.", "When is the dentist?", id="a date"),
]


@pytest.mark.parametrize("way", ["in order", "at once", "one after the other"])
@pytest.mark.parametrize(("older", "newer", "question"), CHANGED)
def test_what_was_said_since_stands_for_what_is_stored_late(registry, older, newer, question, way):
    """As if it had come first: it is above, and the older one is known to be replaced, however it is asked for."""
    memory = registry.get("mara")
    new, old = talk(newer, NOW), talk(older, LONG_AGO, "old")
    for some in {"in order": (old, new), "at once": ([*new, *old],), "one after the other": (new, old)}[way]:
        memory.add_messages(some)
    found = {hit.signal.content: (place, hit.replaced) for place, hit in enumerate(memory.retrieve(question))}
    assert found[newer][0] < found[older][0]
    assert (found[newer][1], found[older][1]) == (False, True)


@pytest.mark.parametrize("way", ["at once", "one after the other"])
def test_nobody_outdoes_what_is_trusted_more_and_stored_late(registry, way):
    """As nobody does in the order in which it was said."""
    memory = registry.get("mara")
    new = replace(said("I moved to Nice.", NOW, 0), trust=0.6)
    old = replace(said("I live in Lyon.", LONG_AGO, 1), trust=1.0)
    for some in [[new, old]] if way == "at once" else [[new], [old]]:
        memory.add_messages(some)
    hits = {hit.signal.content: hit.replaced for hit in memory.retrieve("Where do I live?")}
    assert hits["I live in Lyon."] is False


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_of_three_the_newest_stands_first_in_whatever_order_they_came(registry, order):
    """Each replaces the one before it, and the last one both."""
    texts = ["I live in Lyon.", "I moved to Nice.", "I've moved to Ghent."]
    times = [LONG_AGO, LONG_AGO.replace(year=2024), NOW]
    memory = registry.get("mara")
    for number in order:
        memory.add_messages(talk(texts[number], times[number], f"chat {number}"))
    hits = {hit.signal.content: (place, hit.replaced) for place, hit in enumerate(memory.retrieve("Where do I live?"))}
    assert [hits[text][1] for text in texts] == [True, True, False]
    assert min(texts, key=lambda text: hits[text][0]) == texts[2]
    one = memory.retrieve("Where do I live?")[0].signal.parent_turn_id
    assert [message.content for message in memory.revisions(one)] == texts


def test_who_corrects_himself_means_nothing_that_comes_years_later(registry):
    """An old message that is stored late is not what was said last."""
    memory = registry.get("mara")
    memory.add_messages([said("The boat has 12 berths.", NOW, 0), said("Sorry, I meant 14.", NOW, 1)])
    memory.add_messages([said("The house has 9 rooms.", LONG_AGO, 2)])
    replaced = {hit.signal.content: hit.replaced for hit in memory.retrieve("How many rooms has the house?")}
    assert replaced["The house has 9 rooms."] is False


def test_a_turn_with_an_old_time_is_learned_from_as_any_other(registry):
    """What it changes of messages before it is none of what was said in it."""
    learned = []
    for name in ("in one", "after each other"):
        memory = registry.get(name)
        memory.add_messages(talk("I moved to Nice, by the ferry that sails to Corsica.", NOW))
        hits = memory.retrieve("Where do I live?")
        asked = said("I live in Lyon.", LONG_AGO, 7)
        reply = NewMessage(content="In Nice. The ferry sails at ten.", role="assistant", created_at=LONG_AGO)
        if name == "in one":
            updates = memory.record_turn("turn", [asked, reply], retrieved=hits, reply=reply.content)
        else:
            memory.add_messages([asked, reply])
            updates = memory.post_process(hits, reply.content, question=asked.content)
        learned.append([update["contribution"] for update in updates])
        assert {hit.signal.content: hit.replaced for hit in memory.retrieve("Where do I live?")}["I live in Lyon."]
    assert learned[0] == learned[1]


def answered(memory, case, order):
    """Whether the current value of a case is above the old ones, told in an order, every message with its own time."""
    told = [
        NewMessage(
            content=one["text"],
            role=one["role"],
            name=one["author"],
            message_id=str(place),
            created_at=LONG_AGO + timedelta(days=20 * place),
        )
        for place, one in enumerate(case["messages"])
    ]
    memory.add_messages(told[::order])
    return stands_above(case, recalled(memory, case))


@pytest.mark.parametrize(("file", "kind"), [("changed_facts.jsonl", ""), ("changed_facts_as_typed.jsonl", "clear")])
def test_written_changes_are_found_whichever_way_round_they_come(registry, file, kind):
    """The last message first: what stands first in the order in which it was said does so then."""
    cases = of_kind(file, kind)[::6]
    registry.encoder.encode([said["text"] for case in cases for said in case["messages"]])
    wrong = [case for case in cases if not answered(registry.get(f"back {case['id']}"), case, -1)]
    assert len(cases) >= 30
    assert [case["id"] for case in wrong if answered(registry.get(f"forth {case['id']}"), case, 1)] == []
