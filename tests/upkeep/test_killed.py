"""What a backup leaves when it is killed: a whole copy in a hidden folder, of which somebody has to know."""

import os
import shutil
import signal
from contextlib import ExitStack

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_core.stores import drafts
from streetai_core.stores.drafts import draft_folder, left_in, remove_left
from streetai_core.upkeep.backup import back_up, restore
from streetai_core.upkeep.doctor import examine
from streetai_core.upkeep.salvage import salvage
from tests.stores.scripts import start
from tests.upkeep.files import fill

KILLED = """
from pathlib import Path
from streetai_core.stores.drafts import draft_folder
with draft_folder(Path(path)) as folder:
    (folder / "draft.db").write_text("My door code is 8274-KQXW.")
    print(folder, flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def living(tmp_path):
    """A process that is making a file beside the database; it ends with the test at the latest."""
    process = start(KILLED, tmp_path)
    assert process.stdout.readline()
    yield process
    process.kill()
    process.communicate()


@pytest.fixture
def left(living, tmp_path):
    """The folder of one that was killed at it."""
    living.send_signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    living.wait()
    (folder,) = tmp_path.glob(".streetai-*")
    assert "KQXW" in (folder / "draft.db").read_text()
    return folder


WAYS = {
    "a backup": lambda path, folder: back_up(path, folder / "copy.db"),
    "a salvage": lambda path, folder: salvage(path, folder / "saved.db"),
    "a restore": lambda path, folder: restore(path, folder / "restored.db"),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_next_one_removes_what_a_killed_one_left(path, left, way):
    """A copy of everything would stay for ever, with all that is forgotten later."""
    fill(path)
    WAYS[way](path, left.parent)
    assert not left.exists()
    assert list(left.parent.glob(".streetai-*")) == []


def test_the_doctor_names_it(path, left):
    """And changes nothing; that somebody is making a backup now is no finding."""
    fill(path)
    (found,) = [one for one in examine(path).findings if one.severity != "note"]
    assert str(left) in found.what
    assert found.severity == "problem"
    assert left.exists()
    remove_left(left.parent)
    assert examine(path).healthy


def test_forgetting_removes_it(path, left):
    """A receipt that is complete tells of no byte beside the database that a copy has."""
    with MemoryRegistry(path, encoder=HashingEncoder(64)) as registry:
        registry.get("mara").add_message("My door code is 8274-KQXW.", "user", message_id="code")
        receipt = registry.get("mara").forget(message="code")
    assert receipt.complete
    assert not left.exists()


def test_a_receipt_names_what_could_not_be_removed(path, left, monkeypatch):
    """It is not complete then."""
    monkeypatch.setattr(shutil, "rmtree", lambda *_, **__: None)
    with MemoryRegistry(path, encoder=HashingEncoder(64)) as registry:
        registry.get("mara").add_message("My door code is 8274-KQXW.", "user", message_id="code")
        receipt = registry.get("mara").forget(message="code")
    assert not receipt.complete
    assert str(left) in receipt.pending[0]


def test_what_is_being_made_stays(path, living, tmp_path):
    """Another backup, the doctor and an erasure leave the folder of a living process alone."""
    fill(path)
    back_up(path, tmp_path / "copy.db")
    assert examine(path).healthy
    assert remove_left(tmp_path) == []
    (folder,) = tmp_path.glob(".streetai-*")
    assert (folder / "draft.db").exists()


def test_two_in_one_process_leave_each_other_alone(tmp_path):
    """Two threads may make a backup each: a lock that is looked at is not lost."""
    with ExitStack() as stack:
        folders = [stack.enter_context(draft_folder(tmp_path)) for _ in range(3)]
        assert left_in(tmp_path) == []
        assert all(folder.is_dir() for folder in folders)
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_was_killed_before_it_had_a_lock_leaves_nothing(tmp_path):
    """Only an empty folder of such a name; others are somebody else's."""
    (tmp_path / ".streetai-abcdefgh").mkdir()
    for name in (".streetai-config", ".streetai-mine_too"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("mine")
    remove_left(tmp_path)
    assert sorted(one.name for one in tmp_path.iterdir()) == [".streetai-config", ".streetai-mine_too"]


def test_who_is_taken_for_dead_before_having_a_lock_makes_another_folder(tmp_path, monkeypatch):
    """Another process may look at the folder between the moments of making and of locking it."""
    made = []
    mkdtemp = drafts.tempfile.mkdtemp

    def raced(**arguments):
        made.append(mkdtemp(**arguments))
        if len(made) == 1:
            os.rmdir(made[0])  # noqa: PTH106 - a str
        return made[-1]

    monkeypatch.setattr(drafts.tempfile, "mkdtemp", raced)
    with draft_folder(tmp_path) as folder:
        assert [str(folder)] == made[1:]


def test_where_a_file_system_has_no_locks_nothing_is_removed(tmp_path, monkeypatch):
    """Nobody can tell there who is alive; making a backup works."""

    def unsupported(_):
        raise OSError("no locks available")

    monkeypatch.setattr(drafts, "_lock_file", unsupported)
    with draft_folder(tmp_path) as folder:
        assert remove_left(tmp_path) == left_in(tmp_path) == []
        assert folder.is_dir()
