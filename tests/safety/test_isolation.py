"""No memory sees, changes or counts a row of another: by what is done, and by what is asked of the database."""

import re
from contextlib import closing

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.stores import _sqlite
from streetai_core.stores.packs import SPAN
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.stores.tables import TABLES
from streetai_core.testing.torture import isolation
from tests.seeds import seeded

DATA = (
    *("messages", "signals", "vectors", "weights", "cues", "stacks", "words", "credits", "journal", "quarantines"),
    *("packs", "changed_weights"),
)
TABLE = re.compile(rf"\b(?:FROM|JOIN|INTO|UPDATE)\s+({'|'.join(DATA)})\b", re.IGNORECASE)
KEYED = re.compile(r"\bmemory_key\s*=\s*\?", re.IGNORECASE)
INSERTED = re.compile(r"INSERT INTO \w+ \(memory_key\b.*?VALUES \(\?", re.IGNORECASE | re.DOTALL)


@seeded
def test_random_operations_on_fifty_hostile_ids(tmp_path, seed):
    """0 foreign rows. The long form: `python -m streetai_core.testing.torture isolation`."""
    report = isolation.run(tmp_path, operations=1_000, seed=seed)
    assert report.passed, report.lines()
    assert report.counts["texts"] > 400, report.lines()


class Recording(_sqlite.Connection):
    """Keeps every statement as it is given, with its parameters still in it."""

    said: set[str]

    def execute(self, sql, *parameters):
        """Note, then execute."""
        self.said.add(sql)
        return super().execute(sql, *parameters)

    def executemany(self, sql, *parameters):
        """Note, then execute."""
        self.said.add(sql)
        return super().executemany(sql, *parameters)


def connecting(said, traced):
    """Makes connections that are listened to; what SQLite itself reports goes to `traced`."""

    class Listening(Recording):
        pass

    Listening.said = said

    def connect(uri, *, timeout):
        connection = _sqlite.connect(uri, timeout=timeout, factory=Listening)
        connection.set_trace_callback(traced.append)
        return connection

    return connect


def live(memory, registry):
    """Every verb once."""
    memory.add_messages(
        [NewMessage(content=f"The boat is number {n}.", role="user", message_id=str(n)) for n in range(6)]
    )
    memory.add_messages([NewMessage(content=f"Line {n} is fast.", role="user") for n in range(SPAN)])
    memory.record_turn(
        "t", [NewMessage(content="The boat?", role="user")], retrieved=memory.retrieve("boat"), reply="The boat."
    )
    memory.update_message("1", "The boat is red.")
    memory.delete_message("2")
    hits = memory.build_prompt("Which boat?", conversation_id="c").retrieved or memory.retrieve("boat")
    memory.post_process(hits, "The boat is number 3.")
    memory.history(hits[0].signal.signal_id)
    memory.why("boat", message="3")
    memory.revisions("3")
    memory.stats()
    memory.quarantine(message="4")
    memory.quarantined()
    memory.release(message="4")
    memory.audit()
    version = memory.version
    memory.add_message("Not for long.", "user")
    memory.rollback(version)
    memory.reencode()
    memory.delete_conversation(None)
    memory.forget(everything=True)
    registry.reset(memory.memory_id)


@pytest.fixture
def statements(path):
    """All statements of a life of two memories: as given, and as SQLite reports them, triggers included."""
    said, traced = set(), []
    store = SqliteStore(path, durability="fast", opener=connecting(said, traced))
    with MemoryRegistry(store, encoder=HashingEncoder()) as registry:
        for name in ("alice", "bob"):
            live(registry.get(name), registry)
    schema = " ".join(TABLES)
    return {sql for sql in said if sql.strip() not in schema}, traced


def test_every_statement_on_data_names_the_memory(statements):
    """With a parameter: nothing that anybody wrote can make it another one, and no statement spans memories."""
    said, traced = statements
    on_data = {sql for sql in said if TABLE.search(sql) and not sql.lstrip().upper().startswith("CREATE")}
    assert len(on_data) > 30
    assert {table for sql in on_data for table in TABLE.findall(sql)} == set(DATA)
    for sql in on_data:
        assert KEYED.search(sql) or INSERTED.search(sql), sql
    assert any("alice" in sql for sql in traced), "the trace hears nothing"


def test_every_trigger_names_the_memory():
    """What SQLite does by itself stays in the memory that it is done for."""
    for script in TABLES:
        for trigger in re.findall(r"CREATE TRIGGER.*?END;", script, re.DOTALL):
            statements = re.findall(r"(?:UPDATE|DELETE|INSERT)\b[^;]*;", trigger.split("BEGIN", 1)[1], re.DOTALL)
            assert statements
            assert all(re.search(r"memory_key = (?:new|old)\.memory_key", statement) for statement in statements), (
                trigger
            )


def test_every_key_and_index_starts_with_the_memory(path):
    """PRIMARY KEY, UNIQUE, INDEX and FOREIGN KEY of every data table; no table was forgotten."""
    with MemoryRegistry(path, encoder=HashingEncoder()) as registry:
        registry.get("alice").add_message("The boat.", "user")
    with closing(_sqlite.connect(path.as_uri(), timeout=5)) as connection:
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        own = {name for name in names if not name.startswith(("sqlite_", "_sqlite"))}
        assert own == {"memories", *DATA}
        for table in DATA:
            columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
            assert ["memory_key"] == [column[1] for column in columns if column[5] == 1]
            for index in connection.execute(f"PRAGMA index_list({table})").fetchall():
                assert connection.execute(f"PRAGMA index_info('{index[1]}')").fetchall()[0][2] == "memory_key"
            foreign = connection.execute(f"PRAGMA foreign_key_list({table})").fetchall()
            assert {row[3] for row in foreign if row[1] == 0} == {"memory_key"}


def test_ids_of_one_memory_are_nothing_in_another(registry):
    """Message ids may be the same; signal ids never fit."""
    alice, bob = registry.get("alice"), registry.get("bob")
    signal = alice.add_message("The boat is red.", "user", message_id="m")[0]
    bob.add_message("The keel is long.", "user", message_id="m")
    assert bob.history(signal.signal_id) == []
    assert bob.post_process([signal], "The boat is red.") == []
    assert bob.delete_message("m") is True
    assert [one.content for one in alice.messages()] == ["The boat is red."]
    bob.quarantine(source="user")
    assert alice.retrieve("boat")
