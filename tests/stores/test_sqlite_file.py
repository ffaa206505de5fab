"""The SQLite store and its file: when it is made, how it is set up, and which files are refused."""

import os
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from streetai_core.errors import (
    ConfigError,
    DamagedFileError,
    InputError,
    MemoryBusyError,
    NewerFileError,
    OtherLayoutError,
    ReadOnlyStoreError,
    StoreError,
)
from streetai_core.stores import _sqlite
from streetai_core.stores.schema import APPLICATION_ID, SCHEMA_VERSION
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.testing.factories import make_exchange
from streetai_core.testing.store_reading import all_messages, head_of, read, write
from streetai_core.upkeep.backup import back_up
from tests.stores.scripts import hashes, run


@pytest.fixture
def path(tmp_path):
    """Where a database may be made."""
    return tmp_path / "memories.db"


def filled(path):
    """A closed database with one message."""
    with SqliteStore(path) as store:
        write(store, make_exchange(0))
    return path


def test_making_a_store_does_no_io(tmp_path):
    """Nothing is created, and a path that cannot work is no error yet."""
    SqliteStore(tmp_path / "a" / "b.db")
    SqliteStore("/proc/nowhere/b.db")
    assert list(tmp_path.iterdir()) == []


def test_reading_makes_no_file(path):
    """All ways of reading leave the folder empty."""
    with SqliteStore(path) as store:
        assert read(store) is None
        assert store.memory_ids() == []
        assert not path.exists()


def test_the_first_write_makes_the_file_and_its_folders(tmp_path):
    """Missing folders are made, as the published product did."""
    path = tmp_path / "a" / "b" / "memories.db"
    filled(path)
    assert [file.name for file in path.parent.iterdir()] == ["memories.db"]


@pytest.mark.parametrize("name", ["a b.db", "ü#?&%41=.db", "file:x?mode=memory", "'; --", "🎉", "%", ":memory:x"])
def test_the_file_has_exactly_the_name_given(tmp_path, name):
    """No character of the path means anything to SQLite."""
    filled(tmp_path / name)
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_path_with_other_bytes_than_utf_8_works(tmp_path):
    """A file name is bytes on Linux; Python passes them on as surrogates."""
    name = os.fsdecode(b"\xff\xfe.db")
    filled(tmp_path / name)
    assert os.listdir(tmp_path) == [name]  # noqa: PTH208 - a str, as SQLite saw it


