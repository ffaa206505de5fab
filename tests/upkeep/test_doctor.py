"""The doctor: what it finds, what it says about it, and that it changes nothing."""

import json
import os
import sys
from contextlib import closing

import pytest
from click.testing import CliRunner

from streetai_core import Config, MemoryRegistry
from streetai_core.cli import main
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import InputError
from streetai_core.stores import _sqlite
from streetai_core.stores.reference import ReferenceStore
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.upkeep.doctor import examine
from streetai_core.upkeep.mounts import network_file_system
from tests.stores.scripts import finish, hashes, start
from tests.upkeep.files import everything, fill


def change(path, statement):
    """Change the file as damage does: without the checks that its tables have."""
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("PRAGMA foreign_keys = OFF")
        assert connection.execute(statement).rowcount >= 1


def run(*words):
    """The program's exit code, and what it printed as JSON."""
    done = CliRunner().invoke(main, [*words, "--json"])
    return done.exit_code, json.loads(done.output)


def damage_in(health):
    """What is damaged, without the notes that depend on the machine."""
    return [finding for finding in health.findings if finding.severity != "note"]


def test_a_whole_file_is_healthy_and_stays_as_it_is(path):
    """All rows are counted; no byte changes, and no file is made beside it."""
    fill(path)
    before = hashes(path)
    health = examine(path)
    assert (health.healthy, health.readable, damage_in(health)) == (True, True, [])
    assert [(memory.memory_id, memory.whole) for memory in health.memories] == [("alice", True), ("bob", True)]
    assert dict(health.memories[0].rows) == {
        "messages": 39,
        "signals": 39,
        "weights": 39,
        "stacks": 1,
        "words": 39,
        "credits": 39,
        "journal": 2,
        "cues": 0,
        "quarantines": 0,
    }
    assert (health.size_bytes, health.schema_version) == (path.stat().st_size, 1)
    assert hashes(path) == before
    code, printed = run("doctor", str(path))
    assert (code, printed) == (0, json.loads(json.dumps(health.to_dict())))


DAMAGE = {
    "message": "UPDATE messages SET content = content || 'x' WHERE memory_key = 1 AND sequence = 7",
    "signal": "UPDATE signals SET start = 1 WHERE memory_key = 1 AND signal_key = 7",
    "vector": "UPDATE vectors SET crc = crc + 1 WHERE memory_key = 1 AND signal_key = 7",
    "weight": "UPDATE weights SET base_weight = 7 WHERE memory_key = 1 AND signal_key = 7",
    "stack": "UPDATE stacks SET size = 7 WHERE memory_key = 1",
    "words": "UPDATE words SET characters = 7 WHERE memory_key = 1 AND sequence = 7",
    "credit": "UPDATE credits SET contribution = 0.25 WHERE memory_key = 1 AND signal_key = 7",
    "journal": "UPDATE journal SET next_signal = 7 WHERE memory_key = 1 AND version = 1",
    "lost row": "DELETE FROM weights WHERE memory_key = 1 AND signal_key = 7",
    "counter": "UPDATE memories SET stored_words = 7 WHERE memory_key = 1",
    "head": "UPDATE memories SET next_turn = 7 WHERE memory_key = 1",
    "not text": "UPDATE messages SET content = CAST(x'ff00fe' AS TEXT) WHERE memory_key = 1 AND sequence = 7",
}


@pytest.mark.parametrize("what", DAMAGE)
def test_the_damaged_memory_is_named_and_the_other_one_readable(path, what):
    """Whatever row is damaged; the exit code says it too."""
    expected = fill(path)
    if what == "lost row":
        # The trigger would count the row out.
        change(path, "UPDATE weights SET memory_key = 99 WHERE memory_key = 1 AND signal_key = 7")
    else:
        change(path, DAMAGE[what])
    health = examine(path)
    assert (health.readable, health.healthy) == (True, False)
    assert {finding.memory_id for finding in damage_in(health)} - {None} == {"alice"}
    assert {memory.memory_id: memory.whole for memory in health.memories}["bob"]
    assert run("doctor", str(path))[0] == 1
    with SqliteStore(path) as store:
        assert everything(store, "bob") == expected["bob"]


def test_rows_that_belong_to_nobody_are_found(path):
    """SQLite's own checks are part of it."""
    fill(path)
    change(path, "UPDATE words SET memory_key = 99 WHERE memory_key = 1 AND sequence = 7")
    found = [finding.what for finding in damage_in(examine(path))]
    assert "rows of words belong to rows that are not there" in found


