"""What one process has deleted while another one read: the next write of any process takes it out of the log."""

from contextlib import closing

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.stores import _sqlite, checkpoints
from streetai_core.stores.schema import ERASES
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.upkeep.doctor import examine
from tests.stores.scripts import finish, start

DOOR_CODE = "8274-KQXW-ZEBRA"

FORGET = """
from streetai_core import MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder
registry = MemoryRegistry(path, encoder=HashingEncoder(64), durability="fast")
print("complete" if registry.get("alice").forget(message="code").complete else "not yet", flush=True)
sys.stdin.readline()
"""
"""The process is killed afterwards, or goes on and writes nothing more, or ends as it should."""

FIND = """
from pathlib import Path
folder = Path(path).parent
print(*(one.name for one in folder.iterdir() if arguments[0].encode() in one.read_bytes()), sep="\\n", end="")
"""


def places(path):
    """The files of a database that have the door's code, as another process finds them: this one has locks on them."""
    return finish(start(FIND, path, DOOR_CODE))


def noted(path):
    """Whether the doctor tells that something deleted may still be in the log."""
    return any("write-ahead log" in finding.what for finding in examine(path).findings)


@pytest.fixture
def server(tmp_path):
    """A registry that has written before, as a server has."""
    path = tmp_path / "memories.db"
    with MemoryRegistry(path, encoder=HashingEncoder(64), durability="fast") as registry:
        registry.get("alice").add_message(f"My door code is {DOOR_CODE}.", "user", message_id="code")
        registry.get("bob").add_message("The herons come back in March.", "user")
        yield registry


@pytest.mark.parametrize("ends", ["killed", "later"])
def test_the_next_write_of_another_process_takes_it_out(server, tmp_path, ends):
    """Of any memory, whatever became of the process that deleted it."""
    path = tmp_path / "memories.db"
    with SqliteStore(path) as reader, reader.reading("alice") as reading:
        assert reading.head is not None
        eraser = start(FORGET, path)
        assert eraser.stdout.readline() == "not yet\n"
        if ends == "killed":
            eraser.kill()
            eraser.communicate()
        assert places(path) != []
        assert noted(path)
    server.get("bob").add_message("The curlews have left.", "user")
    assert places(path) == []
    assert not noted(path)
    assert [one.content for one in server.get("alice").messages()] == []
    if ends == "later":
        eraser.stdin.write("go\n")
        finish(eraser)


def test_while_somebody_reads_each_write_tries_again(server, tmp_path):
    """And the file tells it as long as it is so."""
    path = tmp_path / "memories.db"
    with SqliteStore(path) as reader, reader.reading("alice") as reading:
        assert reading.head is not None
        assert not server.get("alice").forget(message="code").complete
        for text in ("The curlews have left.", "The geese are late."):
            server.get("bob").add_message(text, "user")
            assert noted(path)
            assert places(path) != []
    server.get("bob").add_message("All is quiet.", "user")
    assert not noted(path)
    assert places(path) == []


def test_a_file_that_was_closed_in_the_middle_is_like_any_other(tmp_path):
    """What is told in its header is no more true, and taken back with the next write."""
    path = tmp_path / "memories.db"
    with MemoryRegistry(path, encoder=HashingEncoder(64), durability="fast") as registry:
        registry.get("alice").add_message(f"My door code is {DOOR_CODE}.", "user", message_id="code")
        with SqliteStore(path) as reader, reader.reading("alice") as reading:
            assert reading.head is not None
            registry.get("alice").forget(message="code")
    assert places(path) == []
    assert not noted(path)
    with MemoryRegistry(path, encoder=HashingEncoder(64), durability="fast") as registry:
        registry.get("bob").add_message("The herons come back in March.", "user")
        assert registry.doctor().healthy
        assert not noted(path)


def test_what_is_deleted_while_the_log_is_copied_is_told_of(server, tmp_path, monkeypatch):
    """Between the two locks of the copying, by another process: its commit is in the log that it has begun."""
    path, locks, lock = tmp_path / "memories.db", [], checkpoints._lock_at_once

    def erases():
        with closing(_sqlite.connect(path.as_uri(), timeout=0)) as other:
            for statement in ("BEGIN IMMEDIATE", ERASES, "COMMIT"):
                other.execute(statement)

    def locking(guard):
        locks.append(guard)
        if len(locks) == 2:
            erases()
        return lock(guard)

    erases()
    monkeypatch.setattr(checkpoints, "_lock_at_once", locking)
    server.get("bob").add_message("The curlews have left.", "user")
    assert len(locks) == 2
    assert noted(path)
    server.get("bob").add_message("The geese are late.", "user")
    assert not noted(path)
