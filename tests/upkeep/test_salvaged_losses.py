"""A salvage says what it could not save, and never that everything was saved if that is not known."""

import sqlite3
from contextlib import closing

import pytest
from click.testing import CliRunner

from streetai_core.cli import main
from streetai_core.stores.opening import PAGE_SIZE
from streetai_core.stores.provenance import Quarantine
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.stores.types import Changes
from streetai_core.testing.store_reading import head_of, write
from streetai_core.upkeep.salvage import salvage
from streetai_core.upkeep.whole import UNKNOWN_ENCODER
from tests.upkeep.files import MESSAGES, NAMES, fill, values

LEFT = MESSAGES - 1
"""Messages of each memory: one was deleted."""


@pytest.fixture
def filled(path):
    """A closed database of two memories."""
    fill(path)
    return path


def change(path, *statements):
    """Change the file as damage does, and as programs do that do not know what belongs together."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            assert connection.execute(statement).rowcount >= 1


def zero(path, table):
    """Fill the first page of a table with zeros."""
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    data = bytearray(path.read_bytes())
    data[(page - 1) * PAGE_SIZE : page * PAGE_SIZE] = bytes(PAGE_SIZE)
    path.write_bytes(data)


def lost_of(path, out):
    """Memory id -> what is lost of it; the exit code of the program says the same."""
    printed = CliRunner().invoke(main, ["salvage", str(path), "-o", str(out.with_name("printed.db"))])
    saved = salvage(path, out)
    assert printed.exit_code == int(not saved.complete)
    assert ("everything was saved" in printed.output) == saved.complete
    return {memory.memory_id: dict(memory.lost) for memory in saved.memories}, printed.output


def test_weights_that_are_made_up_are_lost(filled, tmp_path):
    """Signals need one each, and those of new signals know nothing of what was learned."""
    zero(filled, "weights")
    lost, printed = lost_of(filled, tmp_path / "saved.db")
    assert lost == {name: {"weights": LEFT} for name in NAMES}
    assert f"lost: {LEFT} weights" in printed
    with SqliteStore(tmp_path / "saved.db") as store:
        assert {row["base_weight"] for row in values(store, "alice")["weights"]} == {1.0}


def test_the_row_of_a_memory_is_something_to_lose(filled, tmp_path):
    """Its encoder is in it. All else is there, which nobody can know without its counts."""
    change(filled, "UPDATE memories SET crc = crc + 1 WHERE memory_id = 'alice'")
    lost, printed = lost_of(filled, tmp_path / "saved.db")
    assert lost == {"alice": {"memories": 1}, "bob": {}}
    assert "lost: its own row (its encoder, counts of its rows); what else may be lost is not known" in printed
    with SqliteStore(tmp_path / "saved.db") as store:
        assert head_of(store, "alice").encoder == UNKNOWN_ENCODER
        assert len(values(store, "alice")["messages"]) == LEFT


@pytest.mark.parametrize("journal", ["whole", "an entry damaged", "an entry moved", "gone"])
def test_without_the_row_of_a_memory_its_journal_tells_how_many_messages_there_were(filled, tmp_path, journal):
    """Added less removed; one that is not whole may not know of a deletion, and is not asked."""
    change(
        filled,
        "DELETE FROM messages WHERE memory_key = 1 AND sequence BETWEEN 10 AND 14",
        "UPDATE memories SET crc = crc + 1 WHERE memory_id = 'alice'",
    )
    if journal == "an entry damaged":
        change(filled, "UPDATE journal SET crc = crc + 1 WHERE memory_key = 1 AND version = 1")
    elif journal == "an entry moved":
        change(filled, "UPDATE journal SET memory_key = 2, version = version + 99 WHERE memory_key = 1 AND version = 1")
    elif journal == "gone":
        zero(filled, "journal")
    lost, _ = lost_of(filled, tmp_path / "saved.db")
    assert lost["alice"] == ({"messages": 5, "memories": 1} if journal == "whole" else {"memories": 1})


def test_a_memory_without_counts_may_have_lost_anything(filled, tmp_path):
    """They are under no checksum, and damage can make anything of them."""
    with closing(sqlite3.connect(filled)) as connection:
        (text,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'memories'").fetchone()
        (cookie,) = connection.execute("PRAGMA schema_version").fetchone()
    describe = "UPDATE sqlite_master SET sql = ? WHERE name = 'memories'"
    for described in (text.replace("stored_signals   INTEGER", "stored_signals   TEXT"), text):
        with closing(sqlite3.connect(filled)) as connection, connection:
            if described == text:
                connection.execute("UPDATE memories SET stored_signals = 'x' WHERE memory_id = 'alice'")
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute(describe, (described,))
            cookie += 1
            connection.execute(f"PRAGMA schema_version = {cookie}")
    lost, _ = lost_of(filled, tmp_path / "saved.db")
    assert lost == {"alice": {"memories": 1}, "bob": {}}


def test_a_memory_of_which_nothing_is_left_is_lost_too(filled, tmp_path):
    """It is in no list of what was saved."""
    change(
        filled,
        "UPDATE memories SET crc = crc + 1 WHERE memory_id = 'bob'",
        "UPDATE messages SET crc = crc + 1 WHERE memory_key = 2",
    )
    lost, printed = lost_of(filled, tmp_path / "saved.db")
    assert lost == {"alice": {}}
    assert "1 memory is lost with all messages" in printed
    assert salvage(filled, tmp_path / "again.db").to_dict()["without_rows"] == 1


def test_rows_that_are_read_in_one_way_only_are_saved_once(filled, tmp_path):
    """Beside one that is damaged: of learning steps and rules of quarantine there is no other copy to look for."""
    change(
        filled,
        "UPDATE credits SET crc = crc + 1 WHERE memory_key = 1 AND signal_key = 7",
        "UPDATE memories SET stored_quarantines = 2 WHERE memory_id = 'alice'",
    )
    with SqliteStore(filled) as store:
        rule = Quarantine(field="writer", value="mallory")
        write(store, Changes(head=head_of(store, "bob"), quarantined=[rule]))
        change(filled, "UPDATE memories SET stored_quarantines = 2 WHERE memory_id = 'bob'")
    saved = salvage(filled, tmp_path / "saved.db")
    assert [memory.rows["credits"] for memory in saved.memories] == [LEFT - 1, LEFT]
    assert [memory.rows.get("quarantines", 0) for memory in saved.memories] == [0, 1]
    assert [dict(memory.lost) for memory in saved.memories] == [{"credits": 1, "quarantines": 2}, {"quarantines": 1}]
