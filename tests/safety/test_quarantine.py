"""What is in quarantine is as good as deleted for recall, and comes back as it was."""

from dataclasses import replace

import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import InputError
from streetai_core.stores.provenance import Quarantine
from streetai_core.stores.reference import ReferenceStore, _ReferenceTransaction

QUESTIONS = ("What of the boat?", "Where is the harbour?", "Who called Ben yesterday?", "How deep is the keel?")
SAID = [
    NewMessage(content="My boat lies in the harbour of Marstal.", role="user", message_id="0", conversation_id="a"),
    NewMessage(content="A fine harbour for a boat.", role="assistant", message_id="1", conversation_id="a"),
    NewMessage(
        content="The boat was sold. My boat no longer lies in Marstal, it now lies in Kiel.",
        role="user",
        message_id="2",
        conversation_id="a",
        writer="mallory",
    ),
    NewMessage(content="Ben called about the keel.", role="user", message_id="3", conversation_id="b", name="Ben"),
    NewMessage(content="The keel is two metres deep.", role="tool", message_id="4", conversation_id="b"),
    NewMessage(content="So the keel is deep.", role="assistant", message_id="5", conversation_id="b"),
    NewMessage(content="The harbour master has a boat.", role="user", message_id="6", source="document"),
]
WAYS = {
    "source": ({"source": "tool"}, ("4",)),
    "document": ({"source": "document"}, ("6",)),
    "writer": ({"writer": "mallory"}, ("2",)),
    "conversation": ({"conversation": "b"}, ("3", "4", "5")),
    "no conversation": ({"conversation": None}, ("6",)),
    "message": ({"message": "1"}, ("1",)),
}


def filled(**settings):
    """A memory in which all of it was said."""
    registry = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), config=Config(**settings))
    memory = registry.get("m")
    memory.add_messages(SAID)
    return memory


def seen(memory):
    """Everything that recall and window give, without the ids that are random."""
    hits = [
        [(hit.signal.parent_turn_id, hit.score, dict(hit.parts), hit.replaced) for hit in memory.retrieve(question)]
        for question in QUESTIONS
    ]
    prompts = []
    for question in QUESTIONS:
        for conversation in ("a", "b", None):
            prompt = memory.build_prompt(question, conversation_id=conversation)
            block = prompt.recalled_text.split("\n")[1:-1]
            inspector = {key: value for key, value in prompt.inspector.items() if key.startswith("tokens")}
            prompts.append((prompt.messages[:-1], block, inspector))
    return hits, prompts


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("history_ceiling", [True, False])
def test_recall_and_window_are_those_of_a_memory_where_it_was_deleted(way, history_ceiling):
    """To the last digit of every part of every score, to the token of every count."""
    rule, ids = WAYS[way]
    memory, other = filled(history_ceiling=history_ceiling), filled(history_ceiling=history_ceiling)
    before = seen(memory)
    assert memory.quarantine(**rule) == len(ids)
    for name in ids:
        other.delete_message(name)
    assert seen(memory) == seen(other) != before
    assert memory.release(**rule) is True
    assert memory.release(**rule) is False
    assert seen(memory) == before


def test_what_a_hidden_conversation_has_taught_lifts_nothing():
    """As if the conversation had been deleted: to the last digit of every part of every score."""
    memory, other = filled(), filled()
    question, reply = QUESTIONS[0], "It lies in Kiel now, the boat was sold."
    for one in (memory, other):
        turn = [NewMessage(content=question, role="user", conversation_id="evil")]
        one.record_turn("t", turn, retrieved=one.retrieve(question), reply=reply)
    before = seen(memory)
    memory.quarantine(conversation="evil")
    other.delete_conversation("evil")
    assert seen(memory) == seen(other) != before
    memory.release(conversation="evil")
    assert seen(memory) == before


def test_the_published_pipeline_wakes_no_stack_that_is_hidden():
    """Six stacks of planted texts would keep all others from being looked at."""
    planted = [f"boat {word} boat {word} boat" for word in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")]
    with MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), config=Config.classic(top_stacks=3)) as registry:
        memory = registry.get("m")
        memory.add_message("There is a boat here and it lies in Marstal since a long time", "user")
        for text in planted:
            memory.add_message(text, "user", writer="mallory")
        assert "mallory" in {hit.signal.writer for hit in memory.retrieve("boat")}
        memory.quarantine(writer="mallory")
        woken = {row["stack_id"] for row in memory.why("boat").stacks}
        assert woken == {signal.stack_id for signal in memory.signals if signal.writer is None}
        assert [None] == [hit.signal.writer for hit in memory.retrieve("boat and the boat here in Marstal")]


def test_what_is_written_later_is_hidden_too():
    """A rule is about a writer, not about what the writer has written so far."""
    memory = filled()
    memory.quarantine(writer="mallory")
    memory.add_message("The boat is green, the boat is green.", "user", writer="mallory", message_id="more")
    memory.add_message("The boat is white.", "user", message_id="fine")
    found = {hit.signal.parent_turn_id for hit in memory.retrieve("boat")}
    assert "fine" in found
    assert not found & {"2", "more"}
    memory.update_message("more", "The boat is grey, the boat is grey.")
    assert not {hit.signal.parent_turn_id for hit in memory.retrieve("boat grey")} & {"2", "more"}
    memory.release(writer="mallory")
    assert "more" in {hit.signal.parent_turn_id for hit in memory.retrieve("boat grey")}
    assert memory.audit().intact


