"""Connections: as many as blocks are open, whatever threads do, and none after closing."""

import gc
import os
import threading
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from streetai_core.errors import ClosedError, MemoryBusyError
from streetai_core.stores import _sqlite
from streetai_core.stores.connections import _MOST_IDLE
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.stores.types import Changes, MessageQuery
from streetai_core.stores.writers import Writers
from streetai_core.testing.factories import NOON, make_exchange, make_head
from streetai_core.testing.store_reading import head_of, write
from streetai_core.testing.store_sharing import in_thread
from streetai_core.testing.torture.trap import Trap, trapped
from tests.stores.scripts import run

needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="this system does not list open files")


@pytest.fixture
def path(tmp_path):
    """Where the database is."""
    return tmp_path / "memories.db"


def open_files(path):
    """How many descriptors of this process are open on the database and the files beside it."""
    targets = []
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            targets.append(str(descriptor.readlink()))
        except OSError:
            continue
    # By the whole path: what other tests have left open until it is collected is no concern of this one.
    return sum(target.startswith(str(path.resolve())) for target in targets)


@needs_proc
def test_short_threads_leave_no_connections(path):
    """Two hundred threads one after the other use one connection: no more files are open than after the first."""
    with SqliteStore(path, durability="fast") as store:
        write(store, Changes(head=make_head()))
        before = open_files(path)
        assert before > 0
        for _ in range(200):
            in_thread(lambda: write(store, Changes(head=head_of(store))))
        assert open_files(path) == before
        assert len(store._connections._idle) == 1
        assert head_of(store).version == 201
    assert open_files(path) == 0


def test_no_more_connections_are_kept_than_are_of_use(path):
    """After a crowd of readers at once, the surplus is closed."""
    crowd = _MOST_IDLE + 5
    everybody = threading.Barrier(crowd)
    with SqliteStore(path, durability="fast") as store:
        write(store, Changes(head=make_head()))

        def read_together():
            with store.reading("alice") as view:
                everybody.wait()
                assert view.head.version == 1

        in_thread(*[read_together] * crowd)
        assert len(store._connections._idle) == _MOST_IDLE
        assert store._connections._lent == set()


@needs_proc
def test_a_block_that_is_open_while_the_store_closes_may_end(path):
    """What it writes is committed; then its connection is closed too, and the store stays closed."""
    store = SqliteStore(path)
    inside, closed = threading.Event(), threading.Event()

    def write_slowly():
        with store.writing("alice") as writing:
            inside.set()
            closed.wait()
            writing.apply(make_exchange(0), now=NOON)

    def close_meanwhile():
        inside.wait()
        store.close()
        with pytest.raises(ClosedError):
            head_of(store)
        closed.set()

    in_thread(write_slowly, close_meanwhile)
    assert open_files(path) == 0
    with SqliteStore(path) as again:
        assert head_of(again).version == 1


@needs_proc
def test_closing_that_is_interrupted_leaves_nothing_open(path):
    """While it copies the log once more, because a reader has kept a deleted text in it."""
    trap = Trap()
    store = SqliteStore(path, durability="fast", opener=trapped(trap))
    write(store, make_exchange(0))
    with SqliteStore(path) as other, other.reading("alice") as view:
        write(store, Changes(head=view.head, wipe=True))
    trap.set(1, KeyboardInterrupt, late=False)
    with pytest.raises(KeyboardInterrupt):
        store.close()
    assert open_files(path) == 0
    store.close()


def test_closing_a_store_that_was_never_used_makes_nothing(path):
    """Neither file nor error."""
    SqliteStore(path).close()
    assert not path.exists()