def test_a_relative_path_stays_where_it_was(tmp_path, monkeypatch):
    """Changing the working folder later does not move the database."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with SqliteStore("memories.db") as store:
        monkeypatch.chdir(tmp_path / "elsewhere")
        write(store, make_exchange(0))
    assert (tmp_path / "memories.db").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"path": ""}, "path"),
        ({"path": "a\0b"}, "path"),
        ({"path": b"bytes"}, "path"),
        ({"path": "  "}, "path"),
        ({"path": ":memory:"}, r"from streetai_core\.stores import ReferenceStore"),
        ({"path": "~/x.db"}, r"expanduser\('~/x\.db'\)"),
        ({"path": Path("~/x.db")}, "expanduser"),
        ({"path": "~ada/x.db"}, "expanduser"),
        ({"durability": "slow"}, "durability"),
        ({"busy_timeout": -1}, "busy_timeout"),
        ({"busy_timeout": float("nan")}, "busy_timeout"),
        ({"busy_timeout": 1e9}, "busy_timeout"),
        ({"busy_timeout": "30"}, "busy_timeout"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    """The error names the argument."""
    with pytest.raises(InputError, match=message):
        SqliteStore(**({"path": "x.db"} | arguments))


@pytest.mark.parametrize("kind", [str, Path])
@pytest.mark.parametrize("url", ["postgresql://ada:hush@localhost/x", "redis://localhost:6379", "FILE:///x.db"])
def test_a_url_is_no_path(tmp_path, monkeypatch, url, kind):
    """A folder "postgresql:" would be made, and whoever runs several servers would think that they share a database.

    The password in it stays out of the message, which goes into logs.
    """
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"only files can be used so far.*Store object") as caught:
        SqliteStore(kind(url))
    assert "hush" not in str(caught.value)
    for path in ("notes:2026.db", "./odd:/m.db", "file:x.db"):
        SqliteStore(path)
    assert list(tmp_path.iterdir()) == []


def test_a_name_may_begin_as_the_home_folder_does(tmp_path, monkeypatch):
    """Only a folder of such a name would be a surprise."""
    monkeypatch.chdir(tmp_path)
    filled("~copy.db")
    filled("./~/x.db")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["~", "~copy.db"]


def test_a_folder_is_called_one(tmp_path):
    """It has nothing to do with rights."""
    for use in (filled, lambda path: read(SqliteStore(path))):
        with pytest.raises(ReadOnlyStoreError, match=r"is a folder; give the path of a file in it$"):
            use(tmp_path)


@pytest.mark.parametrize(("durability", "synchronous"), [("full", 2), ("fast", 1)])
def test_connections_are_set_up(path, durability, synchronous):
    """Every setting that durability, erasure and safety rest on is really in force."""
    with SqliteStore(path, busy_timeout=7.0, durability=durability) as store:
        write(store, make_exchange(0))
        connection = store._connections._idle[0].conn
        names = (
            *("journal_mode", "synchronous", "foreign_keys", "secure_delete", "trusted_schema", "cell_size_check"),
            *("mmap_size", "wal_autocheckpoint", "journal_size_limit", "busy_timeout", "application_id"),
            "user_version",
        )
        settings = {name: connection.execute(f"PRAGMA {name}").fetchone() for name in names}
    mmap_size = settings.pop("mmap_size")
    assert mmap_size in {(0,), None}
    assert settings == {
        "journal_mode": ("wal",),
        "synchronous": (synchronous,),
        "foreign_keys": (1,),
        "secure_delete": (1,),
        "trusted_schema": (0,),
        "cell_size_check": (1,),
        "wal_autocheckpoint": (0,),
        "journal_size_limit": (0,),
        "busy_timeout": (7000,),
        "application_id": (APPLICATION_ID,),
        "user_version": (SCHEMA_VERSION,),
    }


def test_an_empty_file_is_taken(path):
    """A file of no bytes, as `tempfile` makes it, is a new database; reading it changes nothing."""
    path.touch()
    with SqliteStore(path) as store:
        assert read(store) is None
        assert store.memory_ids() == []
    assert path.stat().st_size == 0
    filled(path)
    with SqliteStore(path) as store:
        assert head_of(store).version == 1


def test_making_the_tables_waits_for_a_reader_of_the_empty_file(path):
    """Switching the log on needs the file for itself, and SQLite does not wait for that by itself."""
    path.touch()
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as reader, SqliteStore(path, busy_timeout=0.05) as store:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM sqlite_master").fetchall()
        with pytest.raises(MemoryBusyError) as caught:
            write(store, make_exchange(0))
        assert caught.value.waited_seconds >= 0.04
        reader.execute("ROLLBACK")
        assert write(store, make_exchange(0)).version == 1


def made_newer(path):
    """A file of a later version of this library."""
    filled(path)
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")


OTHER_LAYOUTS = {
    "ALTER TABLE words DROP COLUMN rules": "table words lacks rules",
    "ALTER TABLE weights ADD COLUMN favourite INTEGER": "table weights also has favourite",
    "DROP TABLE quarantines": "there is no table quarantines",
}
"""What makes a file one of an older or newer layout whose number was not raised, and what is said of it."""


@pytest.mark.parametrize("change", OTHER_LAYOUTS)
def test_a_file_of_another_layout_is_refused_and_left_alone(path, change):
    """SQLite's "no such column" in the middle of a verb told nobody what to do, or that nothing is damaged."""
    filled(path)
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as connection:
        connection.execute(change)
    before = hashes(path)
    with SqliteStore(path) as store:
        for use in (lambda: read(store), lambda: write(store, make_exchange(1)), store.memory_ids):
            with pytest.raises(OtherLayoutError, match=rf"memories\.db.*{OTHER_LAYOUTS[change]}.*another version"):
                use()
    with pytest.raises(OtherLayoutError, match=r"memories\.db"):
        back_up(path, path.with_name("copy.db"))
    assert hashes(path) == before


def test_a_virtual_table_of_an_extension_that_is_not_here_is_no_other_layout(path):
    """Datasette and the like put search tables into a file; SQLite cannot tell the columns of one without its code."""
    filled(path)
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "INSERT INTO sqlite_master VALUES ('table', 'places', 'places', 0, 'CREATE VIRTUAL TABLE places USING far')"
        )
        connection.execute("PRAGMA writable_schema = RESET")
        with pytest.raises(_sqlite.Error, match="no such module"):
            connection.execute("SELECT * FROM places")
    with SqliteStore(path) as store:
        assert len(all_messages(store)) == 1
        write(store, make_exchange(1))
        assert len(all_messages(store)) == 2


def made_foreign(path):
    """Another program's database, with its id."""
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as connection:
        connection.executescript("PRAGMA application_id = 77; CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1);")


def made_anonymous(path):
    """Another program's database, without any id."""
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as connection:
        connection.executescript("CREATE TABLE memories (memory_id); INSERT INTO memories VALUES ('alice');")


def made_garbage(path):
    """No database at all."""
    path.write_bytes(b"these are not the bytes of a database, " * 100)


def made_headless(path):
    """A database whose first page is lost."""
    filled(path)
    path.write_bytes(b"\0" * 4096 + path.read_bytes()[4096:])


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (made_newer, NewerFileError),
        (made_foreign, DamagedFileError),
        (made_anonymous, DamagedFileError),
        (made_garbage, DamagedFileError),
        (made_headless, DamagedFileError),
    ],
)
def test_a_file_that_is_not_for_us_is_refused_and_left_alone(path, make, error):
    """Reading, writing and listing raise an error with the path; no byte changes, nothing appears beside the file."""
    make(path)
    before = hashes(path)
    with SqliteStore(path) as store:
        for use in (lambda: read(store), lambda: write(store, make_exchange(1)), store.memory_ids):
            with pytest.raises(error, match=r"memories\.db"):
                use()
    assert hashes(path) == before


