"""Rows whose message or signal was taken away behind the library: every verb says so, in words of ours."""

import sqlite3
from contextlib import closing

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import DamagedFileError
from streetai_core.upkeep.doctor import examine

SAID = ("My boat lies at berth 12.", "A fine berth for a boat.", "The boat is blue.", "My boat now lies at berth 31.")

VERBS = {
    "signals": lambda memory: memory.signals,
    "stacks": lambda memory: memory.stacks,
    "stats": lambda memory: memory.stats(),
    "history": lambda memory: memory.history(),
    "stack_map": lambda memory: memory.stack_map(),
    "retrieve": lambda memory: memory.retrieve("Which berth has the boat?"),
    "build_prompt": lambda memory: memory.build_prompt("Which berth has the boat?"),
    "why": lambda memory: memory.why("Which berth has the boat?"),
    "post_process": lambda memory: memory.post_process([f"{memory.memory_id}.1"], "Berth 12."),
    "add_message": lambda memory: memory.add_message("It no longer lies at berth 31.", "user"),
    "quarantine": lambda memory: memory.quarantine(source="user"),
    "rollback": lambda memory: memory.rollback(2),
    "reencode": lambda memory: memory.reencode(),
}
TAKEN = {
    "a message": "DELETE FROM messages WHERE message_id = '1'",
    "a signal": "DELETE FROM signals WHERE signal_key = 1",
}


@pytest.fixture
def registry(path):
    """Four messages, and a lesson, in a file that is closed once so that others can write it."""
    with MemoryRegistry(path, encoder=HashingEncoder(64), durability="fast") as registry:
        memory = registry.get("mara")
        for number, text in enumerate(SAID):
            memory.add_message(text, "user", message_id=str(number))
        memory.post_process(memory.retrieve("Which berth?"), "Berth 12.")
        yield registry


def take(path, sql):
    """Another program, which does not know that rows belong together."""
    with closing(sqlite3.connect(path)) as other, other:
        other.execute(sql)


@pytest.mark.parametrize("taken", TAKEN)
def test_every_verb_says_that_something_is_missing(registry, path, taken):
    """A raw error of Python's, or an answer without the message, would be either's fault but the file's."""
    registry.close()
    take(path, TAKEN[taken])
    for verb in VERBS.values():
        with (
            MemoryRegistry(path, encoder=HashingEncoder(64), durability="fast") as anew,
            pytest.raises(DamagedFileError, match="is not there"),
        ):
            verb(anew.get("mara"))
    health = examine(path)
    assert not health.healthy
    assert any("not there" in finding.what for finding in health.findings)


@pytest.mark.parametrize("verb", ["signals", "stack_map", "retrieve", "why", "build_prompt", "reencode"])
def test_a_memory_that_is_in_ram_says_so_too(registry, path, verb):
    """Its version has not changed, so that nothing is read anew, and the message is missed where its text is needed."""
    memory = registry.get("mara")
    assert len(memory.signals) == len(SAID)
    take(path, TAKEN["a message"])
    with pytest.raises(DamagedFileError, match="message number 1 is not there"):
        VERBS[verb](memory)


def test_what_was_replaced_may_have_been_deleted(registry):
    """That is no damage: the history of a fact is told without it."""
    memory = registry.get("mara")
    before = [message.message_id for message in memory.revisions("3")]
    assert before[0] == "0"
    assert before[-1] == "3"
    memory.delete_message("0")
    assert [message.message_id for message in memory.revisions("3")] == before[1:]


@pytest.mark.parametrize("column", ["journal.total", "journal.digest", "messages.seal", "messages.sequence"])
def test_a_column_of_another_type_is_damage_too(registry, path, column):
    """One flipped bit makes a text of bytes, where the database itself would never have taken one."""
    registry.close()
    table, name = column.split(".")
    with closing(sqlite3.connect(path)) as other, other:
        (sql,) = other.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        (cookie,) = other.execute("PRAGMA schema_version").fetchone()
        other.execute("PRAGMA writable_schema = ON")
        change = "UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = ?"
        other.execute(change, (sql.replace("STRICT", "").replace(f"{name} INTEGER", f"{name} TEXT"), table))
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("PRAGMA ignore_check_constraints = ON")
        value = "'x' || sequence" if name == "sequence" else "'x'"
        other.execute(f"UPDATE {table} SET {name} = {value}")  # noqa: S608 - names of ours
        other.execute("PRAGMA writable_schema = ON")
        other.execute(change, (sql, table))
        other.execute(f"PRAGMA schema_version = {cookie + 2}")
    refused = 0
    with MemoryRegistry(path, encoder=HashingEncoder(64), durability="fast") as anew:
        for verb in (
            lambda memory: memory.add_message("One more.", "user", message_id="4"),
            lambda memory: memory.update_message("1", "Another text."),
            lambda memory: memory.delete_message("1"),
            lambda memory: memory.rollback(1),
        ):
            try:
                verb(anew.get("mara"))
            except DamagedFileError:
                refused += 1
    # What does not meet the damage goes on.
    assert refused >= (3 if name == "seal" else 4)
    assert not examine(path).healthy
