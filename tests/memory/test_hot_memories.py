"""Of many memories only the ones in use stay in RAM, and nobody notices which."""

import gc
import tracemalloc
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import InputError, StaleMemoryError

MEMORIES = 40
MOST = 3


def opened(path, **more):
    """A registry on a file, with a quick encoder."""
    return MemoryRegistry(path, encoder=HashingEncoder(dim=64), durability="fast", **more)


def in_ram(memories):
    """How many of them have a state."""
    return sum(memory._coherent.known is not None for memory in memories)


@pytest.fixture
def filled(tmp_path):
    """A file with memories, each of which has a berth of its own."""
    path = tmp_path / "memory.db"
    with opened(path) as registry:
        for number in range(MEMORIES):
            registry.get(f"m{number}").add_messages(
                [NewMessage(content=f"My boat lies at berth {number}.", role="user")]
            )
    return path


def test_only_the_last_used_stay_and_all_handles_answer(filled):
    """A server with many users would grow until it is killed; a handle that went cold has to answer as before."""
    with opened(filled, max_open=MOST) as registry:
        memories = [registry.get(f"m{number}") for number in range(MEMORIES)]
        for _ in range(2):
            for number, memory in enumerate(memories):
                (hit,) = memory.retrieve("Which berth?")
                assert f"berth {number}." in hit.signal.content
                assert in_ram(memories) <= MOST
        assert [memory._coherent.known is not None for memory in memories[-MOST:]] == [True] * MOST


def test_what_was_learned_and_written_survives_going_cold(filled):
    """The state in RAM is a copy; dropping it may lose nothing."""
    with opened(filled, max_open=1) as registry:
        first, second = registry.get("m0"), registry.get("m1")
        prompt = first.build_prompt("Which berth?", token_budget=500)
        hits = first.retrieve("Which berth?")
        second.stats()
        first.post_process(hits, "It lies at berth 0.")
        second.add_message("And she is blue.", role="user")
        assert in_ram([first, second]) == 1
        assert [signal.last_used_turn for signal in first.signals] == [1]
        assert len(second.signals) == 2
        assert first.build_prompt("Which berth?", token_budget=500).messages[-1]["content"].count("berth 0") == (
            prompt.messages[-1]["content"].count("berth 0")
        )


def test_threads_that_share_few_places_do_not_wait_for_each_other_for_ever(filled):
    """Whoever makes room drops the states of other memories, which others are using at that moment."""
    with opened(filled, max_open=1) as registry:

        def ask(number):
            memory = registry.get(f"m{number % MEMORIES}")
            memory.add_message(f"Message {number} about the tide", role="user")
            return f"berth {number % MEMORIES}." in " ".join(
                hit.signal.content for hit in memory.retrieve("Which berth?")
            )

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(ask, range(4 * MEMORIES), timeout=120))


def test_ten_times_the_memories_take_no_more_room(tmp_path):
    """Handles stay, of a kilobyte or two; states, of a hundred, must not."""
    sizes = []
    with opened(tmp_path / "memory.db", max_open=2) as registry:
        tracemalloc.start()
        try:
            for number in range(220):
                registry.get(f"m{number}").add_message("My boat lies at berth 12.", role="user")
                if number in (20, 219):
                    gc.collect()
                    sizes.append(tracemalloc.get_traced_memory()[0])
        finally:
            tracemalloc.stop()
    assert (sizes[1] - sizes[0]) / 199 < 6_000


@pytest.mark.parametrize("most", [0, -1, True, 1.5, "many", None])
def test_a_bound_that_is_none_is_refused(tmp_path, most):
    """Zero places would read every memory anew for each call, silently."""
    with pytest.raises(InputError, match="max_open"):
        opened(tmp_path / "memory.db", max_open=most)


async def test_warming_up_loads_the_encoder_and_the_memories(filled):
    """The first user of the day would wait for both."""
    with opened(filled) as registry:
        registry.warm_up("m1", "nobody")
        assert registry.get("m1")._coherent.known is not None
        assert registry.get("nobody")._coherent.known is None
        assert registry.encoder.misses == 1
        await registry.awarm_up("m2")
        assert registry.get("m2")._coherent.known is not None
        with pytest.raises(InputError):
            registry.warm_up("")


def test_handles_that_nobody_holds_go_too(filled):
    """A server asks for the handle of each request's user, and keeps none."""
    with opened(filled, max_open=MOST) as registry:
        for number in range(MEMORIES):
            registry.get(f"m{number}")
        gc.collect()
        assert (len(registry._memories), len(registry._recent)) == (0, MOST)
        held = registry.get("m0")
        for number in range(1, MEMORIES):
            registry.get(f"m{number}")
        assert registry.get("m0") is held
        registry.reset("m0")
        assert registry.get("m0") is not held


@pytest.mark.parametrize("end", [MemoryRegistry.reset, MemoryRegistry.forget])
def test_who_asks_anew_goes_on_with_a_memory_that_another_process_has_ended(filled, end):
    """A server of several processes asks for each request's handle: the first after an erasure elsewhere failed."""
    with opened(filled) as registry, opened(filled) as other:
        for memory_id in ("m0", "m1"):
            registry.get(memory_id).stats()
            end(other, memory_id)
        assert registry.get("m0").messages() == []
        # It may have the version that the old one had.
        other.get("m1").add_message("My boat lies at berth 77.", role="user")
        (hit,) = registry.get("m1").retrieve("Which berth?")
        assert hit.signal.content == "My boat lies at berth 77."

        held = registry.get("m1")
        held.stats()
        end(other, "m1")
        with pytest.raises(StaleMemoryError):
            registry.get("m1").stats()
        assert registry.get("m1") is not held
        assert registry.get("m1").messages() == []


def test_a_memory_whose_messages_come_and_go_does_not_grow(tmp_path):
    """An app that keeps the last hundred messages deletes as many as it adds: what is gone may not pile up in RAM.

    Edits leave rows behind too. What is found is what a fresh process finds.
    """
    path, kept, rows = tmp_path / "memory.db", 100, []
    with opened(path) as registry:
        memory = registry.get("m")
        for start in range(0, 4_000, kept):
            memory.add_messages(
                [
                    NewMessage(
                        content=f"Boat {number} lies at berth {number}.", role="assistant", conversation_id=str(start)
                    )
                    for number in range(start, start + kept)
                ]
            )
            if start:
                memory.delete_conversation(str(start - kept))
            memory.retrieve("Which berth?")
            rows.append(memory._coherent.known.words.size)
        hits = memory.retrieve("Where is boat 3977?", limit=5)
    assert max(rows) < 512
    with opened(path) as anew:
        again = anew.get("m").retrieve("Where is boat 3977?", limit=5)
    assert [(hit.signal.signal_id, hit.score) for hit in again] == [(hit.signal.signal_id, hit.score) for hit in hits]
    assert "3977" in hits[0].signal.content


@pytest.mark.parametrize("end", [MemoryRegistry.reset, MemoryRegistry.forget])
@pytest.mark.parametrize("held", [False, True])
def test_a_memory_that_ends_leaves_nothing_in_ram(filled, end, held):
    """An app that begins its memories anew each day would fill all places; and what is forgotten has to be gone."""
    with opened(filled) as registry:
        memory = registry.get("m0")
        memory.stats()
        state = weakref.ref(memory._coherent.known)
        if not held:
            del memory
        end(registry, "m0")
        gc.collect()
        assert state() is None
        if held:
            with pytest.raises(StaleMemoryError):
                memory.stats()
