"""A database that was emptied or deleted while its log was in use: the log is kept, and what is in it can be saved.

A slip in a shell (`> memory.db`) or a copy that failed leaves such a file. SQLite deletes the log of an empty file when
it opens it, whatever for.
"""

import os
import shlex
import shutil
import sys

import pytest

from streetai_core.errors import DamagedFileError, InputError
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.testing.factories import make_exchange
from streetai_core.testing.store_reading import all_messages, head_of, write
from streetai_core.upkeep.backup import back_up, restore
from streetai_core.upkeep.doctor import examine
from streetai_core.upkeep.salvage import salvage
from tests.stores.scripts import hashes

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows lets nobody copy a log that is in use")


@pytest.fixture
def whole(tmp_path):
    """A whole database, closed."""
    path = tmp_path / "whole.db"
    with SqliteStore(path) as store:
        write(store, make_exchange(0))
    return path


@pytest.fixture(params=["emptied", "deleted"])
def left(request, path, tmp_path):
    """What is left of a database of two messages: its log. The tables were in the file, which was copied before."""
    there = tmp_path / "there" / "memories.db"
    with SqliteStore(there) as store:
        for number in range(2):
            write(store, make_exchange(number, head=head_of(store) if number else None))
        shutil.copy(there.with_name("memories.db-wal"), path.with_name("memories.db-wal"))
    if request.param == "emptied":
        path.touch()
    return path


def test_the_command_that_saves_the_log_is_safe_to_copy(left):
    """If it fails, a name with a blank is two files, and one with a semicolon another command."""
    odd = left.rename(left.with_name("a b;c.db")) if left.exists() else left.with_name("a b;c.db")
    left.with_name(f"{left.name}-wal").rename(odd.with_name(f"{odd.name}-wal"))
    with SqliteStore(odd) as store, pytest.raises(DamagedFileError) as refused:
        write(store, make_exchange(0))
    told = str(refused.value).partition("with: ")[2]
    assert ["streetai", "salvage", str(odd), "-o", "NEW.db"] == shlex.split(told)


def test_nobody_deletes_the_log(left, tmp_path):
    """Looking, writing and copying do nothing, and say how to save what is in it."""
    before = hashes(left)
    with SqliteStore(left) as store, pytest.raises(DamagedFileError, match="salvage"):
        write(store, make_exchange(0))
    health = examine(left)
    assert (health.readable, health.findings[0].severity) == (False, "damage")
    if left.exists():
        with SqliteStore(left) as store, pytest.raises(DamagedFileError, match="is empty, and its log"):
            store.memory_ids()
        with pytest.raises(DamagedFileError, match="salvage"):
            back_up(left, tmp_path / "copy.db")
    assert hashes(left) == before


def test_what_is_in_the_log_is_saved(left, tmp_path):
    """All of it, if none was copied into the file: the tables themselves are the same in all our files."""
    before = hashes(left)
    assert salvage(left, tmp_path / "saved.db").complete
    with SqliteStore(tmp_path / "saved.db") as store:
        assert [message.sequence for message in all_messages(store)] == [0, 1]
    assert {name: found for name, found in hashes(left).items() if name in before} == before


def test_a_restore_keeps_the_log(left, whole):
    """Beside the database that comes in its place, for whoever needs what came after the backup."""
    log = hashes(left)["memories.db-wal"]
    if left.exists():
        restore(whole, left, overwrite=True)
        assert hashes(left)["memories.db.damaged-wal"] == log
        assert SqliteStore(left).memory_ids() == ["alice"]
    else:
        with pytest.raises(InputError, match=r"memories\.db-wal is beside it"):
            restore(whole, left)
        assert hashes(left) == {"memories.db-wal": log}


def test_a_file_that_is_emptied_while_it_is_open(path, tmp_path):
    """The next call says so, and what was stored can be saved before its program ends and after."""
    with SqliteStore(path) as store:
        for number in range(2):
            write(store, make_exchange(number, head=head_of(store) if number else None))
        os.truncate(path, 0)
        with pytest.raises(DamagedFileError, match="was emptied while it was open here"):
            head_of(store)
        with pytest.raises(DamagedFileError, match="was emptied while it was open here"):
            write(store, make_exchange(2))
        assert salvage(path, tmp_path / "before.db").memories[0].rows["messages"] == 2
    assert salvage(path, tmp_path / "after.db").memories[0].rows["messages"] == 2
