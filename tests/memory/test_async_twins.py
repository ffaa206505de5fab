"""Every verb has an async twin that does the same."""

import asyncio
import contextvars
import inspect
import os
import sqlite3
from datetime import datetime, timezone

import pytest

from streetai_core import Memory, MemoryObserver, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import ClosedError
from streetai_core.testing.torture.checking import picture
from streetai_core.workers import pool_for, usable_processors

TEXTS = ["My boat is called Kestrel.", "A fine name for a boat.", "She draws one metre forty.", "Noted, 1.4 m."]


def verbs(of):
    """Public methods and properties that are not twins themselves."""
    members = inspect.getmembers(of, lambda value: callable(value) or isinstance(value, property))
    public = {name for name, _ in members if not name.startswith("_")}
    return {name for name in public if not (name.startswith("a") and name[1:] in public)}


@pytest.mark.parametrize(
    ("of", "without"),
    [
        # These do no I/O.
        (Memory, {"executor", "observers", "stale"}),
        # Nor does `get`, and `close` waits for the twins' own threads.
        (MemoryRegistry, {"executor", "get", "close"}),
    ],
)
def test_no_verb_lacks_its_twin(of, without):
    """Found by looking, so that a new verb cannot be forgotten."""
    missing = {name for name in verbs(of) - without if not inspect.iscoroutinefunction(getattr(of, f"a{name}", None))}
    assert set() == missing


def sync_run(memory):
    """The four flows, one after the other."""
    memory.add_messages([NewMessage(content=text, role="user", message_id=str(n)) for n, text in enumerate(TEXTS)])
    memory.add_message("And the berth is 31.", "user", message_id="berth")
    memory.update_message("1", "A fine name.")
    memory.delete_message("3")
    prompt = memory.build_prompt("How deep is my boat?", conversation_id="another")
    updates = memory.post_process(prompt.retrieved, "She draws one metre forty.")
    return (
        prompt.messages,
        [(row["content"], row["new_weight"]) for row in updates],
        memory.retrieve("boat"),
        memory.why("boat"),
    )


async def async_run(memory):
    """The same with twins."""
    await memory.aadd_messages(
        [NewMessage(content=text, role="user", message_id=str(n)) for n, text in enumerate(TEXTS)]
    )
    await memory.aadd_message("And the berth is 31.", "user", message_id="berth")
    await memory.aupdate_message("1", "A fine name.")
    await memory.adelete_message("3")
    prompt = await memory.abuild_prompt("How deep is my boat?", conversation_id="another")
    updates = await memory.apost_process(prompt.retrieved, "She draws one metre forty.")
    return (
        prompt.messages,
        [(row["content"], row["new_weight"]) for row in updates],
        await memory.aretrieve("boat"),
        await memory.awhy("boat"),
    )


def comparable(outcome):
    """An outcome without what is random or a time: ids, and the mark of the fence that depends on them."""
    messages, updates, hits, why = outcome
    contents = [message["content"].partition("]")[2].rpartition("[")[0] or message["content"] for message in messages]
    scores = [
        (hit.signal.content, round(hit.score, 6)) for hit in (*hits, *why.hits, *(miss.hit for miss in why.near_misses))
    ]
    return contents, updates, scores


