"""Under the published rule a stack in which nobody is alive keeps its centroid, and nothing of what was erased."""

import numpy as np
import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.stores.reference import ReferenceStore
from streetai_core.testing.planted import PlantedEncoder, at_cosine

KEPT, LATER, SECRET, OTHER, TALK = "berth 31", "berth 31 by the crane", "berth 8274", "a mooring", "idle talk"
ENCODER = PlantedEncoder(
    {
        KEPT: at_cosine(0.9, axis=1),
        LATER: at_cosine(0.9, axis=3),
        SECRET: at_cosine(0.9, axis=2),
        OTHER: at_cosine(-0.9, axis=2),
        TALK: at_cosine(0.0, axis=5),
    }
)


@pytest.fixture
def memory():
    """A memory with one stack of three signals, 50 turns apart, all of them dead."""
    with MemoryRegistry(ReferenceStore(), encoder=ENCODER, config=Config.classic()) as registry:
        memory = registry.get("m")
        memory.add_message(KEPT, "user", message_id="kept")
        chat(memory, 49)
        memory.add_message(SECRET, "user", message_id="secret")
        memory.add_message(LATER, "user", message_id="later")
        chat(memory, 230)
        yield memory


def chat(memory, turns):
    """Let turns go by that are about nothing."""
    memory.add_messages([NewMessage(content=TALK, role="user") for _ in range(turns)])


def centroid(memory, message_id):
    """The stored sum of the stack that a message is in, as a unit vector."""
    stack = next(one.stack_id for one in memory.signals if one.parent_turn_id == message_id)
    with memory._coherent.reading() as (transaction, _):
        stacks = transaction.stacks()
        total = stacks.totals[stacks.key.tolist().index(int(stack.split(".")[-1]))]
    return total / np.linalg.norm(total)


def direction(**weights):
    """The direction of a weighted sum of texts."""
    texts = {"kept": KEPT, "later": LATER, "secret": SECRET}
    total = sum(weight * ENCODER.encode([texts[name]], "document")[0] for name, weight in weights.items())
    return total / np.linalg.norm(total)


@pytest.mark.parametrize(
    "erase",
    [
        lambda memory: memory.forget(message="secret"),
        lambda memory: memory.delete_message("secret"),
        lambda memory: memory.update_message("secret", OTHER),
    ],
    ids=["forget", "delete", "edit"],
)
def test_what_goes_is_taken_out_of_a_stack_that_nobody_is_alive_in(memory, erase):
    """Those that are left weigh what they weighed when the last of them was used: 2 ** (-51 / 50) = .493, and 1."""
    assert centroid(memory, "kept")[2] > 0.1
    erase(memory)
    np.testing.assert_allclose(centroid(memory, "kept"), direction(kept=2 ** (-51 / 50), later=1.0), atol=1e-6)


def test_going_back_takes_what_was_said_since_out_of_it():
    """A rollback leaves the stack as it is without what goes."""
    with MemoryRegistry(ReferenceStore(), encoder=ENCODER, config=Config.classic()) as registry:
        memory = registry.get("m")
        memory.add_message(KEPT, "user", message_id="kept")
        version = memory.version
        memory.add_message(SECRET, "user", message_id="secret")
        chat(memory, 230)
        memory.rollback(version)
        np.testing.assert_allclose(centroid(memory, "kept"), direction(kept=1.0), atol=1e-6)


def test_a_new_signal_is_all_that_counts_among_dead_ones(memory):
    """The mean goes over the living, of which it is the only one."""
    memory.add_message(KEPT, "user", message_id="new")
    assert memory.signals[-1].stack_id == memory.signals[0].stack_id
    np.testing.assert_allclose(centroid(memory, "new"), direction(kept=1.0), atol=1e-6)


def test_a_stack_without_a_change_keeps_its_centroid(memory):
    """It is frozen as it was when the last of it died, whatever goes or comes elsewhere."""
    before = centroid(memory, "kept")
    talk = next(one.parent_turn_id for one in memory.signals if one.content == TALK)
    memory.delete_message(talk)
    memory.add_message(TALK, "user")
    np.testing.assert_array_equal(centroid(memory, "kept"), before)


@pytest.mark.parametrize(
    "erase",
    [lambda memory: memory.delete_message("secret"), lambda memory: memory.forget(message="secret")],
    ids=["delete", "forget"],
)
def test_what_goes_under_other_settings_is_taken_out_whole(tmp_path, erase):
    """The published rule had weighed it by its age: a whole vector that is taken away leaves the rest of it behind."""
    path = tmp_path / "m.db"
    with MemoryRegistry(path, encoder=ENCODER, config=Config.classic()) as registry:
        memory = registry.get("m")
        memory.add_message(SECRET, "user", message_id="secret")
        chat(memory, 49)
        memory.add_message(KEPT, "user", message_id="kept")
        assert 0.1 < centroid(memory, "kept")[2] < 0.3
    with MemoryRegistry(path, encoder=ENCODER) as registry:
        memory = registry.get("m")
        erase(memory)
        np.testing.assert_allclose(centroid(memory, "kept"), direction(kept=1.0), atol=1e-6)
