"""`record_turn`: a turn is stored and learned from in one transaction, and once only, whoever asks again."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import EncoderError, InputError, MessageConflictError
from streetai_core.state import MemoryState
from tests.encoders.failing import Breakable

PAST = (
    ("user", "The draught of my boat is one metre forty, so shallow harbours are no problem."),
    ("assistant", "With one metre forty you can enter nearly every harbour of the islands."),
    ("user", "My sister studies medicine in Gdansk and visits me every summer with her boat."),
    ("assistant", "Then plan a summer trip with her along the coast, from harbour to harbour."),
    ("tool", "Weather in the harbour: a metre of swell, and a boat needs shelter."),
)
QUESTION = "What is the draught of my boat, and which harbour can it enter?"
REPLY = "The draught of your boat is one metre forty. It can enter nearly every harbour of the islands."
TURN = [NewMessage(content=QUESTION, role="user"), NewMessage(content=REPLY, role="assistant")]
CONFIGS = {"default": Config(stack_threshold=0.3), "classic": Config.classic(stack_threshold=0.3, high_relevance=0.3)}


@pytest.fixture(params=sorted(CONFIGS))
def path_and_config(request, tmp_path):
    """A file and the settings to open it with."""
    return tmp_path / "memory.db", CONFIGS[request.param]


@pytest.fixture
def registry(path_and_config):
    """A registry with both kinds of settings."""
    with open_registry(*path_and_config) as opened:
        yield opened


def open_registry(path, config=None):
    """A registry with the encoder that needs no model."""
    return MemoryRegistry(path, config=config, encoder=HashingEncoder(dim=64))


def seeded(registry, memory_id="m"):
    """A memory with a past, and what it recalls for the question."""
    memory = registry.get(memory_id)
    memory.add_messages([NewMessage(content=text, role=role) for role, text in PAST])
    return memory, memory.retrieve(QUESTION)


def steps(memory):
    """How many learning steps each signal has had."""
    return [len(memory.history(signal.signal_id)) for signal in memory.signals]


def picture(memory):
    """What a memory holds, in its own words: nothing in it depends on the memory's random token."""
    memory.stats()
    state = memory._coherent._state
    order = np.argsort(state.columns.keys)
    return {
        "clock": (state.head.next_turn, state.head.next_sequence, state.head.message_count, state.head.history_tokens),
        "said": [(message.role, message.content, message.turn) for message in memory.messages()],
        "keys": state.columns.keys[order].tolist(),
        "base": state.columns.base[order].tolist(),
        "whole": {
            name: state.columns.column(name)[order].tolist()
            for name in ("sequence", "chunk_index", "start", "end", "last_used_turn", "stack", "uses")
        },
        "sizes": {key: state.stacks.size(key) for key in state.stacks.keys},
    }


def totals(memory):
    """The sums of the stacks, by key."""
    state = memory._coherent._state
    return {key: state.stacks.total(key) for key in sorted(state.stacks.keys)}


def reported(updates):
    """A report without the ids, which are different in each memory."""
    return [{name: value for name, value in update.items() if name != "signal_id"} for update in updates]


def test_it_does_what_adding_and_learning_do(registry):
    """Over several turns: the same messages, clocks, weights, stacks and centroids as from the two verbs."""
    one, _ = seeded(registry, "one")
    two, _ = seeded(registry, "two")
    actions = set()
    for number in range(6):
        question = f"{QUESTION} I ask it for the {number}. time, from harbour {number}."
        reply = [REPLY, "No idea at all.", "Your sister studies medicine in Gdansk."][number % 3]
        turn = [
            NewMessage(content=question, role="user"),
            NewMessage(content="", role="assistant", metadata={"tool_calls": [{"id": "c"}]}),
            NewMessage(content=f"harbour {number}: open", role="tool", metadata={"tool_call_id": "c"}),
            NewMessage(content=reply, role="assistant"),
        ]
        updates = one.record_turn(f"turn {number}", turn, retrieved=one.retrieve(question), reply=reply)
        hits = two.retrieve(question)
        two.add_messages(turn)

        assert reported(updates) == reported(two.post_process(hits, reply))
        assert picture(one) == picture(two)
        assert totals(one).keys() == totals(two).keys()
        for key, total in totals(one).items():
            np.testing.assert_allclose(total, totals(two)[key], atol=1e-6)
        actions |= {update["action"] for update in updates}
    assert actions >= {"boost", "demote"}
    assert max(picture(one)["sizes"].values()) > 1, "no stack was both joined and learned about"