@pytest.mark.parametrize(("table", "key"), [("weights", "signal_key"), ("stacks", "stack_key"), ("words", "sequence")])
def test_rows_that_another_program_deleted_are_missed(path, table, key):
    """The triggers count them out, and no row is left whose checksum could tell; those that want them are."""
    fill(path)
    assert not damage_in(examine(path))
    change(path, f"DELETE FROM {table} WHERE memory_key = 1 AND {key} = (SELECT min({key}) FROM {table})")  # noqa: S608 - names of ours
    found = [finding for finding in examine(path).findings if finding.memory_id == "alice"]
    assert len(found) == 1
    assert found[0].severity == ("note" if table == "words" else "damage")
    assert ("have no words row" if table == "words" else f"{table} of memory 'alice': 1 rows were deleted") in found[
        0
    ].what


@pytest.mark.parametrize("content", [b"not a database, but long enough to be one" * 200, b"SQLite format 3\0" * 300])
def test_what_is_no_database_of_ours_cannot_be_read(path, content):
    """Exit code 2, a line that says what to do, and no traceback."""
    path.write_bytes(content)
    assert not examine(path).readable
    assert run("doctor", str(path))[0] == 2
    assert path.read_bytes() == content


def test_an_empty_file_is_not_healthy(path):
    """It may be what is left of one that was full, as of a copy that failed."""
    path.touch()
    (finding,) = damage_in(examine(path))
    assert (finding.severity, "restore it from a backup" in finding.advice) == ("problem", True)
    code, printed = run("doctor", str(path))
    assert (code, printed["readable"], printed["healthy"]) == (1, True, False)
    assert path.read_bytes() == b""
    fill(path)
    assert damage_in(examine(path)) == []


def test_a_second_name_is_found(path, tmp_path):
    """Each name has a log of its own: two programs that use different ones break the file."""
    fill(path)
    os.link(path, tmp_path / "other.db")
    (finding,) = damage_in(examine(path))
    assert (finding.severity, "2 names" in finding.what) == ("problem", True)


def test_other_files_cannot_be_read_either(path, tmp_path):
    """None, a folder, a newer file, somebody else's database."""
    assert run("doctor", str(path))[0] == 2
    code, printed = run("doctor", str(tmp_path))
    assert (code, printed["findings"][0]["what"]) == (2, "it is a folder")
    code, printed = run("doctor", str(tmp_path / ("x" * 300)))
    assert (code, printed["findings"][0]["severity"]) == (2, "problem")
    fill(path)
    change_version = "PRAGMA user_version = 99"
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as connection:
        connection.execute(change_version)
    code, printed = run("doctor", str(path))
    assert (code, "newer" in printed["findings"][0]["advice"]) == (2, True)
    other = tmp_path / "other.db"
    with closing(_sqlite.connect(other.as_uri(), timeout=0)) as connection:
        connection.execute("CREATE TABLE other (number INTEGER)")
    assert run("doctor", str(other))[0] == 2


def test_a_file_of_another_layout_is_not_called_damaged(path):
    """Nothing of it is lost: the version that made it reads it."""
    fill(path)
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as connection:
        connection.execute("ALTER TABLE words DROP COLUMN rules")
    code, printed = run("doctor", str(path))
    assert code == 2
    [found] = printed["findings"]
    assert found["severity"] == "problem"
    assert "table words lacks rules" in found["what"]
    assert "with the version that wrote it" in found["advice"]
    assert "DAMAGED" not in CliRunner().invoke(main, ["doctor", str(path)]).output


@pytest.mark.parametrize("wrong", [None, 7, "", b"memories.db", "a\0b"])
def test_what_is_no_path_is_refused(wrong):
    """Naming the argument."""
    with pytest.raises(InputError, match="path"):
        examine(wrong)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no mode bits of this kind")
def test_a_read_only_file_is_examined(path):
    """Nothing is made beside it. The administrator of the machine may write it all the same."""
    fill(path)
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        health = examine(path)
        assert (health.healthy, len(health.memories)) == (True, 2)
        noted = any("cannot be written" in finding.what for finding in health.findings)
        assert noted is not os.access(path, os.W_OK)
        assert [one.name for one in path.parent.iterdir()] == [path.name]
    finally:
        path.parent.chmod(0o755)


def test_a_file_in_use_is_examined(path):
    """Another process writes it, and the log is told of; the examination is of one moment."""
    code = """
store = SqliteStore(path, durability="fast")
write(store, make_exchange(0))
print("written", flush=True)
sys.stdin.readline()
"""
    writer = start(code, path)
    assert writer.stdout.readline() == "written\n"
    health = examine(path)
    assert (health.healthy, health.log_bytes > 0) == (True, True)
    writer.stdin.write("go\n")
    finish(writer)
    assert examine(path).log_bytes == 0


