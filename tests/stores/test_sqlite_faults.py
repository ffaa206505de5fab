"""What goes wrong below the store becomes an error of ours, and leaves what was stored as it was."""

import errno
import os
import shutil
import subprocess
from contextlib import closing

import pytest

from streetai_core.errors import (
    DamagedFileError,
    MemoryBusyError,
    ReadOnlyStoreError,
    StorageFullError,
    StoreError,
    StreetAIError,
)
from streetai_core.stores import _sqlite
from streetai_core.stores.faults import Faults, database_fault, file_fault
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.testing.factories import make_exchange, make_message
from streetai_core.testing.store_reading import write
from tests.stores.scripts import finish, run, start


@pytest.fixture
def path(tmp_path):
    """Where the database is."""
    return tmp_path / "memories.db"


def busy(path):
    """Another connection has the write lock."""
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with closing(_sqlite.connect(path.as_uri(), timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")


def full(path):
    """The file may not grow any more."""
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as connection:
        connection.execute("PRAGMA max_page_count = 1")
        connection.execute("CREATE TABLE large (x)")


def read_only(path):
    """The connection may not write."""
    with closing(_sqlite.connect(path.as_uri() + "?mode=ro", timeout=0)) as connection:
        connection.execute("CREATE TABLE new (x)")


def unreachable(path):
    """There is no such folder."""
    _sqlite.connect((path.parent / "nowhere" / "x.db").as_uri(), timeout=0)


def not_a_database(path):
    """The file is something else."""
    path.with_name("other").write_bytes(b"something else" * 1000)
    with closing(_sqlite.connect(path.with_name("other").as_uri(), timeout=0)) as connection:
        connection.execute("SELECT * FROM sqlite_master")


def malformed(path):
    """The pages contradict each other."""
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as connection:
        connection.executescript("CREATE TABLE t (x); INSERT INTO t VALUES (1);")
    data = bytearray(path.read_bytes())
    data[4096:4200] = b"\xff" * 104
    path.write_bytes(data)
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as connection:
        connection.execute("SELECT * FROM t").fetchall()


def not_text(path):
    """A text is not UTF-8; the Python module finds that out, not SQLite."""
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as connection:
        connection.execute("SELECT CAST(x'ff' AS TEXT)").fetchall()


def forbidden(path):
    """A constraint is violated."""
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as connection:
        connection.executescript("CREATE TABLE once (x PRIMARY KEY); INSERT INTO once VALUES (1);")
        connection.execute("INSERT INTO once VALUES (1)")


def nonsense(path):
    """A mistake of ours."""
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as connection:
        connection.execute("SELECT nothing FROM nowhere")


CASES = [
    (busy, MemoryBusyError),
    (full, StorageFullError),
    (read_only, ReadOnlyStoreError),
    (unreachable, ReadOnlyStoreError),
    (not_a_database, DamagedFileError),
    (malformed, DamagedFileError),
    (not_text, DamagedFileError),
    (forbidden, StoreError),
    (nonsense, StoreError),
]


@pytest.mark.parametrize(("cause", "expected"), CASES, ids=[cause.__name__ for cause, _ in CASES])
def test_errors_of_sqlite_become_ours(path, cause, expected):
    """Real errors, each brought about, with SQLite's own as the cause."""
    with pytest.raises(StreetAIError) as caught, Faults(str(path)):
        cause(path)
    assert type(caught.value) is expected
    assert isinstance(caught.value.__cause__, _sqlite.Error)


@pytest.mark.parametrize(("cause", "expected"), CASES, ids=[cause.__name__ for cause, _ in CASES])
def test_messages_tell_as_much_as_codes(path, cause, expected):
    """Python 3.10 gives no result codes: the same message without one means the same."""
    with pytest.raises(_sqlite.Error) as caught:
        cause(path)
    without_code = type(caught.value)(str(caught.value))
    assert type(database_fault(without_code, str(path), 0.0)) is expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (errno.ENOSPC, StorageFullError),
        (errno.EFBIG, StorageFullError),
        (errno.EACCES, ReadOnlyStoreError),
        (errno.EROFS, ReadOnlyStoreError),
        (errno.ENOTDIR, ReadOnlyStoreError),
    ],
)
def test_errors_of_the_file_system_become_ours(number, expected):
    """No space is one thing; anything else that keeps a file from being made is about rights."""
    fault = file_fault(OSError(number, os.strerror(number)), "memories.db")
    assert type(fault) is expected
    assert "memories.db" in str(fault)


