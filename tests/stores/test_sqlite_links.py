"""A database behind a link: what SQLite keeps beside it lies beside the file, not beside the link."""

import os
import shutil
import sys

import pytest

from streetai_core.stores.checkpoints import _LOG_BYTES
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.stores.types import Changes
from streetai_core.testing.factories import make_exchange
from streetai_core.testing.store_reading import all_messages, head_of, write
from streetai_core.upkeep.backup import back_up, restore
from streetai_core.upkeep.doctor import examine
from streetai_core.upkeep.salvage import salvage
from tests.stores.scripts import occurrences

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")


@pytest.fixture
def path(tmp_path):
    """The file."""
    (tmp_path / "disk").mkdir()
    return tmp_path / "disk" / "memories.db"


@pytest.fixture
def link(tmp_path, path):
    """A link to the file, in another folder."""
    (tmp_path / "app").mkdir()
    link = tmp_path / "app" / "memories.db"
    link.symlink_to(path)
    return link


def test_the_file_is_made_where_the_link_leads(path, link):
    """And nothing beside the link, which stays one."""
    with SqliteStore(link) as store:
        write(store, make_exchange(0))
        assert store.path == str(path.resolve())
        assert sorted(os.listdir(path.parent)) == ["memories.db", "memories.db-shm", "memories.db-wal"]  # noqa: PTH208 - by name
        assert [one.name for one in link.parent.iterdir()] == ["memories.db"]
    assert link.is_symlink()
    assert SqliteStore(path).memory_ids() == ["alice"]


def test_what_was_deleted_is_nowhere_in_the_log(path, link):
    """Who looked for the log beside the link found none, and took what is in it for erased."""
    with SqliteStore(link, durability="fast") as store:
        write(store, make_exchange(0))
        text = all_messages(store)[0].content.encode()
        assert occurrences(path, [text]) != [0]
        write(store, Changes(head=head_of(store), wipe=True))
        assert occurrences(path, [text]) == [0]


def test_the_log_stays_small(path, link):
    """It was copied when the file was closed, and not before."""
    with SqliteStore(link, durability="fast") as store:
        for number in range(80):
            write(store, make_exchange(number, head=head_of(store) if number else None))
            assert path.with_name("memories.db-wal").stat().st_size < _LOG_BYTES + 1_000_000


def test_upkeep_sees_what_is_in_the_log(path, link, tmp_path):
    """Of a file that was left with its log, as by a program that was killed."""
    left = tmp_path / "left"
    with SqliteStore(path) as store:
        write(store, make_exchange(0))
        shutil.copytree(path.parent, left)
    link.unlink()
    link.symlink_to(left / "memories.db")
    assert examine(link).log_bytes > 0
    assert salvage(link, tmp_path / "saved.db").memories[0].rows["messages"] == 1
    assert back_up(link, tmp_path / "copy.db").memories == {"alice": 1}


def test_a_restore_replaces_the_file_and_not_the_link(path, link, tmp_path):
    """Also where there is no file yet."""
    with SqliteStore(tmp_path / "copy.db") as store:
        write(store, make_exchange(0))
    for overwrite in (False, True):
        restore(tmp_path / "copy.db", link, overwrite=overwrite)
        assert link.is_symlink()
        assert SqliteStore(path).memory_ids() == ["alice"]