@pytest.mark.parametrize("way", ["forget", "release"])
def test_a_log_that_was_copied_is_no_finding(path, way):
    """After a receipt that is complete, nobody is told that what was deleted may still be in the log."""
    with MemoryRegistry(path, encoder=HashingEncoder(64), durability="fast") as registry:
        memory = registry.get("alice")
        memory.add_message("The herons come back in March.", "user")
        memory.add_message("My door code is 8274-KQXW.", "user", message_id="code")
        memory.quarantine(writer="mallory")
        assert not any("write-ahead log" in finding.what for finding in examine(path).findings)
        if way == "forget":
            assert memory.forget(message="code").complete
        else:
            assert memory.release(writer="mallory")
        health = examine(path)
        assert health.log_bytes > 0
        assert [finding.what for finding in health.findings if "write-ahead log" in finding.what] == []


def test_what_a_reader_keeps_in_the_log_is_a_finding(path):
    """The receipt and the doctor say the same: it is not complete."""
    with MemoryRegistry(path, encoder=HashingEncoder(64), durability="fast") as registry:
        memory = registry.get("alice")
        memory.add_message("My door code is 8274-KQXW.", "user", message_id="code")
        with SqliteStore(path) as other, other.reading("alice") as reading:
            assert reading.head is not None
            assert not memory.forget(message="code").complete
            assert any("write-ahead log" in finding.what for finding in examine(path).findings)


def test_a_registry_examines_its_own_file(path):
    """While it is open; before the first write there is nothing to examine."""
    with MemoryRegistry(path, encoder=HashingEncoder(64)) as registry:
        assert registry.doctor().readable is False
        registry.get("alice").add_message("My boat is called Kestrel.", "user")
        assert registry.doctor().healthy
        assert registry.get("alice").retrieve("boat")
    with MemoryRegistry(path, encoder=HashingEncoder(32)) as registry:
        health = registry.doctor()
        (finding,) = damage_in(health)
        assert (health.healthy, finding.memory_id, "hashing/1/64" in finding.what) == (False, "alice", True)
    with MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(64)) as registry, pytest.raises(InputError):
        registry.doctor()


def test_a_registry_that_nothing_was_written_to_yet_is_not_called_damaged(tmp_path):
    """There is nothing that could be: an app that examines its file at every start begins with none."""
    with MemoryRegistry(tmp_path / "new.db", encoder=HashingEncoder(64)) as registry:
        registry.get("alice").stats()
        health = registry.doctor()
    assert not health.readable
    assert [(finding.severity, finding.what) for finding in health.findings] == [("problem", "there is no such file")]


def test_examining_many_memories_leaves_those_in_use_where_they_are(path):
    """In RAM: a server that is examined answers as quickly as before."""
    with MemoryRegistry(path, encoder=HashingEncoder(64), max_open=2) as registry:
        for number in range(4):
            registry.get(f"user {number}").add_message("My boat is called Kestrel.", "user")
        used = [registry.get(f"user {number}") for number in (0, 1)]
        for memory in used:
            memory.retrieve("What is my boat called?")
        assert registry.doctor().healthy
        assert all(memory._coherent.known is not None for memory in used)


async def test_the_twin_does_the_same(path):
    """On a worker thread."""
    async with MemoryRegistry(path, encoder=HashingEncoder(64), config=Config()) as registry:
        await registry.get("alice").aadd_message("My boat is called Kestrel.", "user")
        assert (await registry.adoctor()).healthy


MOUNTS = r"""
/dev/sda1 / ext4 rw 0 0
server:/export /srv/shared nfs4 rw 0 0
//server/share /mnt/my\040share cifs rw 0 0
me@host: /home/me/far fuse.sshfs rw 0 0
/dev/sdb1 /srv/shared/local xfs rw 0 0
tmpfs /covered nfs rw 0 0
tmpfs /covered tmpfs rw 0 0
broken
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/srv/shared/memories.db", "nfs4"),
        ("/srv/shared2/memories.db", None),
        ("/srv/shared/local/memories.db", None),
        ("/mnt/my share/memories.db", "cifs"),
        ("/home/me/far/away/memories.db", "fuse.sshfs"),
        ("/home/me/memories.db", None),
        ("/covered/memories.db", None),
    ],
)
def test_network_file_systems_are_known(path, kind):
    """By the list of mounts: the longest place that the file is below, the last one on it."""
    assert network_file_system(path, MOUNTS) == kind


def test_this_machine_can_be_asked(tmp_path):
    """Where the system has no such list, nobody can tell."""
    assert network_file_system(str(tmp_path / "memories.db")) is None
