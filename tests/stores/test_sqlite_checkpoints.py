"""The write-ahead log: it stays small, nothing deleted stays in it, and copying it waits for nobody."""

import gc
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest

from streetai_core.stores import _sqlite
from streetai_core.stores.checkpoints import _LOG_BYTES, Checkpoints
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.stores.types import Changes
from streetai_core.testing.factories import (
    make_counts,
    make_days,
    make_exchange,
    make_head,
    make_message,
    make_signal_row,
    make_terms,
    make_vector,
    make_words_row,
)
from streetai_core.testing.store_reading import all_messages, head_of, read, write
from streetai_core.testing.torture.trap import Moments
from tests.stores.scripts import finish, occurrences, start

LARGE = "x" * 200_000
"""Some twenty of these fill the log."""


@pytest.fixture
def path(tmp_path):
    """Where the database is."""
    return tmp_path / "memories.db"


@pytest.fixture
def store(path):
    """An empty store that does not wait for the disk."""
    with SqliteStore(path, durability="fast") as store:
        yield store


def log_size(path):
    """Bytes of the log, asked without opening it."""
    return path.with_name(path.name + "-wal").stat().st_size


def write_large(store, count):
    """Commit large messages, and return the largest size of the log after a commit."""
    sizes = []
    for _ in range(count):
        head = head_of(store) if store.memory_ids() else make_head()
        write(
            store,
            make_exchange(head.next_sequence, head=head, messages=[make_message(head.next_sequence, content=LARGE)]),
        )
        sizes.append(log_size(Path(store.path)))
    return max(sizes)


def test_the_log_stays_small_over_many_commits(store, path):
    """Sixteen megabytes of commits never leave more than the limit and one commit in the log."""
    assert write_large(store, 80) <= _LOG_BYTES + 2 * len(LARGE)
    assert path.stat().st_size > 2 * _LOG_BYTES
    assert len(all_messages(store)) == 80


def test_a_reader_lets_the_log_grow_but_stops_no_writer(store, path):
    """While somebody looks at an old version, commits go on at once; after that the log is cut."""
    write_large(store, 1)
    with SqliteStore(path) as other, other.reading("alice") as view:
        largest = write_large(store, 50)
        assert view.head.version == 1
        assert largest > 2 * _LOG_BYTES
    write_large(store, 30)
    assert log_size(path) < _LOG_BYTES


def test_copying_does_not_wait_for_a_writer(path):
    """If another writer has the lock after the commit, the log is left for later, whatever the timeout."""
    with SqliteStore(path, durability="fast", busy_timeout=60) as store:
        write_large(store, 19)
        before = log_size(path)
        with closing(_sqlite.connect(path.as_uri(), timeout=0)) as other:
            other.execute("PRAGMA wal_autocheckpoint = 0")
            other.execute("BEGIN IMMEDIATE")
            store._checkpoints.after_commit(store._connections._idle[0].conn, erase=True)
            assert log_size(path) == before
            other.execute("ROLLBACK")
        write(store, Changes(head=head_of(store)))
        assert log_size(path) < before / 10


def test_copying_goes_on_where_another_writer_was(store, path):
    """Nothing is copied while somebody else holds the lock: SQLite's own checkpoints would."""
    write_large(store, 2)
    size = path.stat().st_size
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as other:
        other.execute("PRAGMA wal_autocheckpoint = 0")
        other.execute("BEGIN IMMEDIATE")
        assert store._checkpoints._copy(store._connections._idle[0].conn) is False
        assert path.stat().st_size == size
        other.execute("ROLLBACK")
    assert store._checkpoints._copy(store._connections._idle[0].conn) is True
    assert path.stat().st_size > size


@pytest.mark.parametrize("way", ["message", "memory", "edit"])
def test_what_was_deleted_is_nowhere_in_the_files(store, path, way):
    """After the call, no piece of the text and no byte of the vector is left in the file or its log."""
    text = "My door code is 8274-KQXW-5519 and nobody else knows it."
    secret = make_message(1, content=text, metadata={"m": "metadata-QZ81"}, name="name-JJ42", message_id="id-WW90")
    vector = make_vector(123)
    words = make_words_row(
        1,
        conversation_id="conversation-VV37",
        name="name-JJ42",
        terms=make_terms(0x1CEB00DA, 0xF00DFACE, 0xFACADE99),
        counts=make_counts(0x5AFE, 0x7E57, 0xA11C),
        days=make_days((731_234, 731_977), (700_123, 700_456)),
        replaces=(8_675_309_777,),
    )
    write(
        store,
        make_exchange(
            0,
            1,
            messages=[make_message(0), secret],
            words=[make_words_row(0), words],
            signals=[make_signal_row(1, vector=vector)],
            weights=[],
            stacks=[],
        ),
    )
    pieces = [text[start : start + 12].encode() for start in range(0, len(text) - 12, 4)]
    needles = [*pieces, vector.tobytes(), words.terms.tobytes(), words.counts.tobytes(), words.days.tobytes()]
    needles += [b"8675309777", b"conversation-VV37"]
    if way != "edit":
        needles += [b"metadata-QZ81", b"name-JJ42", b"id-WW90"]
    assert min(occurrences(path, needles)) >= 1
    head = head_of(store)
    if way == "message":
        write(store, Changes(head=head, deleted_messages=[1]))
    elif way == "memory":
        write(store, Changes(head=head, wipe=True))
    else:
        edited = make_message(1, message_id="id-WW90")
        write(store, Changes(head=head, messages=[edited], words=[make_words_row(1)], deleted_signals=[1]))
    assert sum(occurrences(path, needles)) == 0