def test_ram_is_what_the_store_has(registry, path_and_config):
    """The handle that wrote holds what another one loads."""
    memory, hits = seeded(registry)
    memory.record_turn("t", TURN, retrieved=hits, reply=REPLY)

    with open_registry(*path_and_config) as other:
        again = other.get("m")
        assert picture(again) == picture(memory)
        for key, total in totals(memory).items():
            np.testing.assert_array_equal(total, totals(again)[key])
    with registry.store.reading("m") as transaction:
        assert MemoryState.of(transaction.rows(None)).head == memory._coherent._state.head


def test_a_turn_is_recorded_once(registry, path_and_config):
    """The same handle, another one and many threads: later ones change nothing and get nothing."""
    memory, hits = seeded(registry)
    updates = memory.record_turn("t", TURN, retrieved=hits, reply=REPLY)
    before, learned = picture(memory), steps(memory)
    assert [update["signal_id"] for update in updates] == [hit.signal.signal_id for hit in hits]
    assert sum(learned) == len(hits)

    assert memory.record_turn("t", TURN, retrieved=hits, reply=REPLY) == []
    with open_registry(*path_and_config) as other, ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(other.get("m").record_turn, "t", TURN, retrieved=hits, reply=REPLY) for _ in range(8)]
        assert [one.result() for one in asked] == [[]] * 8
        assert other.get("m").record_turn("t", TURN, retrieved=hits, reply="Another wording. Of it.") == []
    assert (picture(memory), steps(memory)) == (before, learned)
    assert [message.message_id for message in memory.messages()][-2:] == ["t/0", "t/1"]


def test_the_rest_of_a_turn_is_stored_and_learned_from(registry):
    """The user's message is there already, as after a cut stream; only the reply is new, and it counts."""
    memory, hits = seeded(registry)
    memory.add_message(QUESTION, "user", message_id="t/0")
    turn = memory.stats()["turn_counter"]

    updates = memory.record_turn("t", TURN, retrieved=hits, reply=REPLY)

    assert len(updates) == len(hits)
    assert [message.content for message in memory.messages()][-2:] == [QUESTION, REPLY]
    assert memory.stats()["turn_counter"] == turn + 1
    assert memory.record_turn("t", TURN, retrieved=hits, reply=REPLY) == []


def test_a_cut_stream_is_stored_and_teaches_nothing(registry):
    """Without a reply to learn from; the complete turn that comes later is learned from."""
    memory, hits = seeded(registry)

    assert memory.record_turn("t", TURN[:1], retrieved=hits) == []
    assert sum(steps(memory)) == 0
    assert memory.messages()[-1].content == QUESTION
    assert len(memory.record_turn("t", TURN, retrieved=hits, reply=REPLY)) == len(hits)


def test_ids_of_the_messages_win(registry):
    """Only a message without an id is named after the turn and its place in it."""
    memory, _ = seeded(registry)
    named = NewMessage(content=QUESTION, role="user", message_id="mine")
    memory.record_turn("t", [named, TURN[1]])

    assert [message.message_id for message in memory.messages()][-2:] == ["mine", "t/1"]


def test_another_text_under_the_same_id_is_a_conflict(registry):
    """Nothing of the turn is stored or learned."""
    memory, hits = seeded(registry)
    memory.add_message("Something else.", "user", message_id="t/1")
    before, learned = picture(memory), steps(memory)

    with pytest.raises(MessageConflictError, match="t/1"):
        memory.record_turn("t", TURN, retrieved=hits, reply=REPLY)
    assert (picture(memory), steps(memory)) == (before, learned)


