"""The tables: keys start with the memory, types are checked, and people can read them."""

import hashlib
import re

import pytest

from streetai_core.stores import _sqlite
from streetai_core.stores.schema import MIGRATIONS, SCHEMA_VERSION, expected_columns
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.stores.sqlite_reading import SqliteReading
from streetai_core.stores.tables import TABLES
from streetai_core.stores.types import Changes, MessageQuery
from streetai_core.stores.views import VIEWS
from streetai_core.testing.factories import make_exchange, make_head, make_learned, make_message, make_signal_row
from streetai_core.testing.store_reading import head_of, write

DATA_TABLES = (
    *("messages", "signals", "vectors", "weights", "cues", "stacks", "words", "credits", "journal", "quarantines"),
    *("packs", "changed_weights"),
)


@pytest.fixture
def store(tmp_path):
    """A store with two memories, one of which has learned something."""
    with SqliteStore(tmp_path / "memories.db", durability="fast") as store:
        text = "Ich mag 🎉 Äpfel und Öl."
        message = make_message(0, content=text, conversation_id="kitchen", name="Zoë")
        write(store, make_exchange(0, messages=[message], signals=[make_signal_row(0, start=8, end=15)]))
        write(store, Changes(head=head_of(store), learned=[make_learned(0, factor=2.0)]))
        write(store, make_exchange(0, head=make_head(memory_id="bob")))
        yield store


@pytest.fixture
def connection(store):
    """The store's own connection."""
    return store._connections._idle[0].conn


def test_every_key_and_index_starts_with_the_memory(connection):
    """A query on a data table can only be answered quickly if it names the memory."""
    for table in DATA_TABLES:
        columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
        assert [column[1] for column in columns if column[5] == 1] == ["memory_key"]
        indexes = connection.execute(f"PRAGMA index_list({table})").fetchall()
        firsts = [connection.execute(f"PRAGMA index_info('{index[1]}')").fetchall()[0][2] for index in indexes]
        assert set(firsts) == {"memory_key"}


def test_every_table_is_strict(connection):
    """A value of another type than its column's is refused by SQLite itself."""
    strict = {row[1]: row[5] for row in connection.execute("PRAGMA table_list") if row[0] == "main"}
    assert {table: strict[table] for table in ("memories", *DATA_TABLES)} == dict.fromkeys(
        ("memories", *DATA_TABLES), 1
    )


@pytest.mark.parametrize(
    "change",
    [
        *("question = 2", "terms = x'00'", "terms = x''", "counts = x'00000000000000'", "days = x'0000'"),
        *("terms = 'text'", "replaces = NULL", "sequence = 9", "rules = -1", "rules = NULL"),
    ],
)
def test_words_that_make_no_sense_are_refused_by_the_table(connection, change):
    """Whoever edits the file by hand cannot leave arrays that do not fit each other, or words without a message."""
    with pytest.raises(_sqlite.Error, match=r"constraint|cannot store"):
        connection.execute(f"UPDATE words SET {change} WHERE sequence = 0")  # noqa: S608 - the changes above


def test_the_version_counts_the_migrations(connection):
    """`user_version` is how many migrations there are, and all of them are recorded."""
    applied = connection.execute("SELECT name FROM _sqlite_migrations WHERE migration_set = 'streetai'").fetchall()
    assert [name for (name,) in applied] == [migration.name for migration in MIGRATIONS._migrations]
    assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,) == (len(applied),)


LAYOUTS = {1: "62ff1c4a9432ca02"}
"""Digests of all that the migrations up to a version make."""


def test_the_tables_change_with_their_version_only():
    """A file says by its version what is in it: once one is released, another layout needs another number."""
    script = re.sub(r"--.*", "", "".join([*TABLES, VIEWS]))
    assert hashlib.sha256(" ".join(script.split()).encode()).hexdigest()[:16] == LAYOUTS[SCHEMA_VERSION]


def test_the_columns_that_are_expected_are_those_that_are_made(connection):
    """Read from the scripts, they are compared with a file's whenever it is opened."""
    tables = {name for _, name, kind, *_ in connection.execute("PRAGMA table_list") if kind == "table"}
    assert {*expected_columns()} == {one for one in tables if not one.startswith(("sqlite_", "_sqlite_"))}
    for table, columns in expected_columns().items():
        assert columns == tuple(row[1] for row in connection.execute(f"PRAGMA table_info({table})"))


