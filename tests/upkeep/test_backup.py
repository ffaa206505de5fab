"""Backups under load, and putting them back: all or nothing, and never something damaged."""

import json
import os
import stat
import sys
import threading
from contextlib import closing, suppress

import pytest
from click.testing import CliRunner

from streetai_core import MemoryRegistry
from streetai_core.cli import main
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import DamagedFileError, InputError, StaleMemoryError, StoreError
from streetai_core.stores import _sqlite
from streetai_core.stores.reference import ReferenceStore
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.testing.store_reading import all_messages
from streetai_core.upkeep.backup import back_up, restore
from streetai_core.upkeep.doctor import examine
from streetai_core.upkeep.salvage import salvage
from tests.stores.scripts import hashes, start
from tests.upkeep.files import NAMES, everything, fill

BACKUPS = 20
WAIT = 60
"""Seconds within which each of two writers must get its turn: twice what a store waits for a lock."""


def opened(path):
    """A registry that needs no model."""
    return MemoryRegistry(path, encoder=HashingEncoder(64), durability="fast")


def run(*words):
    """The program's exit code, and what it printed as JSON."""
    done = CliRunner().invoke(main, [*words, "--json"])
    return done.exit_code, json.loads(done.output) if done.exit_code == 0 else done.output


def damage(path):
    """Make one row of the second memory wrong."""
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as connection:
        assert connection.execute("UPDATE vectors SET crc = crc + 1 WHERE memory_key = 2 AND signal_key = 7").rowcount


WRITER = """
import time
store = SqliteStore(path, durability="fast")
for number in range(1_000_000):
    with store.writing(arguments[0]) as writing:
        head = writing.head or make_head(memory_id=arguments[0])
        writing.apply(make_exchange(number, head=head), now=NOON)
    print(number, flush=True)
    # Lets the other one have its turn, and keeps the file small: two that write without a pause starve each other.
    time.sleep(0.005)
"""


class Acknowledged:
    """What a writer in another process has said that it stored."""

    def __init__(self, path, name):
        self.process = start(WRITER, path, name)
        self.last = int(self.process.stdout.readline())
        self.wrote = threading.Event()
        self.thread = threading.Thread(target=self.follow)
        self.thread.start()

    def follow(self):
        """Read on until the writer is killed."""
        for line in self.process.stdout:
            with suppress(ValueError):
                self.last = int(line)
                self.wrote.set()

    def next(self):
        """The number of the first version that is stored after this call; SQLite lets nobody wait in a queue."""
        self.wrote.clear()
        assert self.wrote.wait(WAIT), f"a writer stored nothing for {WAIT} seconds"
        return self.last

    def end(self):
        """Kill the writer."""
        self.process.kill()
        self.thread.join()
        self.process.communicate()


def test_twenty_backups_under_load_are_whole_and_miss_nothing(path, tmp_path):
    """Two processes write before and after each: what they had acknowledged when one began is in it, without a gap."""
    with SqliteStore(path) as store, store.writing("first"):
        pass
    writers = {name: Acknowledged(path, name) for name in ("one", "two")}
    try:
        for number in range(BACKUPS):
            before = {name: writer.next() for name, writer in writers.items()}
            copy = tmp_path / f"{number}.db"
            backup = back_up(path, copy)
            assert (backup.path, backup.size_bytes) == (str(copy), copy.stat().st_size)
            with SqliteStore(copy) as store:
                for name, last in before.items():
                    stored = [message.sequence for message in all_messages(store, name)]
                    assert stored == list(range(len(stored)))
                    assert len(stored) == backup.memories[name] > last
    finally:
        for writer in writers.values():
            writer.end()
    assert examine(path).healthy


def test_a_backup_says_what_the_database_says(path, tmp_path):
    """Also through a registry that is open, into a folder that is made for it; nothing else is left there."""
    expected = fill(path)
    copy = tmp_path / "backups" / "monday.db"
    with opened(path) as registry:
        backup = registry.backup(copy)
    assert dict(backup.memories) == dict.fromkeys(NAMES, 39)
    assert [one.name for one in copy.parent.iterdir()] == ["monday.db"]
    with SqliteStore(copy) as store:
        assert {name: everything(store, name) for name in NAMES} == expected


