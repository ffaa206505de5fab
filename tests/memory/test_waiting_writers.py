"""Who waits for the write lock of a file: for no longer than was said, and nobody else waits for him."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import MemoryBusyError
from streetai_core.stores.sqlite import SqliteStore
from tests.locks import locked

PATIENCE = 30


@pytest.fixture
def path(tmp_path):
    """A file with two memories."""
    path = tmp_path / "memories.db"
    with MemoryRegistry(path, encoder=HashingEncoder(64), durability="fast") as registry:
        for name in ("alice", "bob"):
            registry.get(name).add_message("My boat lies in Marstal.", "user")
    return path


class Telling(SqliteStore):
    """Tells when somebody is about to wait for the write lock."""

    def __init__(self, path):
        super().__init__(path, busy_timeout=PATIENCE, durability="fast")
        self.writes = Event()

    def writing(self, memory_id):
        """The write lock of the file."""
        self.writes.set()
        return super().writing(memory_id)


def test_a_memory_can_be_read_while_a_message_to_it_waits(path):
    """Recall, prompts and looking in need no write lock; the message is stored when there is one."""
    store = Telling(path)
    with ThreadPoolExecutor(2) as threads, MemoryRegistry(store, encoder=HashingEncoder(64)) as registry:
        memory = registry.get("alice")
        with locked(path):
            waiting = threads.submit(memory.add_message, "My dog is called Ada.", "user")
            assert store.writes.wait(PATIENCE)
            read = threads.submit(lambda: memory.retrieve("Where is my boat?")[0].signal.content)
            assert read.result(PATIENCE / 2) == "My boat lies in Marstal."
            assert memory.build_prompt("Where is my boat?").messages[-1]["content"].endswith("Where is my boat?")
            assert memory.stats()["messages"] == 1
            assert not waiting.done()
        assert [signal.content for signal in waiting.result(PATIENCE)] == ["My dog is called Ada."]
        assert memory.stats()["messages"] == 2


@pytest.mark.parametrize("names", [["alice"] * 6, ["alice", "bob"] * 3], ids=["one memory", "two memories"])
def test_each_of_many_waits_for_no_longer_than_was_said(path, names):
    """Not for the others, one after the other, and is told how long it has waited; what is in RAM stays there."""
    with (
        ThreadPoolExecutor(len(names)) as threads,
        MemoryRegistry(path, encoder=HashingEncoder(64), busy_timeout=1) as registry,
    ):
        memories = [registry.get(name) for name in names]
        for memory in memories:
            memory.retrieve("Where is my boat?")
        with locked(path):
            waiting = [threads.submit(memory.add_message, "My dog is called Ada.", "user") for memory in memories]
            errors = [one.exception(PATIENCE) for one in waiting]
        assert {type(error) for error in errors} == {MemoryBusyError}
        assert 1 <= max(error.waited_seconds for error in errors) < len(names) / 2
        assert all(memory._coherent.known is not None for memory in memories)
        memories[0].add_message("My dog is called Ada.", "user")
        assert memories[0].stats()["messages"] == 2


def test_who_has_waited_for_another_thread_waits_for_the_file_for_the_rest_only(path):
    """And the connection is as patient as before for who comes next."""
    with (
        ThreadPoolExecutor(2) as threads,
        MemoryRegistry(path, encoder=HashingEncoder(64), busy_timeout=2) as registry,
    ):
        alice, bob = registry.get("alice"), registry.get("bob")
        with locked(path):
            first = threads.submit(alice.add_message, "My dog is called Ada.", "user")
            time.sleep(1)
            second = threads.submit(bob.add_message, "My dog is called Ada.", "user")
            assert type(first.exception(PATIENCE)) is MemoryBusyError
            assert 1.9 < second.exception(PATIENCE).waited_seconds < 2.7
        with registry.store.writing("bob") as writing:
            assert writing._connection.execute("PRAGMA busy_timeout").fetchone() == (2000,)


async def test_any_number_of_writers_that_wait_takes_no_thread_of_those_that_read(path):
    """Of another user, as of the same one: a server answers questions while a backup program has its file."""
    async with MemoryRegistry(path, encoder=HashingEncoder(64), busy_timeout=PATIENCE) as registry:
        alice, bob = registry.get("alice"), registry.get("bob")
        with locked(path):
            waiting = [asyncio.create_task(alice.aadd_message(f"Message {number}.", "user")) for number in range(64)]
            for memory in (bob, alice):
                (hit,) = await asyncio.wait_for(memory.aretrieve("Where is my boat?"), PATIENCE / 2)
                assert hit.signal.content == "My boat lies in Marstal."
            assert not any(task.done() for task in waiting)
        await asyncio.gather(*waiting)
        assert (await alice.astats())["messages"] == 65