def test_nothing_is_learned_about_what_is_hidden():
    """Hits that were given out before are no way round it."""
    memory = filled()
    hits = [hit for hit in memory.retrieve("boat Kiel") if hit.signal.writer == "mallory"]
    memory.quarantine(writer="mallory")
    assert memory.post_process(hits, "The boat was sold and lies in Kiel.") == []


def test_what_is_hidden_can_be_deleted_and_the_stacks_stay_right():
    """Deleting, embedding anew and going back treat it like everything else."""
    memory = filled()
    memory.quarantine(conversation="b")
    memory.delete_message("3")
    memory.reencode()
    sizes = {stack.stack_id: (stack.size, len(stack.signal_ids)) for stack in memory.stacks}
    assert all(size == members for size, members in sizes.values())
    memory.release(conversation="b")
    assert {"4", "5"} <= {hit.signal.parent_turn_id for hit in memory.retrieve("keel deep")}


def test_looking_in_goes_on_showing_what_is_hidden():
    """Who decides about it has to see it."""
    memory = filled()
    memory.quarantine(writer="mallory")
    memory.quarantine(message="1")
    assert memory.quarantined() == [
        Quarantine(field="message", value="1"),
        Quarantine(field="writer", value="mallory"),
    ]
    assert len(memory.messages()) == len(memory.signals) == len(SAID)
    assert ["its message is in quarantine"] == [one.reason for one in memory.why("boat", message="2").considered]
    memory.delete_message("1")
    assert [rule.field for rule in memory.quarantined()] == ["writer"]


def test_another_process_hides_the_same(on_disk, path):
    """The rule is in the file; a memory that is open elsewhere follows at its next call."""
    memory = on_disk.get("m")
    memory.add_messages([replace(one, message_id=None) for one in SAID])
    with MemoryRegistry(path, encoder=HashingEncoder()) as elsewhere:
        other = elsewhere.get("m")
        assert "mallory" in {hit.signal.writer for hit in other.retrieve("boat")}
        memory.quarantine(writer="mallory")
        assert "mallory" not in {hit.signal.writer for hit in other.retrieve("boat")}
        other.release(writer="mallory")
        assert "mallory" in {hit.signal.writer for hit in memory.retrieve("boat")}


def test_unknown_messages_and_empty_memories(memory):
    """Nothing to hide is no error; a writer can be shut out before there is anything."""
    assert memory.quarantine(message="nobody") == 0
    assert memory.release(message="nobody") is False
    assert memory.quarantined() == []
    assert memory.quarantine(writer="mallory") == 0
    memory.add_message("The boat is green.", "user", writer="mallory")
    assert memory.retrieve("boat") == []
    assert memory.quarantine(writer="mallory") == 1


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "exactly one"),
        ({"source": "tool", "writer": "x"}, "exactly one"),
        ({"source": "nobody"}, "source"),
        ({"writer": 7}, "writer"),
        ({"conversation": 7}, "conversation"),
        ({"conversation": ""}, "conversation"),
        ({"message": 7}, "message"),
    ],
)
def test_wrong_arguments_are_named(memory, arguments, named):
    """Hiding the wrong thing without a word would be worse than an error."""
    for verb in (memory.quarantine, memory.release):
        with pytest.raises(InputError, match=named):
            verb(**arguments)


async def test_the_twins_do_the_same():
    """On an event loop as without one."""
    memory = filled()
    assert await memory.aquarantine(writer="mallory") == 1
    assert [rule.value for rule in await memory.aquarantined()] == ["mallory"]
    assert await memory.arelease(writer="mallory") is True
    assert (await memory.aaudit()).intact
    assert (await memory.arollback(memory.version)).messages == 0


def test_a_question_to_a_memory_of_which_only_hidden_messages_are_left():
    """What was deleted since they were hidden is no message to compare them with."""
    memory = filled()
    memory.quarantine(conversation="a")
    assert memory.retrieve(QUESTIONS[0])
    for name in ("3", "4", "5", "6"):
        memory.delete_message(name)
    assert memory.retrieve(QUESTIONS[0]) == []
    assert memory.build_prompt(QUESTIONS[0]).retrieved == []


def test_no_rule_makes_a_prompt_read_the_whole_history(monkeypatch):
    """If it fails, each prompt of an agent whose memory has one rule decodes everything that was ever said.

    A call of a tool has no text, so that nothing in RAM tells whether it is hidden; it is looked at.
    """
    memory = filled()
    call = {"tool_calls": [{"id": "1", "type": "function", "function": {"name": "sail", "arguments": "{}"}}]}
    memory.add_message("", "assistant", conversation_id="b", metadata=call)
    memory.add_messages([NewMessage(content=f"Remark {number} on the log.", role="user") for number in range(300)])
    before = memory.build_prompt(QUESTIONS[0]).inspector["tokens_full_history"]
    read = []
    messages = _ReferenceTransaction.messages

    def noting(transaction, query):
        found = messages(transaction, query)
        read.append(found)
        return found

    monkeypatch.setattr(_ReferenceTransaction, "messages", noting)

    memory.quarantine(writer="nobody")
    read.clear()
    assert memory.build_prompt(QUESTIONS[0]).inspector["tokens_full_history"] == before
    assert sum(map(len, read)) < 100

    memory.quarantine(conversation="b")
    hidden = memory.build_prompt(QUESTIONS[0]).inspector["tokens_full_history"]
    memory.delete_conversation("b")
    assert memory.build_prompt(QUESTIONS[0]).inspector["tokens_full_history"] == hidden