def test_nothing_is_replaced_unasked(path, tmp_path):
    """Not an older backup, not a file in use, not a folder, not the database itself."""
    fill(path)
    copy, folder, used = tmp_path / "copy.db", tmp_path / "folder", tmp_path / "used.db"
    folder.mkdir()
    copy.write_bytes(b"precious")
    for target in (copy, folder, path):
        with pytest.raises(InputError):
            back_up(path, target)
        assert copy.read_bytes() == b"precious"
    fill(used)
    with SqliteStore(used) as store, store.reading("alice"), pytest.raises(InputError, match="in use"):
        back_up(path, used, overwrite=True)
    for options in ({"overwrite": True}, {}):
        with pytest.raises(InputError, match="itself"):
            restore(path, path, **options)
    with pytest.raises(InputError, match="itself"):
        back_up(path, path, overwrite=True)
    assert back_up(path, copy, overwrite=True).memories
    assert examine(copy).healthy


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
def test_the_log_of_the_database_is_no_place_for_a_copy(path, ending):
    """What was stored last is in it, or will be: the copy would take its place, and be gone with it."""
    fill(path)
    part = f"{path}{ending}"
    with SqliteStore(path) as store:
        before = everything(store, "alice")
    with SqliteStore(path) as store, store.reading("alice"):
        for write in (back_up, restore):
            for options in ({"overwrite": True}, {}):
                with pytest.raises(InputError):
                    write(path, part, **options)
    with SqliteStore(path) as store:
        assert everything(store, "alice") == before
    for write in (back_up, restore, salvage):
        with pytest.raises(InputError, match="a part of it"):
            write(path, part)


@pytest.mark.parametrize("name", ["x" * 3000, "\ud800"])
def test_a_name_that_no_file_can_have_is_refused(path, tmp_path, name):
    """By whatever makes a file or reads one: the error is the library's, and says which name it is."""
    fill(path)
    odd = str(tmp_path / name)
    for call in (
        lambda: back_up(path, odd),
        lambda: restore(path, odd),
        lambda: restore(odd, tmp_path / "new.db"),
        lambda: salvage(path, odd),
        lambda: salvage(odd, tmp_path / "new.db"),
    ):
        with pytest.raises((InputError, StoreError)):
            call()
    assert [path.name] == [one.name for one in tmp_path.iterdir() if one.is_file()]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes among files")
def test_what_is_no_file_is_not_replaced(path, tmp_path):
    """A pipe would be gone, and whoever reads it would wait for ever."""
    fill(path)
    copy, pipe = tmp_path / "copy.db", tmp_path / "pipe"
    back_up(path, copy)
    os.mkfifo(pipe)
    for replace in (lambda: back_up(path, pipe, overwrite=True), lambda: restore(copy, pipe, overwrite=True)):
        with pytest.raises(InputError, match="no file that can be replaced"):
            replace()
        assert pipe.is_fifo()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
@pytest.mark.parametrize(
    ("database", "replaced", "copied"),
    [(0o600, None, 0o600), (0o640, None, 0o640), (0o600, 0o644, 0o600), (0o644, 0o600, 0o600), (0o444, None, 0o644)],
)
def test_a_copy_is_as_private_as_the_database(path, tmp_path, database, replaced, copied):
    """A backup in a folder of others would let them read what the database keeps from them; so would a restored one."""
    fill(path)
    path.chmod(database)
    copy, back, saved = tmp_path / "copy.db", tmp_path / "back.db", tmp_path / "saved.db"
    if replaced is not None:
        copy.write_bytes(b"old")
        copy.chmod(replaced)
    back_up(path, copy, overwrite=True)
    assert stat.S_IMODE(copy.stat().st_mode) == copied
    restore(copy, back)
    assert stat.S_IMODE(back.stat().st_mode) == copied
    salvage(path, saved)
    assert stat.S_IMODE(saved.stat().st_mode) == stat.S_IMODE(database | 0o600)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