def test_replaced_words_are_nowhere_in_the_files(store, path):
    """What a message was found by can be worked out anew without a new text; the old words do not stay behind."""
    old = make_words_row(0, terms=make_terms(0x1CEB00DA, 0xF00DFACE), days=make_days((731_234, 731_977)))
    write(store, make_exchange(0, words=[old]))
    needles = [old.terms.tobytes(), old.days.tobytes()]
    assert min(occurrences(path, needles)) >= 1
    write(store, Changes(head=head_of(store), words=[make_words_row(0)]))
    assert occurrences(path, needles) == [0, 0]


def test_a_deletion_that_a_reader_held_up_is_made_good_by_the_next_write(store, path):
    """An old view keeps the deleted text in the log; the first write after it is gone erases it."""
    write(store, make_exchange(0, messages=[make_message(0, content="the secret of the house")]))
    with SqliteStore(path) as other, other.reading("alice") as view:
        write(store, Changes(head=head_of(store), deleted_messages=[0]))
        assert occurrences(path, [b"the secret of the house"])[0] >= 1
        assert view.head.version == 1
    write(store, Changes(head=head_of(store)))
    assert occurrences(path, [b"the secret of the house"]) == [0]


def test_closing_makes_a_held_up_deletion_good(path):
    """If no write follows, closing the store erases it, though another process keeps the file open."""
    code = """
store = SqliteStore(path)
with store.reading("alice") as view:
    print("reading", flush=True)
    sys.stdin.readline()
print("ended", flush=True)
sys.stdin.readline()
"""
    with SqliteStore(path) as store:
        write(store, make_exchange(0, messages=[make_message(0, content="the secret of the house")]))
        other = start(code, path)
        assert other.stdout.readline() == "reading\n"
        write(store, Changes(head=head_of(store), deleted_messages=[0]))
        other.stdin.write("go\n")
        other.stdin.flush()
        assert other.stdout.readline() == "ended\n"
        assert occurrences(path, [b"the secret of the house"])[0] >= 1
    assert occurrences(path, [b"the secret of the house"]) == [0]
    other.stdin.write("go\n")
    finish(other)


def test_many_writers_that_all_copy_the_log_leave_a_whole_file(path):
    """Three processes fill and copy the log at the same time; SQLite finds nothing wrong, and all is there."""
    code = """
print("ready", flush=True)
sys.stdin.readline()
with SqliteStore(path, durability="fast") as store:
    for number in range(25):
        with store.writing(arguments[0]) as writing:
            head = writing.head or make_head(memory_id=arguments[0])
            text = (arguments[0] + str(number)) * 20_000
            writing.apply(make_exchange(number, head=head, messages=[make_message(number, content=text)]), now=NOON)
"""
    names = ["alice", "bob", "carol"]
    processes = [start(code, path, name) for name in names]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        finish(process)
    with SqliteStore(path) as store:
        for name in names:
            assert [message.content for message in all_messages(store, name)] == [
                f"{name}{number}" * 20_000 for number in range(25)
            ]
            assert len(read(store, name).signals) == 25
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize(
    ("version", "affected"),
    [
        ((3, 37, 0), True),
        ((3, 40, 1), True),
        ((3, 44, 5), True),
        ((3, 44, 6), False),
        ((3, 45, 0), True),
        ((3, 50, 6), True),
        ((3, 50, 7), False),
        ((3, 51, 0), True),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 53, 4), False),
    ],
)
def test_affected_versions_are_known(version, affected):
    """The WAL-reset bug is in all versions before 3.51.3 but two series of corrections."""
    assert _sqlite.affected_by_wal_reset_bug(version) is affected


# One that comes as SQLite hands the connection over leaves it to the garbage collector, and Python 3.13 warns of that.
@pytest.mark.filterwarnings("ignore:unclosed database:ResourceWarning")
def test_an_interrupt_at_any_moment_keeps_no_lock(path, store):
    """Else this process would never copy the log again, and an erasure would wait for ever."""
    write(store, make_exchange(0))
    with store._connections.for_writing() as database:
        moments = Moments()
        while moments.seen == moments.interrupt_at:
            checkpoints, moments = Checkpoints(store._file), Moments(interrupt_at=moments.interrupt_at + 1)
            with suppress(KeyboardInterrupt):
                moments.run(partial(checkpoints.after_commit, database.conn, erase=True))
            assert not checkpoints._lock.locked(), moments
        assert moments.seen > 20
    # Here, and not in another test, that would be blamed for it.
    gc.collect()