def test_a_number_beyond_64_bits_is_refused(path):
    """SQLite cannot keep it; nothing is written."""
    with SqliteStore(path) as store:
        with pytest.raises(StoreError, match="64 bits"):
            write(store, make_exchange(0, messages=[make_message(0, turn=2**63)]))
        assert store.memory_ids() == []


def test_other_errors_pass(path):
    """What is not of the database or the file system is not touched."""
    with pytest.raises(ZeroDivisionError), Faults(str(path)):
        1 / 0  # noqa: B018 - for its error


FILL = """
import resource
changes = [make_exchange(number, messages=[make_message(number, content="x" * 20_000)]) for number in range(200)]
store = SqliteStore(path, busy_timeout=1, durability="fast")
write(store, changes[0])
limit = int(arguments[0])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
stored, refused = 1, ""
while not refused:
    try:
        write(store, changes[stored])
    except StoreError as error:
        refused = type(error).__name__
    else:
        stored += 1
print(refused)
print(stored, len(all_messages(store)), head_of(store).version, flush=True)
sys.stdin.readline()
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
for _ in range(10):
    write(store, changes[stored])
    stored += 1
print(stored, len(all_messages(store)), head_of(store).version, flush=True)
store.close()
"""


def limit_error():
    """What a limit on file size becomes: only an extended result code tells it from any other I/O error."""
    with pytest.raises(_sqlite.Error) as caught, closing(_sqlite.connect("file::memory:", timeout=0)) as connection:
        connection.executescript("CREATE TABLE once (x PRIMARY KEY); INSERT INTO once VALUES (1), (1);")
    extended = getattr(caught.value, "sqlite_errorcode", 0) > _sqlite.PRIMARY
    return "StorageFullError" if extended else "StoreError"


def check_recovery(process, make_room, error):
    """After the refusal all that was acknowledged is there; with room again, the same store goes on."""
    refused, first = process.stdout.readline(), process.stdout.readline()
    make_room()
    process.stdin.write("go\n")
    rest = finish(process)
    assert refused.strip() == error
    counts = [list(map(int, line.split())) for line in (first, *rest)]
    stored = counts[0][0]
    assert 1 < stored < 190
    assert counts == [[stored] * 3, [stored + 10] * 3]


def test_a_limit_on_file_size_is_a_full_disk(path):
    """The refused write leaves nothing, reading goes on, and writing resumes without reopening."""
    pytest.importorskip("resource", reason="this system has no resource limits")
    check_recovery(start(FILL, path, 1_000_000), lambda: None, limit_error())


def test_a_full_disk(tmp_path):
    """The same on a real file system of two megabytes, which is made larger afterwards."""
    mount = shutil.which("mount")
    made = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(tmp_path)], check=False, capture_output=True
    )
    if not made or made.returncode != 0:
        pytest.skip("file systems can only be mounted by root, and not in every container")
    try:
        check_recovery(
            start(FILL, tmp_path / "memories.db", 0),
            lambda: subprocess.run([mount, "-o", "remount,size=40m", str(tmp_path)], check=True),
            "StorageFullError",
        )
    finally:
        subprocess.run([shutil.which("umount"), str(tmp_path)], check=True)


def test_an_error_of_commit_leaves_the_memory_as_it_was(path):
    """If COMMIT itself is refused, nothing is stored and the connection can be used again."""
    pytest.importorskip("resource", reason="this system has no resource limits")
    assert run(
        """
import resource
store = SqliteStore(path, durability="fast")
write(store, make_exchange(0))
# The log has to be longer than the temporary file of a savepoint, which the limit is for as well.
write(store, make_exchange(*range(200), head=make_head(memory_id="bob")))
size = os.stat(path + "-wal").st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, resource.RLIM_INFINITY))
transaction = store.writing("alice")
transaction.__enter__().apply(make_exchange(1, head=make_head()), now=NOON)
try:
    transaction.__exit__(None, None, None)
except StoreError as error:
    print("refused by COMMIT:", type(error).__name__)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(head_of(store).version, len(all_messages(store)))
print(write(store, make_exchange(1)).version)
""",
        path,
    ) == [f"refused by COMMIT: {limit_error()}", "1 1", "2"]