def test_the_views_can_be_read(connection):
    """Text of a signal by character, names instead of keys, the learning log beside what it is about."""
    assert connection.execute("SELECT memory_id, turn, role, name, content FROM messages_readable").fetchall() == [
        ("alice", 0, "user", "Zoë", "Ich mag 🎉 Äpfel und Öl."),
        ("bob", 0, "user", None, "This is what was said in message 0."),
    ]
    assert connection.execute(
        "SELECT memory_id, conversation_id, text, base_weight, uses, stack_key FROM signals_readable"
    ).fetchall() == [("alice", "kitchen", "🎉 Äpfel", 2.0, 1, 0), ("bob", None, "This", 1.0, 0, 0)]
    assert connection.execute("SELECT memory_id, stack_key, size, signal_keys FROM stacks_readable").fetchall() == [
        ("alice", 0, 1, "0"),
        ("bob", 0, 1, "0"),
    ]
    assert connection.execute(
        "SELECT memory_id, text, action, old_weight, new_weight FROM credits_readable"
    ).fetchall() == [("alice", "🎉 Äpfel", "boost", 1.0, 2.0)]


def test_every_query_of_one_memory_uses_its_index(store, connection):
    """No statement that the store runs to read or write scans a table of all memories."""
    statements = []
    connection.set_trace_callback(statements.append)
    with store.reading("alice") as view:
        assert isinstance(view, SqliteReading)
        read_all(view)
    write(store, Changes(head=head_of(store), learned=[make_learned(0)], deleted_messages=[0], deleted_stacks=[0]))
    write(store, Changes(head=head_of(store), wipe=True))
    connection.set_trace_callback(None)
    queries = [one for one in statements if one.lstrip().startswith(("SELECT", "DELETE", "UPDATE"))]
    assert len(queries) > 20
    scans = []
    for query in queries:
        plan = connection.execute("EXPLAIN QUERY PLAN " + query).fetchall()
        scans += [(query, row[3]) for row in plan if row[3].startswith("SCAN") and "json_each" not in row[3]]
    assert scans == []


def test_a_delta_uses_the_index_of_versions(store, connection):
    """Finding what changed costs what changed, not what there is."""
    statements = []
    connection.set_trace_callback(statements.append)
    with store.reading("alice") as view:
        view.rows(1)
    connection.set_trace_callback(None)
    deltas = [one for one in statements if "version >" in one]
    plans = [connection.execute("EXPLAIN QUERY PLAN " + one).fetchall()[0][3] for one in deltas]
    assert [plan.split(" USING ")[1].split(" (")[0] for plan in plans] == [
        f"INDEX {table}_by_version" for table in ("signals", "weights", "stacks", "words", "cues")
    ]


def test_loading_a_memory_does_not_read_its_messages(store, connection):
    """Whether all messages are there, and can be found, is told by the indexes alone."""
    statements = []
    connection.set_trace_callback(statements.append)
    with store.reading("alice") as view:
        view.rows(None)
    connection.set_trace_callback(None)
    queries = [one for one in statements if "FROM messages" in one]
    plans = [connection.execute("EXPLAIN QUERY PLAN " + one).fetchall()[-1][3].split(" (")[0] for one in queries]
    assert plans == [
        f"SEARCH messages USING COVERING INDEX {name}"
        for name in ("sqlite_autoindex_messages_1", "messages_by_conversation", "sqlite_autoindex_messages_2")
    ]


def read_all(view):
    """Use every way of reading."""
    view.rows(None)
    view.rows(0)
    view.credits()
    view.credits(0)
    for query in (
        MessageQuery(),
        MessageQuery(last=3),
        MessageQuery(sequences=[0, 1]),
        MessageQuery(message_id="message-0"),
        MessageQuery(any_conversation=False, conversation_id="kitchen", last=3),
        MessageQuery(any_conversation=False, last=3),
        MessageQuery(roles=["system"], last=3),
        MessageQuery(before=3, last=3),
        MessageQuery(any_conversation=False, conversation_id="kitchen", after=0, first=3),
    ):
        view.messages(query)
