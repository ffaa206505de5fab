"""The timeline of a signal: boosts, demotions, refreshes, revivals and edits."""

import pytest

from streetai_core import Config, HistoryEntry, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.stores.reference import ReferenceStore

FACT = "My boat Kestrel lies at berth 31, near the fuel jetty."
NOISE = "For the party we need folding chairs and two gas heaters."
QUESTION = "Where does my boat lie?"


@pytest.fixture(params=["file", "ram"])
def memory(request, tmp_path):
    """A memory with a fact and some noise; a weight halves in two turns, and half a credit is too little."""
    store = ReferenceStore() if request.param == "ram" else tmp_path / "m.db"
    config = Config(decay_rate=0.35, min_relevance=-5, low_relevance=0.4)
    with MemoryRegistry(store, encoder=HashingEncoder(), config=config) as registry:
        memory = registry.get("m")
        memory.add_message(FACT, "user", message_id="fact")
        memory.add_message(NOISE, "user", message_id="noise")
        yield memory


def signal_of(memory, message_id):
    """The one signal of a message."""
    [signal] = [one for one in memory.signals if one.parent_turn_id == message_id]
    return signal


def test_a_boost_and_a_demotion_say_why(memory):
    """The numbers of the step are those that learning reported."""
    hits = memory.retrieve(QUESTION)
    updates = {row["signal_id"]: row for row in memory.post_process(hits, "The berth is 31, near the fuel jetty.")}
    for message, event, cause in (
        ("fact", "boost", "sent, and the reply used it"),
        ("noise", "demote", "sent, and the reply had no use for it"),
    ):
        signal = signal_of(memory, message)
        [entry] = memory.history(signal)
        told = updates[signal.signal_id]
        assert entry.events == (event,)
        assert entry.cause == f"{cause} (credit {told['contribution']:.2f})"
        assert (entry.signal_id, entry.turn) == (signal.signal_id, 2)
        assert (entry.old_weight, entry.new_weight) == (told["old_weight"], told["new_weight"])
        assert entry.action == told["action"]


def test_what_was_dead_was_revived(memory):
    """The weight that it had faded to is told."""
    memory.add_messages([NewMessage(content=f"Nothing to see here, number {n}.", role="user") for n in range(20)])
    memory.post_process([signal_of(memory, "fact")], "The berth is 31, near the fuel jetty.")
    memory.post_process([signal_of(memory, "fact")], "The berth is 31, near the fuel jetty.")
    first, second = memory.history(signal_of(memory, "fact"))
    assert (first.events, second.events) == (("revival", "boost"), ("boost",))
    assert first.faded_weight == pytest.approx(2.718281828 ** (-0.35 * 22))
    assert first.cause.startswith("brought back from a weight of 0.000; ")
    assert second.faded_weight == second.old_weight == pytest.approx(1.1)


def test_neither_used_nor_useless_is_a_refresh(tmp_path):
    """Sent, so its age starts anew; the weight stays."""
    config = Config(low_relevance=-1.0, high_relevance=1.0)
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), config=config).get("m")
    memory.add_message(FACT, "user")
    memory.post_process(memory.retrieve(QUESTION), "Somewhere near the fuel jetty.")
    [entry] = memory.history()
    assert (entry.events, entry.old_weight, entry.new_weight) == (("refresh",), 1.0, 1.0)
    assert "not clear" in entry.cause


def test_an_edit_begins_the_history_of_the_new_text(memory):
    """It changes no weight; the old text's lessons are gone with it, and new ones follow."""
    memory.post_process([signal_of(memory, "fact")], "The berth is 31, near the fuel jetty.")
    old = signal_of(memory, "fact").signal_id
    [new] = memory.update_message("fact", FACT.replace("31", "12"))
    assert memory.history(old) == []
    [edit] = memory.history(new)
    assert (edit.events, edit.old_weight, edit.new_weight, edit.turn) == (("edit",), 1.0, 1.0, 2)
    assert new == signal_of(memory, "fact")
    memory.post_process([new], "The berth is 12, near the fuel jetty.")
    assert [entry.events for entry in memory.history(new)] == [("edit",), ("boost",)]


def test_a_signal_a_hit_and_an_id_are_the_same(memory):
    """And all together are those of each."""
    hits = memory.retrieve(QUESTION)
    memory.post_process(hits, "The berth is 31, near the fuel jetty.")
    for hit in hits:
        told = memory.history(hit)
        assert told == memory.history(hit.signal) == memory.history(hit.signal.signal_id)
        assert all(isinstance(entry, HistoryEntry) for entry in told)
    assert sorted(memory.history(), key=lambda entry: entry.signal_id) == [
        entry for hit in sorted(hits, key=lambda hit: hit.signal.signal_id) for entry in memory.history(hit)
    ]


def test_what_was_deleted_has_no_history(memory):
    """Neither by its id nor among all."""
    memory.post_process(memory.retrieve(QUESTION), "The berth is 31.")
    gone = signal_of(memory, "fact")
    memory.delete_message("fact")
    assert memory.history(gone) == []
    assert {entry.signal_id for entry in memory.history()} == {signal_of(memory, "noise").signal_id}


def test_unknown_ids_have_no_history(memory):
    """Of nothing, of another memory, of a memory that was never written."""
    assert memory.history("unknown") == memory.history("") == []
    assert MemoryRegistry(ReferenceStore(), encoder=HashingEncoder()).get("new").history() == []


def test_an_entry_prints_in_a_line(memory):
    """For terminals."""
    memory.post_process([signal_of(memory, "fact")], "The berth is 31, near the fuel jetty.")
    [entry] = memory.history(signal_of(memory, "fact"))
    assert repr(entry).startswith("HistoryEntry(turn 2, boost, 1.000 -> 1.100: sent, and the reply used it (credit ")