def test_a_ruined_database_is_replaced_by_one_as_private(path, tmp_path):
    """The backup may lie where everybody reads; the place of the database is still its owner's."""
    fill(path)
    copy = tmp_path / "copy.db"
    back_up(path, copy)
    path.write_bytes(b"what once was a database" * 500)
    path.chmod(0o600)
    restore(copy, path, overwrite=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_damaged_database_is_not_backed_up(path, tmp_path):
    """Whoever believed to have a backup would find out when it is needed."""
    fill(path)
    damage(path)
    copy = tmp_path / "copy.db"
    copy.write_bytes(b"the last good one")
    with pytest.raises(DamagedFileError, match="'bob'"):
        back_up(path, copy, overwrite=True)
    assert copy.read_bytes() == b"the last good one"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["copy.db", "memories.db"]


@pytest.mark.parametrize("wrong", ["missing", "empty", "no database"])
def test_what_is_no_database_is_not_backed_up(path, tmp_path, wrong):
    """With an error of ours."""
    if wrong != "missing":
        path.write_bytes(b"" if wrong == "empty" else b"something else entirely" * 100)
    copy = tmp_path / "copy.db"
    code, printed = run("backup", str(path), "-o", str(copy))
    assert (code, copy.exists(), "Traceback" in printed) == (1, False, False)


@pytest.mark.parametrize("copy", [back_up, restore])
def test_a_file_in_which_nothing_was_stored_is_told_so(path, tmp_path, copy):
    """If it fails, whoever runs a backup before the first message reads of a table that is missing."""
    path.touch()
    with pytest.raises(InputError, match="nothing was stored in it yet"):
        copy(path, tmp_path / "copy.db")
    assert [path] == list(tmp_path.iterdir())
    assert b"" == path.read_bytes()


def test_a_store_without_a_file_has_no_backup(tmp_path):
    """It says so."""
    with MemoryRegistry(ReferenceStore()) as registry, pytest.raises(InputError, match="ReferenceStore"):
        registry.backup(tmp_path / "copy.db")


def test_a_backup_is_restored_where_nothing_is(path, tmp_path):
    """The file says what it said, and the backup stays as it is."""
    expected = fill(path)
    copy, new = tmp_path / "copy.db", tmp_path / "new" / "memories.db"
    back_up(path, copy)
    before = hashes(copy)
    assert dict(restore(copy, new).memories) == dict.fromkeys(NAMES, 39)
    assert hashes(copy) == before
    with SqliteStore(new) as store:
        assert {name: everything(store, name) for name in NAMES} == expected


def test_a_database_in_use_is_replaced_in_one_step(path, tmp_path):
    """Open handles never mix what was with what is: they raise, and new ones see the backup, in any process."""
    copy = tmp_path / "copy.db"
    with opened(path) as registry, opened(path) as elsewhere:
        memory, far = registry.get("alice"), elsewhere.get("alice")
        memory.add_message("The berth is number 31.", "user")
        registry.backup(copy)
        memory.add_message("The berth is number 77.", "user")
        gone = registry.get("later")
        gone.add_message("Not in the backup.", "user")
        assert len(far.messages()) == 2
        with pytest.raises(InputError, match="overwrite=True"):
            restore(copy, path)
        restore(copy, path, overwrite=True)
        for handle in (memory, far, gone):
            with pytest.raises(StaleMemoryError):
                handle.messages()
        anew = elsewhere.get("alice")
        assert [message.content for message in anew.messages()] == ["The berth is number 31."]
        anew.add_message("The berth is number 12.", "user")
        assert len(registry.get("alice").retrieve("berth number")) == 2
        assert registry.ids() == ["alice"]
        assert registry.doctor().healthy
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith("mem")] == ["memories.db"]


def test_a_damaged_backup_replaces_nothing(path, tmp_path):
    """It is examined before."""
    expected = fill(path)
    copy = tmp_path / "copy.db"
    back_up(path, copy)
    damage(copy)
    code, printed = run("restore", str(copy), "-o", str(path), "--force")
    assert (code, "'bob'" in printed) == (1, True)
    with SqliteStore(path) as store:
        assert {name: everything(store, name) for name in NAMES} == expected


@pytest.mark.parametrize("content", [b"", b"what once was a database" * 500, None])
def test_a_ruined_database_is_kept_beside_the_restored_one(path, tmp_path, content):
    """Somebody may still want to salvage it."""
    expected = fill(path)
    copy = tmp_path / "copy.db"
    assert run("backup", str(path), "-o", str(copy))[1]["memories"] == dict.fromkeys(NAMES, 39)
    ruined = content if content is not None else bytes(100) + path.read_bytes()[100:]
    path.write_bytes(ruined)
    assert run("restore", str(copy), "-o", str(path), "--force")[0] == 0
    with SqliteStore(path) as store:
        assert {name: everything(store, name) for name in NAMES} == expected
    aside = tmp_path / "memories.db.damaged"
    assert aside.exists() is bool(content != b"")
    if aside.exists():
        assert aside.read_bytes() == ruined
        path.write_bytes(ruined)
        assert "is there already" in run("restore", str(copy), "-o", str(path), "--force")[1]


async def test_the_twin_does_the_same(path, tmp_path):
    """On a worker thread."""
    async with opened(path) as registry:
        await registry.get("alice").aadd_message("The berth is number 31.", "user")
        assert dict((await registry.abackup(tmp_path / "copy.db")).memories) == {"alice": 1}