@pytest.mark.parametrize("turn_id", ["", None, 7, "a\0b", "x" * 513])
def test_a_turn_has_to_be_named(registry, turn_id):
    """By an id like every other."""
    with pytest.raises(InputError, match="turn_id"):
        registry.get("m").record_turn(turn_id, TURN)


@pytest.mark.parametrize("messages", [None, 7, NewMessage(content="Hi.", role="user")])
def test_a_turn_has_several_messages(registry, messages):
    """One alone, or none, is refused by what it is, and not by what Python says of it."""
    with pytest.raises(InputError, match="messages must be a collection"):
        registry.get("m").record_turn("t", messages)


@pytest.mark.parametrize(("count", "most"), [(2, 510), (11, 509)])
def test_a_turn_id_has_to_leave_room_for_the_places(registry, count, most):
    """Whoever gives a turn an id of full length is told of that id, not of one that is nowhere in the call."""
    messages = [NewMessage(content=f"Sentence {number}.", role="user") for number in range(count)]
    with pytest.raises(InputError, match=f"turn_id must have 1 to {most} bytes of UTF-8 here, got {most + 1}: message"):
        registry.get("m").record_turn("x" * (most + 1), messages)
    assert registry.get("m").messages() == []
    named = [NewMessage(content="Named.", role="user", message_id="own")]
    registry.get("m").record_turn("x" * 512, named)
    registry.get("m").record_turn("x" * most, messages)
    assert len(registry.get("m").messages()) == count + 1


def test_what_is_gone_or_unknown_is_ignored(registry):
    """Signals of a deleted message, of another memory and no signals at all; the turn is stored all the same."""
    memory, hits = seeded(registry)
    memory.delete_message(hits[0].signal.parent_turn_id)
    left = [hit for hit in hits if hit.signal.parent_turn_id != hits[0].signal.parent_turn_id]

    updates = memory.record_turn("t", TURN, retrieved=[*hits, hits[-1], "other.1"], reply=REPLY)

    assert [update["signal_id"] for update in updates] == [hit.signal.signal_id for hit in left]
    assert memory.record_turn("u", TURN, retrieved=["other.1"], reply=REPLY) == []
    assert len(memory.messages()) == len(PAST) - 1 + 4


def test_blank_turns_leave_no_trace(registry):
    """Nothing to know the turn by, so nothing is learned from it either."""
    memory, hits = seeded(registry)
    before = picture(memory)
    blank = [NewMessage(content=" ", role="user"), NewMessage(content="", role="assistant")]

    assert memory.record_turn("t", blank, retrieved=hits, reply=REPLY) == []
    assert memory.record_turn("t", [], retrieved=hits, reply=REPLY) == []
    assert picture(memory) == before
    assert len(memory.record_turn("t", TURN, retrieved=hits, reply="  ")) == 0
    assert picture(memory)["clock"][2] == before["clock"][2] + 2


def test_a_failing_encoder_leaves_everything_as_it_was(tmp_path):
    """Neither the turn nor a part of it."""
    encoder = Breakable(HashingEncoder(dim=64))
    with MemoryRegistry(tmp_path / "m.db", encoder=encoder, config=Config(strategy="vector")) as registry:
        memory, hits = seeded(registry)
        before = picture(memory)
        encoder.broken = True
        with pytest.raises(EncoderError):
            memory.record_turn("t", TURN, retrieved=hits, reply=REPLY)
        assert picture(memory) == before
        encoder.broken = False
        assert memory.record_turn("t", TURN, retrieved=hits, reply=REPLY)


async def test_the_twin_does_the_same(registry):
    """Same report, same memory; and the ledger is one."""
    one, hits = seeded(registry, "one")
    two, others = seeded(registry, "two")

    updates = await one.arecord_turn("t", TURN, retrieved=hits, reply=REPLY)

    assert reported(updates) == reported(two.record_turn("t", TURN, retrieved=others, reply=REPLY))
    assert picture(one) == picture(two)
    assert one.record_turn("t", TURN, retrieved=hits, reply=REPLY) == []
    assert await two.arecord_turn("t", TURN, retrieved=others, reply=REPLY) == []
