"""Several processes on one SQLite file: opening at once, waiting, dying, forking, seeing each other."""

import os

import pytest

from streetai_core.errors import MemoryBusyError
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.stores.types import Changes
from streetai_core.testing.factories import NOON, make_exchange, make_head, make_learned
from streetai_core.testing.store_reading import all_messages, head_of, read, write
from tests.stores.scripts import finish, run, start

COUNT_UP = """
print("ready", flush=True)
sys.stdin.readline()
for file in arguments[1:]:
    with SqliteStore(os.path.join(path, file), durability="fast") as store:
        for _ in range(int(arguments[0])):
            with store.writing("alice") as writing:
                head = writing.head or make_head()
                writing.apply(Changes(head=replace(head, next_turn=head.next_turn + 1)), now=NOON)
"""

HOLD_THE_LOCK = """
store = SqliteStore(path)
with store.writing("alice") as writing:
    writing.apply(make_exchange(1, head=writing.head), now=NOON)
    print("holding", flush=True)
    if sys.stdin.readline() == "die\\n":
        os._exit(9)
"""


def start_together(count, folder, *arguments):
    """Start processes that count up, and let them go at once when all are ready."""
    processes = [start(COUNT_UP, folder, *arguments) for _ in range(count)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    return processes


def test_four_processes_open_fresh_files_at_once(tmp_path):
    """Whoever comes first makes the tables; all four write all 25 files, and no count is lost."""
    files = [f"{number}.db" for number in range(25)]
    for process in start_together(4, tmp_path, 2, *files):
        finish(process)
    for file in files:
        with SqliteStore(tmp_path / file) as store:
            assert head_of(store).next_turn == 8


def test_no_update_is_lost_between_processes(tmp_path):
    """Four processes count up 100 times each in one memory."""
    for process in start_together(4, tmp_path, 100, "memories.db"):
        finish(process)
    with SqliteStore(tmp_path / "memories.db") as store:
        assert (head_of(store).next_turn, head_of(store).version) == (400, 400)


def test_a_lock_of_another_process_is_waited_for_and_reported(tmp_path):
    """Too short a wait raises `MemoryBusyError`; reading goes on; once the lock is free, writing does too."""
    path = tmp_path / "memories.db"
    with SqliteStore(path, busy_timeout=0.05) as store:
        write(store, make_exchange(0))
        other = start(HOLD_THE_LOCK, path)
        assert other.stdout.readline() == "holding\n"
        with pytest.raises(MemoryBusyError) as caught:
            write(store, make_exchange(2))
        assert caught.value.waited_seconds >= 0.04
        assert head_of(store).version == 1
        finish(other)
        assert write(store, make_exchange(2)).version == 3
        assert [message.sequence for message in all_messages(store)] == [0, 1, 2]


def test_a_killed_writer_leaves_nothing(tmp_path):
    """A process that dies inside its block has written nothing, and its lock is free."""
    path = tmp_path / "memories.db"
    with SqliteStore(path, busy_timeout=1) as store:
        write(store, make_exchange(0))
    other = start(HOLD_THE_LOCK, path)
    assert other.stdout.readline() == "holding\n"
    other.communicate("die\n")
    assert other.returncode == 9
    with SqliteStore(path, busy_timeout=1) as store:
        assert [message.sequence for message in all_messages(store)] == [0]
        assert write(store, make_exchange(2)).version == 2


def test_a_commit_survives_the_process(tmp_path):
    """What was committed is there after the process died without closing anything."""
    path = tmp_path / "memories.db"
    run("store = SqliteStore(path); write(store, make_exchange(0)); os._exit(0)", path)
    assert (tmp_path / "memories.db-wal").exists()
    with SqliteStore(path) as store:
        assert [message.sequence for message in all_messages(store)] == [0]


def test_commits_of_another_process_are_seen_by_the_next_call(tmp_path):
    """Version by version, and what it deleted stays deleted however old the learner."""
    path = tmp_path / "memories.db"
    with SqliteStore(path) as store:
        write(store, make_exchange(0, 1))
        add = "with SqliteStore(path) as store: write(store, make_exchange(int(arguments[0]), head=head_of(store)))"
        for number in (2, 3):
            since = head_of(store).version
            run(add, path, number)
            rows = read(store, since=since)
            assert (rows.complete, [signal.key for signal in rows.signals]) == (False, [number])
        stale = head_of(store)
        run("with SqliteStore(path) as store: write(store, Changes(head=head_of(store), deleted_messages=[0]))", path)
        write(store, Changes(head=stale, learned=[make_learned(0), make_learned(1)]))
        assert [weight.key for weight in read(store).weights] == [1, 2, 3]


FORK = """
import threading
store = SqliteStore(path, busy_timeout=1)
write(store, make_exchange(0))
inside = store.writing("alice") if arguments[0] == "inside" else None
if inside:
    inside.__enter__().apply(make_exchange(7, head=head_of(SqliteStore(path))), now=NOON)
child = os.fork()
if child == 0:
    try:
        if inside:
            try:
                inside.__exit__(None, None, None)
            except StoreError as error:
                print("forked" in str(error))
        write(store, make_exchange(1, head=head_of(store)))
        print(store.memory_ids())
    except StoreError as error:
        print("cannot use it" in str(error))
    sys.stdout.flush()
    os._exit(0)
if inside:
    inside.__exit__(None, None, None)
os.waitpid(child, 0)
write(store, make_exchange(2, head=head_of(store)))
print([message.sequence for message in all_messages(store)], head_of(store).version, flush=True)
store.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_goes_on_by_itself(tmp_path):
    """Child and parent both write through the same store object, each by connections of its own."""
    assert run(FORK, tmp_path / "memories.db", "outside") == ["['alice']", "[0, 1, 2] 3"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_forked_inside_a_block_leaves_the_transaction_to_the_parent(tmp_path):
    """The child's end of the block is refused, and so is the file from then on; the parent's block commits."""
    said = run(FORK, tmp_path / "memories.db", "inside")
    assert said == ["True", "True", "[0, 2, 7] 3"]


LONG = """
import os, threading
from streetai_core.stores import uses
uses.PATIENCE = float(arguments[0])
store = SqliteStore(path, busy_timeout=1)
write(store, make_exchange(0))
inside, goes = threading.Event(), threading.Event()
def work():
    with store.reading("alice") as reading:
        inside.set()
        goes.wait(float(arguments[1]))
        reading.head
thread = threading.Thread(target=work)
thread.start()
inside.wait()
child = os.fork()
if child == 0:
    try:
        print(store.memory_ids(), flush=True)
    except StoreError as error:
        print("cannot use it" in str(error), flush=True)
    store.close()
    os._exit(0)
print(os.waitpid(child, 0)[1], flush=True)
goes.set()
thread.join()
print(store.memory_ids(), flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize(("patience", "length", "said"), [(30, 0.3, "['alice']"), (0.1, 30, "True")])
def test_a_fork_waits_for_the_blocks_of_other_threads(tmp_path, patience, length, said):
    """The child uses the file; or, after a block that goes on too long, is told at once that it cannot."""
    assert run(LONG, tmp_path / "memories.db", patience, length) == [said, "0", "['alice']"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_parent_that_closes_does_not_take_the_log_from_its_child(tmp_path):
    """The child holds locks of its own: what it commits after the parent has closed is there for everybody."""
    code = """
store = SqliteStore(path)
write(store, make_exchange(0))
readable, writable = os.pipe()
child = os.fork()
if child == 0:
    head_of(store)
    os.write(writable, b"open")
    sys.stdin.readline()
    write(store, make_exchange(1, head=head_of(store)))
    os._exit(0)
os.read(readable, 4)
write(store, make_exchange(2, head=head_of(store)))
store.close()
print("closed", flush=True)
os.waitpid(child, 0)
"""
    parent = start(code, tmp_path / "memories.db")
    assert parent.stdout.readline() == "closed\n"
    parent.stdin.write("go\n")
    finish(parent)
    with SqliteStore(tmp_path / "memories.db") as store:
        assert [message.sequence for message in all_messages(store)] == [0, 1, 2]
        assert head_of(store).version == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_hundred_forks(tmp_path):
    """Child and parent write at the same time, 100 times over, and no count is lost."""
    code = """
with SqliteStore(path, durability="fast") as store:
    write(store, Changes(head=make_head()))
    for _ in range(100):
        child = os.fork()
        if child == 0:
            with store.writing("alice") as writing:
                writing.apply(Changes(head=replace(writing.head, next_turn=writing.head.next_turn + 1)), now=NOON)
            os._exit(0)
        with store.writing("alice") as writing:
            writing.apply(Changes(head=replace(writing.head, next_sequence=writing.head.next_sequence + 1)), now=NOON)
        print(os.waitpid(child, 0)[1])
    print(head_of(store).next_turn, head_of(store).next_sequence)
"""
    assert run(code, tmp_path / "memories.db") == ["0"] * 100 + ["100 100"]


def test_a_store_closed_before_the_fork_stays_closed(tmp_path):
    """The child does not open again what the program had closed."""
    code = """
store = SqliteStore(path)
write(store, make_exchange(0))
store.close()
child = os.fork()
if child == 0:
    try:
        store.memory_ids()
    except ClosedError:
        print("closed", flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
    if not hasattr(os, "fork"):
        pytest.skip("this system has no fork")
    assert run(code, tmp_path / "memories.db") == ["closed"]


def test_the_head_of_a_memory_is_made_by_one_process_only(tmp_path):
    """Two stores that write a new memory one after the other do not make it twice."""
    with SqliteStore(tmp_path / "a.db") as first, SqliteStore(tmp_path / "a.db") as second:
        write(first, Changes(head=make_head()))
        with second.writing("alice") as writing:
            assert writing.head is not None
            writing.apply(Changes(head=writing.head), now=NOON)
        assert first.memory_ids() == ["alice"]
        assert head_of(first).version == 2