def test_a_store_that_nobody_closed_is_closed_when_it_goes(path):
    """No warning, no open file, and the log is in the database."""
    store = SqliteStore(path)
    write(store, make_exchange(0))
    del store
    gc.collect()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_store_that_nobody_closed_is_closed_at_the_end_of_the_program(path):
    """A script that just ends leaves one file."""
    run("store = SqliteStore(path); write(store, make_exchange(0))", path)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_closing_leaves_one_file(path):
    """The log and its index go when the last connection does."""
    with SqliteStore(path) as store:
        write(store, make_exchange(0))
        assert len(os.listdir(path.parent)) == 3  # noqa: PTH208 - by name, without opening anything
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_block_that_raises_gives_its_connection_back(path):
    """It is rolled back, not thrown away: the next block uses the same one."""

    def fail(store):
        with store.writing("alice") as writing:
            writing.apply(make_exchange(1), now=NOON)
            raise LookupError

    with SqliteStore(path, durability="fast") as store:
        write(store, make_exchange(0))
        (kept,) = store._connections._idle
        with pytest.raises(LookupError):
            fail(store)
        assert store._connections._idle == [kept]
        assert head_of(store).version == 1


def test_a_connection_that_failed_is_not_used_again(path):
    """One that is still in a transaction after its block, as if ROLLBACK had failed, is closed."""
    with SqliteStore(path) as store:
        write(store, make_exchange(0))
        with store._connections.for_writing() as database:
            database.conn.execute("BEGIN")
        assert store._connections._idle == []
        assert head_of(store).version == 1


def test_a_crowd_of_connections_compares_the_indexes_once(path):
    """It takes time with the number of messages, and of memories: a connection more costs nothing of it."""
    asked, opened = [], []

    def opener(uri, **options):
        opened.append(uri)
        connection = _sqlite.connect(uri, **options)
        connection.set_trace_callback(asked.append)
        return connection

    together = MessageQuery(conversation_id="kitchen", any_conversation=False)
    with SqliteStore(path, durability="fast", opener=opener) as store:
        write(store, Changes(head=make_head()))

        def read(everybody):
            with store.reading("nobody") as view:
                assert view.head is None
            with store.reading("alice") as view:
                everybody.wait()
                assert view.messages(together) == []

        read(threading.Barrier(1))
        in_thread(*[partial(read, threading.Barrier(4))] * 4)
    assert len(opened) >= 4
    assert sum("stored.message_id = entry.message_id" in one for one in asked) == 1
    assert sum("sqlite_autoindex_memories_1" in one for one in asked) == 1


@contextmanager
def waiting(store, *names, order):
    """Threads that write, one after the other, and wait in this order until the block ends; it is that of a writer."""

    def writes(name):
        with store.writing("m"):
            order.append(name)

    threads = [threading.Thread(target=writes, args=(name,)) for name in names]
    with store.writing("m"):
        for number, thread in enumerate(threads, 2):
            thread.start()
            while len(store._writers) < number:
                time.sleep(0.001)
        yield
    with store.writing("m"):
        order.append("again")
    for thread in threads:
        thread.join()


def test_threads_write_in_the_order_in_which_they_came(path):
    """SQLite gives its lock to whoever asks when it is free: of 240 chats in four processes some waited 30 seconds."""
    order = []
    with SqliteStore(path) as store:
        with waiting(store, "first", "second", "third", order=order):
            pass
        assert order == ["first", "second", "third", "again"]
        assert len(store._writers) == 0


@needs_proc
def test_threads_that_wait_to_write_have_nothing_open(path):
    """A server of many chats would have a connection for each, and could not be forked meanwhile."""
    with SqliteStore(path) as store:
        write(store, make_exchange(0))
        with store.writing("m"):
            alone = open_files(path)
        with waiting(store, *range(5), order=[]):
            assert open_files(path) == alone


def test_a_thread_that_waits_in_vain_for_another_one_is_told_of_both(path):
    """Whoever imports on one thread looks in vain for the process that keeps the others from writing."""

    def other():
        with pytest.raises(MemoryBusyError, match="of this process or another"), store.writing("n"):
            pass

    with SqliteStore(path, busy_timeout=0) as store, store.writing("m"):
        in_thread(other)


def test_a_writer_that_was_interrupted_while_it_ended_holds_up_nobody(monkeypatch):
    """Ctrl-C may come at any moment."""
    writers = Writers()

    def interrupted(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(writers, "_leave", interrupted)
        with pytest.raises(KeyboardInterrupt), writers.next_one(0):
            pass
    gc.collect()
    with writers.next_one(0):
        pass