def test_a_newer_file_that_was_not_closed_is_left_alone(path):
    """Its log belongs to the newer version too: a file left by a crash keeps its bytes, and so does the log."""
    code = """
store = SqliteStore(path)
write(store, make_exchange(0))
store._connections._idle[0].conn.execute(f"PRAGMA user_version = {arguments[0]}")
os._exit(0)
"""
    run(code, path, SCHEMA_VERSION + 1)
    before = {name: value for name, value in hashes(path).items() if not name.endswith("-shm")}
    assert sorted(before) == ["memories.db", "memories.db-wal"]
    with SqliteStore(path) as store:
        with pytest.raises(NewerFileError):
            read(store)
        with pytest.raises(NewerFileError):
            write(store, make_exchange(1))
    after = hashes(path)
    assert {name: after[name] for name in before} == before


def test_an_old_sqlite_is_refused_with_advice(path, monkeypatch):
    """Without STRICT tables the file cannot be made; the message says what to install."""
    monkeypatch.setattr(_sqlite, "VERSION", (3, 36, 0))
    with SqliteStore(path) as store, pytest.raises(StoreError, match="pip install pysqlite3"):
        write(store, make_exchange(0))


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    """A file in the place of the folder is an error that has the path in it."""
    (tmp_path / "a").touch()
    with SqliteStore(tmp_path / "a" / "memories.db") as store, pytest.raises(ReadOnlyStoreError, match=r"memories\.db"):
        write(store, make_exchange(0))


def test_a_folder_in_the_place_of_the_file_is_named(path):
    """It can neither be read nor written."""
    path.mkdir()
    with SqliteStore(path) as store:
        for use in (lambda: read(store), lambda: write(store, make_exchange(0))):
            with pytest.raises(ReadOnlyStoreError, match=r"memories\.db"):
                use()


BECOME_NOBODY = """
# Before the rights to read Python's own files are gone: what loads modules when it is first used.
import urllib.parse
changes = make_exchange(5)
os.setgid(65534)
os.setuid(65534)
"""

READ_AND_TRY_TO_WRITE = (
    BECOME_NOBODY
    + """
with SqliteStore(path, busy_timeout=0) as store:
    print([message.content for message in all_messages(store)], store.memory_ids())
    try:
        write(store, changes)
    except ReadOnlyStoreError as error:
        print("refused", path in str(error))
    print(head_of(store).version)
"""
)

needs_root = pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can become a user without rights"
)


@pytest.fixture
def shared_path():
    """A path that another user can reach; pytest's own folders are closed to others."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder / "memories.db"
        folder.chmod(0o755)


@needs_root
@pytest.mark.parametrize(("folder_mode", "file_mode"), [(0o555, 0o444), (0o555, 0o666), (0o777, 0o444)])
def test_a_file_without_rights_can_be_read_and_not_written(shared_path, folder_mode, file_mode):
    """Whether the folder or the file refuses: reads work, writes raise, and nothing appears beside the file."""
    filled(shared_path)
    shared_path.chmod(file_mode)
    shared_path.parent.chmod(folder_mode)
    before = hashes(shared_path)
    said = run(READ_AND_TRY_TO_WRITE, shared_path)
    assert said == ["['This is what was said in message 0.'] ['alice']", "refused True", "1"]
    assert hashes(shared_path) == before


@needs_root
def test_a_folder_without_rights_refuses_a_new_file(shared_path):
    """There is nothing to read, and nothing can be made."""
    shared_path.parent.chmod(0o555)
    code = READ_AND_TRY_TO_WRITE.replace("    print(head_of(store).version)\n", "")
    assert run(code, shared_path) == ["[] []", "refused True"]
    assert hashes(shared_path) == {}


@needs_root
def test_a_folder_that_cannot_be_looked_into_is_not_taken_for_empty(shared_path):
    """Whether there are memories is unknown, which is an error, not "none"."""
    filled(shared_path)
    shared_path.parent.chmod(0o700)
    code = """
store = SqliteStore(path)
for use in (lambda: read(store), store.memory_ids):
    try:
        use()
    except ReadOnlyStoreError as error:
        print(path in str(error))
"""
    assert run(BECOME_NOBODY + code, shared_path) == ["True", "True"]


@needs_root
def test_a_reader_without_rights_sees_a_live_writer(shared_path):
    """While another user has the file open, its log is read too: the newest commit is seen."""
    with SqliteStore(shared_path) as store:
        write(store, make_exchange(0))
        for name in os.listdir(shared_path.parent):  # noqa: PTH208 - by name, without opening anything
            (shared_path.parent / name).chmod(0o644)
        shared_path.parent.chmod(0o555)
        write(store, make_exchange(1))
        said = run(READ_AND_TRY_TO_WRITE, shared_path)
        assert said[1:] == ["refused True", "2"]
        assert len(all_messages(store)) == 2
