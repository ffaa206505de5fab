"""Definitions of tables, indexes, views and triggers that are damaged."""

import sqlite3
from contextlib import closing

import pytest

from streetai_core.errors import DamagedFileError
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.upkeep.backup import back_up
from streetai_core.upkeep.doctor import examine
from streetai_core.upkeep.salvage import salvage
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
