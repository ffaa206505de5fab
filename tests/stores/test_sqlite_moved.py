"""A database whose file is deleted, moved or replaced while it is open: nothing is written where nobody finds it."""

import os
import shutil
import sys

import pytest

from streetai_core.errors import StoreError
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.stores.types import Changes
from streetai_core.testing.factories import make_exchange, make_head
from streetai_core.testing.store_reading import head_of, write
from tests.stores.scripts import run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows lets nobody touch a file that is open")


@pytest.fixture
def path(tmp_path):
    """Where the database is, alone in its folder."""
    return tmp_path / "there" / "memories.db"


@pytest.fixture
def store(path):
    """An open store with one exchange."""
    with SqliteStore(path) as store:
        write(store, make_exchange(0))
        yield store


def calls(store):
    """Each way of using a store."""
    return [
        lambda: head_of(store),
        lambda: write(store, Changes(head=make_head(memory_id="bob"))),
        store.memory_ids,
        store.settle,
    ]


def delete(path):
    """Delete the file and what lies beside it."""
    for name in os.listdir(path.parent):  # noqa: PTH208 - by name, without opening anything
        (path.parent / name).unlink()


def test_a_deleted_file_is_written_no_more(store, path):
    """What is written into a file without a name is gone with the process: every call says so, and makes no file."""
    delete(path)
    for call in calls(store):
        with pytest.raises(StoreError, match=r"memories\.db is no longer there.*to begin a new file"):
            call()
    assert not path.exists()


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_moved_file_is_used_again_when_it_is_back(store, path, what):
    """Nothing is written under a name that nobody knows; put back, all that was stored is there."""
    moved = path if what == "file" else path.parent
    moved.rename(moved.with_name("elsewhere"))
    for call in calls(store):
        with pytest.raises(StoreError, match="Move it back"):
            call()
    moved.with_name("elsewhere").rename(moved)
    assert head_of(store).version == 1
    write(store, Changes(head=head_of(store)))
    store.close()
    with SqliteStore(path) as again:
        assert head_of(again).version == 2


def test_a_file_in_its_place_is_not_written_beside(store, path):
    """The file that is there now is another one, with another history: a new store reads it, this one does not."""
    with SqliteStore(path.with_name("other.db")) as other:
        write(other, Changes(head=make_head(memory_id="carol")))
    path.with_name("other.db").replace(path)
    for call in calls(store):
        with pytest.raises(StoreError, match=r"another file was put in the place of .*memories\.db"):
            call()
    store.close()
    for name in ("memories.db-wal", "memories.db-shm"):
        path.with_name(name).unlink(missing_ok=True)
    with SqliteStore(path) as again:
        assert again.memory_ids() == ["carol"]


def test_a_block_that_is_open_keeps_others_from_the_new_file(store, path):
    """A second connection would be one to another file than the first."""
    with store._connections.for_reading():
        assert store._connections._idle == []
        shutil.copy(path, path.with_name("copy.db"))
        path.with_name("copy.db").replace(path)
        with pytest.raises(StoreError, match="another file"), store._connections.for_reading():
            pass


@pytest.mark.parametrize("others", [(), ("-shm",)])
def test_a_log_that_is_deleted_is_written_no_more(store, path, others):
    """What was written next was in a file without a name, and gone with a crash; closed, nothing is lost."""
    for name in ("-wal", *others):
        path.with_name(path.name + name).unlink()
    for call in calls(store):
        with pytest.raises(StoreError, match=r"memories\.db-wal, the log .* was deleted.*Close the memory"):
            call()
    store.close()
    with SqliteStore(path) as again:
        assert head_of(again).version == 1
        write(again, Changes(head=head_of(again)))


def test_a_log_that_is_put_back_is_used_again(store, path):
    """By its name and not by its content: another one is refused."""
    log = path.with_name(path.name + "-wal")
    log.rename(log.with_name("elsewhere"))
    shutil.copy(log.with_name("elsewhere"), log)
    for call in calls(store):
        with pytest.raises(StoreError, match="the log of a database"):
            call()
    log.with_name("elsewhere").replace(log)
    write(store, Changes(head=head_of(store)))
    assert head_of(store).version == 2


def test_a_new_store_begins_a_new_file(store, path):
    """As the error advises: also while the old one is not closed yet."""
    delete(path)
    with SqliteStore(path) as again:
        write(again, make_exchange(0))
        assert head_of(again).version == 1
    assert path.exists()


def test_a_file_that_others_rewrite_in_place_is_the_same(store, path):
    """Another process that writes, rewrites the whole file or copies its log does not replace it."""
    run(
        "with SqliteStore(path) as other:\n"
        "    write(other, Changes(head=head_of(other)))\n"
        "    with other._connections.for_writing() as database: database.conn.execute('VACUUM')\n"
        "    other.settle()",
        path,
    )
    assert head_of(store).version == 2
