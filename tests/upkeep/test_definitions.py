"""Definitions of tables, indexes, views and triggers that are damaged."""

import random
import sqlite3
from contextlib import closing

import pytest

from streetai_core.errors import DamagedFileError
from streetai_core.stores.opening import PAGE_SIZE
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.upkeep.backup import back_up
from streetai_core.upkeep.doctor import examine
from streetai_core.upkeep.salvage import salvage
from tests.seeds import seeded
from tests.upkeep.files import NAMES, fill, values

SPOTS = {
    "trigger signal_deleted": b"WHERE memory_key = old.memory_ke",
    "trigger words_changed_in_pack": b"AND kind = 'word",
    "view stacks_readable": b"SELECT memories.memory_i",
}
"""What of a definition comes before the letter that is damaged, so that SQLite still reads it."""


def flip(path, what):
    """Make another letter of one in a definition."""
    data = bytearray(path.read_bytes())
    begin = data.index(f"CREATE {what} ".replace("trigger", "TRIGGER").replace("view", "VIEW").encode())
    data[data.index(SPOTS[what], begin) + len(SPOTS[what])] ^= 1
    path.write_bytes(data)


def damage_in(path):
    """What the doctor calls damaged."""
    return [finding.what for finding in examine(path).findings if finding.severity == "damage"]


@pytest.fixture
def filled(path):
    """The path of a closed database, and the values of its memories."""
    fill(path)
    with SqliteStore(path) as store:
        return path, {name: values(store, name) for name in NAMES}


@pytest.mark.parametrize("what", SPOTS)
def test_a_damaged_definition_is_named(filled, tmp_path, what):
    """SQLite reads a trigger when the first row is deleted: every deletion would fail, in a backup too."""
    path, before = filled
    flip(path, what)
    assert damage_in(path) == [f"the definition of {what} is damaged, or not there"]
    with pytest.raises(DamagedFileError, match=what):
        back_up(path, tmp_path / "copy.db")
    assert salvage(path, tmp_path / "saved.db").complete
    assert examine(tmp_path / "saved.db").healthy
    with SqliteStore(tmp_path / "saved.db") as store:
        assert {name: values(store, name) for name in NAMES} == before


@pytest.mark.parametrize("gone", ["TRIGGER words_added_to_pack", "VIEW recall_log", "INDEX weights_by_version"])
def test_what_is_not_there_is_named(filled, gone):
    """Another program may have dropped it."""
    path, _ = filled
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"DROP {gone}")
    kind, _, name = gone.partition(" ")
    assert f"the definition of {kind.lower()} {name} is damaged, or not there" in damage_in(path)


def test_what_others_add_is_theirs(filled):
    """Statistics, tables and indexes of people's own are no damage."""
    path, _ = filled
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE mine (number INTEGER)")
        connection.execute("CREATE INDEX by_role ON messages (role)")
        connection.execute("ANALYZE")
    assert examine(path).healthy


def definition_pages(path):
    """The numbers of the pages that tables and indexes do not begin with, of those that a new file has."""
    with closing(sqlite3.connect(path)) as connection:
        roots = {page for (page,) in connection.execute("SELECT rootpage FROM sqlite_master WHERE rootpage > 0")}
    return sorted(set(range(1, max(roots) + 2)) - roots)


@seeded
def test_definitions_with_a_flipped_bit_lose_nothing(filled, tmp_path, seed):
    """They are the same in all our files; a bit in one may give a table another name, column, or place."""
    path, before = filled
    data, rng = path.read_bytes(), random.Random(seed)
    for page in definition_pages(path):
        # Behind the header of the file.
        used = [at for at in range(max(100, (page - 1) * PAGE_SIZE), page * PAGE_SIZE) if data[at]]
        for number in range(6):
            copy = bytearray(data)
            copy[rng.choice(used)] ^= 1 << rng.randrange(8)
            path.write_bytes(copy)
            out = tmp_path / f"{page}-{number}.db"
            assert salvage(path, out).complete
            with SqliteStore(out) as store:
                assert {name: values(store, name) for name in NAMES} == before


@pytest.mark.parametrize(
    ("there", "damaged"),
    [
        (b"CREATE TABLE messages (", b"CREATE TABLE massages ("),
        (b"stored_sequences INTEGER", b"stored_sequences I\xceTEGER"),
        (b"-- How many rows", b"-- How\0many rows"),
        (b"without reading it.\n", b"without reading it.\x02"),
        (b"CREATE TABLE words (", bytes(20)),
    ],
)
def test_definitions_that_sqlite_reads_otherwise_lose_nothing(filled, tmp_path, there, damaged):
    """Another name, a text that is none, an end in the middle, a column that is now in a comment."""
    path, before = filled
    data = path.read_bytes()
    path.write_bytes(data.replace(there, damaged, 1))
    assert path.read_bytes() != data
    assert salvage(path, tmp_path / "saved.db").complete
    with SqliteStore(tmp_path / "saved.db") as store:
        assert {name: values(store, name) for name in NAMES} == before


def test_a_file_that_was_rewritten_has_its_tables_elsewhere(filled, tmp_path):
    """Then its own definitions are the better ones, though they are not those of a new file."""
    path, before = filled
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE messages SET crc = crc + 1 WHERE memory_key = 1 AND sequence = 7")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("VACUUM")
    saved = salvage(path, tmp_path / "saved.db")
    assert [memory.rows["messages"] for memory in saved.memories] == [len(before["alice"]["messages"]) - 1, 39]