async def test_twins_do_the_same(tmp_path):
    """The same prompts, scores and weights."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        outcome = await async_run(registry.get("async"))
        assert comparable(sync_run(registry.get("sync"))) == comparable(outcome)
        assert ["async", "sync"] == await registry.aids()
        await registry.areset("async")
        assert [] == registry.get("async").messages()


async def test_twins_of_properties_are_methods(tmp_path):
    """A server that reads a property on its event loop stands still while the file is read."""
    async with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        memory = registry.get("m")
        await memory.aadd_message(TEXTS[0], "user")
        assert await memory.asignals() == memory.signals != []
        assert await memory.astacks() == memory.stacks != []
        assert await memory.aversion() == memory.version == 1
        assert memory.aversion.__name__ == "aversion"


async def test_a_cancelled_add_is_stored_whole_or_not_at_all(tmp_path):
    """The caller stops waiting; the memory stays in step with the file."""
    async with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        memory = registry.get("m")
        tasks = [
            asyncio.create_task(memory.aadd_message(f"message {n} of many", "user", message_id=str(n)))
            for n in range(200)
        ]
        await asyncio.sleep(0)
        for task in tasks[::10]:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        finished = {str(n) for n, result in enumerate(results) if isinstance(result, list)}
        # What was cancelled while it ran has run to its end before the registry closes.
        registry.executor.shutdown(wait=True)
        in_ram = picture(memory)
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        memory = registry.get("m")
        stored = {message.message_id for message in memory.messages()}
        assert finished <= stored
        assert picture(memory) == in_ram
        assert len(stored) == memory.stats()["total_signals"] == memory.stats()["turn_counter"]


@pytest.mark.parametrize(("local", "joins"), [(True, True), (True, False), (False, False)])
def test_a_registry_has_as_many_threads_as_its_encoder_needs(tmp_path, local, joins):
    """An encoder is taken for one that waits for a server unless it says that it does not."""

    class Encoding(HashingEncoder):
        """Here or elsewhere."""

        is_local = local
        joins_calls = joins

    pool = pool_for(usable_processors(), local=local, joins=joins)
    with pool, MemoryRegistry(tmp_path / "m.db", encoder=Encoding()) as registry:
        assert (registry.executor.threads, registry.executor.places) == (pool.threads, pool.places)


async def test_a_writer_that_waits_for_another_process_holds_up_no_reader(tmp_path):
    """With one thread that may compute: the file is locked by somebody else, and what only reads is answered."""

    class Joining(HashingEncoder):
        """As the default model, for which few threads compute at a time."""

        joins_calls = True

    path = tmp_path / "m.db"
    with MemoryRegistry(path, encoder=Joining()) as registry:
        for name in "ab":
            await registry.get(name).aadd_message(TEXTS[0], "user")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        writers = [asyncio.create_task(registry.get("a").aadd_message(text, "user")) for text in TEXTS[1:]]
        hits = await asyncio.wait_for(registry.get("b").aretrieve("What is my boat called?"), timeout=20)
        assert [hit.signal.content for hit in hits] == [TEXTS[0]]
        assert not any(writer.done() for writer in writers)
        other.execute("ROLLBACK")
        other.close()
        await asyncio.gather(*writers)
        assert len(registry.get("a").messages()) == len(TEXTS)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system binds no process to processors")
def test_processors_that_a_process_may_not_use_do_not_count():
    """As in a container that is given one of many."""
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert usable_processors() == 1
    finally:
        os.sched_setaffinity(0, allowed)
    assert usable_processors() == len(allowed)


async def test_context_variables_go_along(tmp_path):
    """Tracing and logging find their context on the worker thread."""
    request = contextvars.ContextVar("request", default="none")
    seen = []

    class Watching(HashingEncoder):
        """Notes the context in which it is called."""

        def embed(self, texts, kind):
            """Note, then encode."""
            seen.append(request.get())
            return super().embed(texts, kind)

    async with MemoryRegistry(tmp_path / "m.db", encoder=Watching()) as registry:
        request.set("r1")
        await registry.get("m").aadd_message("hello to everyone here", "user")
    assert seen == ["r1"]


async def test_a_clock_that_has_no_more_times_fails_and_does_not_wait_for_ever(tmp_path):
    """No future can hold the `StopIteration` that the iterator of a test raises."""
    times = iter([datetime(2026, 1, 1, tzinfo=timezone.utc)] * 3)
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), clock=lambda: next(times)) as registry:
        memory = registry.get("a")
        list(times)
        with pytest.raises(RuntimeError, match="StopIteration"):
            await asyncio.wait_for(memory.aadd_message(TEXTS[0], "user"), 30)


async def test_a_registry_can_be_closed_by_an_observer_on_a_worker_thread(tmp_path):
    """As one does that ends a program which has failed too often; it is closed then, and says so."""

    class Ending(MemoryObserver):
        """Ends all at the first write."""

        def on_write(self, operation):
            """Close."""
            registry.close()

    registry = MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), observers=[Ending()])
    await asyncio.wait_for(registry.get("a").aadd_message(TEXTS[0], "user"), 30)
    with pytest.raises(ClosedError):
        registry.get("a")
    registry.close()
