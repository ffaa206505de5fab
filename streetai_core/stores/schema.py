"""The tables, the migrations that make them, and the check that a file is ours before it is touched."""

from __future__ import annotations

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from streetai_core.errors import DamagedFileError, NewerFileError
from streetai_core.stores import _sqlite
from streetai_core.stores.transactions import transaction

APPLICATION_ID = 0x53744149
"""Says in the file's header whose it is: "StAI"."""

SCHEMA_VERSION = 1
"""How many migrations there are; kept in the header's `user_version`."""

CLAIM = "PRAGMA application_id = 0x53744149"
"""Writes `APPLICATION_ID`; a pragma takes no parameters."""

_CLOSE = "PRAGMA user_version = 1"
"""Writes `SCHEMA_VERSION`, as the last step of migrating."""

MIGRATIONS = Migrations("streetai")

_MEMORIES = """
CREATE TABLE memories (
    memory_key       INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id        TEXT    NOT NULL UNIQUE,
    token            TEXT    NOT NULL,
    generation       INTEGER NOT NULL,
    version          INTEGER NOT NULL,
    deletion_version INTEGER NOT NULL,
    next_turn        INTEGER NOT NULL,
    next_sequence    INTEGER NOT NULL,
    next_signal      INTEGER NOT NULL,
    next_stack       INTEGER NOT NULL,
    message_count    INTEGER NOT NULL,
    history_tokens   INTEGER NOT NULL,
    encoder          TEXT,
    dim              INTEGER,
    created_at       TEXT    NOT NULL,
    crc              INTEGER NOT NULL,
    -- How many rows there are, kept by the triggers below. A row that damage has hidden is missed by its count.
    stored_messages  INTEGER NOT NULL DEFAULT 0,
    -- Their sequences added up: a message that damage has moved to another place is missed too, without reading it.
    stored_sequences INTEGER NOT NULL DEFAULT 0,
    stored_signals   INTEGER NOT NULL DEFAULT 0,
    stored_weights   INTEGER NOT NULL DEFAULT 0,
    stored_stacks    INTEGER NOT NULL DEFAULT 0,
    stored_credits   INTEGER NOT NULL DEFAULT 0,
    stored_words     INTEGER NOT NULL DEFAULT 0
) STRICT;
"""

_MESSAGES = """
CREATE TABLE messages (
    memory_key      INTEGER NOT NULL REFERENCES memories (memory_key) ON DELETE CASCADE,
    sequence        INTEGER NOT NULL,
    message_id      TEXT    NOT NULL,
    turn            INTEGER NOT NULL,
    conversation_id TEXT,
    role            TEXT    NOT NULL,
    name            TEXT,
    created_at      TEXT    NOT NULL,
    metadata        TEXT    NOT NULL,
    sanitised       INTEGER NOT NULL CHECK (sanitised IN (0, 1)),
    crc             INTEGER NOT NULL,
    content         TEXT    NOT NULL,
    PRIMARY KEY (memory_key, sequence),
    UNIQUE (memory_key, message_id)
) STRICT;
CREATE INDEX messages_by_conversation ON messages (memory_key, conversation_id, sequence);
"""

_SIGNALS = """
CREATE TABLE signals (
    memory_key  INTEGER NOT NULL,
    signal_key  INTEGER NOT NULL,
    sequence    INTEGER NOT NULL,
    chunk_index INTEGER NOT NULL,
    kind        TEXT    NOT NULL,
    start       INTEGER NOT NULL,
    "end"       INTEGER NOT NULL,
    block_start INTEGER NOT NULL,
    block_end   INTEGER NOT NULL,
    version     INTEGER NOT NULL,
    PRIMARY KEY (memory_key, signal_key),
    FOREIGN KEY (memory_key, sequence) REFERENCES messages (memory_key, sequence) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX signals_by_message ON signals (memory_key, sequence);
CREATE INDEX signals_by_version ON signals (memory_key, version);
CREATE TABLE vectors (
    memory_key INTEGER NOT NULL,
    signal_key INTEGER NOT NULL,
    dim        INTEGER NOT NULL,
    vector     BLOB    NOT NULL CHECK (length(vector) = 4 * dim),
    crc        INTEGER NOT NULL,
    PRIMARY KEY (memory_key, signal_key),
    FOREIGN KEY (memory_key, signal_key) REFERENCES signals (memory_key, signal_key) ON DELETE CASCADE
) STRICT;
CREATE TABLE weights (
    memory_key     INTEGER NOT NULL,
    signal_key     INTEGER NOT NULL,
    base_weight    REAL    NOT NULL,
    last_used_turn INTEGER NOT NULL,
    uses           INTEGER NOT NULL,
    stack_key      INTEGER NOT NULL,
    version        INTEGER NOT NULL,
    crc            INTEGER NOT NULL,
    PRIMARY KEY (memory_key, signal_key),
    FOREIGN KEY (memory_key, signal_key) REFERENCES signals (memory_key, signal_key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX weights_by_version ON weights (memory_key, version);
"""

_STACKS = """
CREATE TABLE stacks (
    memory_key INTEGER NOT NULL REFERENCES memories (memory_key) ON DELETE CASCADE,
    stack_key  INTEGER NOT NULL,
    size       INTEGER NOT NULL,
    dim        INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    total      BLOB    NOT NULL CHECK (length(total) = 4 * dim),
    crc        INTEGER NOT NULL,
    PRIMARY KEY (memory_key, stack_key)
) STRICT;
CREATE INDEX stacks_by_version ON stacks (memory_key, version);
"""

_WORDS = """
CREATE TABLE words (
    memory_key      INTEGER NOT NULL,
    sequence        INTEGER NOT NULL,
    version         INTEGER NOT NULL,
    conversation_id TEXT,
    name            TEXT,
    role            TEXT    NOT NULL,
    day             INTEGER NOT NULL,
    characters      INTEGER NOT NULL,
    question        INTEGER NOT NULL CHECK (question IN (0, 1)),
    terms           BLOB    NOT NULL CHECK (length(terms) % 4 = 0),
    counts          BLOB    NOT NULL CHECK (2 * length(counts) = length(terms)),
    days            BLOB    NOT NULL CHECK (length(days) % 8 = 0),
    replaces        TEXT    NOT NULL,
    crc             INTEGER NOT NULL,
    PRIMARY KEY (memory_key, sequence),
    FOREIGN KEY (memory_key, sequence) REFERENCES messages (memory_key, sequence) ON DELETE CASCADE
) STRICT;
CREATE INDEX words_by_version ON words (memory_key, version);
"""

_CREDITS = """
CREATE TABLE credits (
    memory_key   INTEGER NOT NULL REFERENCES memories (memory_key) ON DELETE CASCADE,
    version      INTEGER NOT NULL,
    position     INTEGER NOT NULL,
    signal_key   INTEGER NOT NULL,
    turn         INTEGER NOT NULL,
    action       TEXT    NOT NULL,
    contribution REAL    NOT NULL,
    old_weight   REAL    NOT NULL,
    new_weight   REAL    NOT NULL,
    created_at   TEXT    NOT NULL,
    crc          INTEGER NOT NULL,
    PRIMARY KEY (memory_key, version, position)
) STRICT, WITHOUT ROWID;
"""

_COUNTS = """
CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
    UPDATE memories SET stored_messages = stored_messages + 1, stored_sequences = stored_sequences + new.sequence
    WHERE memory_key = new.memory_key;
END;
CREATE TRIGGER message_deleted AFTER DELETE ON messages BEGIN
    UPDATE memories SET stored_messages = stored_messages - 1, stored_sequences = stored_sequences - old.sequence
    WHERE memory_key = old.memory_key;
END;
CREATE TRIGGER signal_added AFTER INSERT ON signals BEGIN
    UPDATE memories SET stored_signals = stored_signals + 1 WHERE memory_key = new.memory_key;
END;
CREATE TRIGGER signal_deleted AFTER DELETE ON signals BEGIN
    UPDATE memories SET stored_signals = stored_signals - 1 WHERE memory_key = old.memory_key;
END;
CREATE TRIGGER weight_added AFTER INSERT ON weights BEGIN
    UPDATE memories SET stored_weights = stored_weights + 1 WHERE memory_key = new.memory_key;
END;
CREATE TRIGGER weight_deleted AFTER DELETE ON weights BEGIN
    UPDATE memories SET stored_weights = stored_weights - 1 WHERE memory_key = old.memory_key;
END;
CREATE TRIGGER stack_added AFTER INSERT ON stacks BEGIN
    UPDATE memories SET stored_stacks = stored_stacks + 1 WHERE memory_key = new.memory_key;
END;
CREATE TRIGGER stack_deleted AFTER DELETE ON stacks BEGIN
    UPDATE memories SET stored_stacks = stored_stacks - 1 WHERE memory_key = old.memory_key;
END;
CREATE TRIGGER credit_added AFTER INSERT ON credits BEGIN
    UPDATE memories SET stored_credits = stored_credits + 1 WHERE memory_key = new.memory_key;
END;
CREATE TRIGGER credit_deleted AFTER DELETE ON credits BEGIN
    UPDATE memories SET stored_credits = stored_credits - 1 WHERE memory_key = old.memory_key;
END;
CREATE TRIGGER words_added AFTER INSERT ON words BEGIN
    UPDATE memories SET stored_words = stored_words + 1 WHERE memory_key = new.memory_key;
END;
CREATE TRIGGER words_deleted AFTER DELETE ON words BEGIN
    UPDATE memories SET stored_words = stored_words - 1 WHERE memory_key = old.memory_key;
END;
"""

_VIEWS = """
CREATE VIEW messages_readable AS
SELECT memories.memory_id, messages.sequence, messages.turn, messages.conversation_id, messages.role, messages.name,
       messages.content, messages.created_at, messages.metadata, messages.message_id
FROM messages JOIN memories USING (memory_key);
CREATE VIEW signals_readable AS
SELECT memories.memory_id, signals.signal_key, messages.turn, messages.conversation_id, messages.role, messages.name,
       substr(messages.content, signals.start + 1, signals."end" - signals.start) AS text,
       signals.kind, weights.base_weight, weights.last_used_turn, weights.uses, weights.stack_key,
       messages.created_at, messages.message_id, signals.chunk_index
FROM signals
JOIN memories USING (memory_key)
JOIN messages USING (memory_key, sequence)
LEFT JOIN weights USING (memory_key, signal_key);
CREATE VIEW stacks_readable AS
SELECT memories.memory_id, stacks.stack_key, stacks.size,
       (SELECT group_concat(signal_key, ' ') FROM weights
        WHERE weights.memory_key = stacks.memory_key AND weights.stack_key = stacks.stack_key) AS signal_keys
FROM stacks JOIN memories USING (memory_key);
CREATE VIEW credits_readable AS
SELECT memories.memory_id, credits.turn, credits.signal_key, credits.action, credits.contribution,
       credits.old_weight, credits.new_weight, signals_readable.text, credits.created_at
FROM credits
JOIN memories USING (memory_key)
LEFT JOIN signals_readable USING (memory_id, signal_key);
"""


@MIGRATIONS()
def m001_first_tables(database: Database) -> None:
    """Everything; all keys and indexes of data tables start with the memory's key."""
    for script in (_MEMORIES, _MESSAGES, _SIGNALS, _STACKS, _WORDS, _CREDITS, _COUNTS, _VIEWS):
        database.executescript(script)


def schema_version(connection: _sqlite.Connection, path: str) -> int:
    """The version of the tables in a file, 0 if the file is empty. Reads only.

    Call it inside a transaction: the answer is put together from several reads.

    Raises:
        NewerFileError: a newer version of this library made the file.
        DamagedFileError: it is a database, but not one of ours.
        Error: it is not a database.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application == version == objects == 0:
        return 0
    if application != APPLICATION_ID or version < 1:
        raise DamagedFileError(
            f"{path} is a database of another program, or its header is damaged; it was left as it is. "
            "Choose another path, or restore it from a backup."
        )
    if version > SCHEMA_VERSION:
        raise NewerFileError(
            f"{path} has schema version {version}, this version of the library knows up to {SCHEMA_VERSION}; "
            "it was left as it is. Upgrade with: pip install -U streetai"
        )
    return int(version)


def migrate(database: Database, path: str) -> None:
    """Bring a file up to date, in one transaction; processes that do it at once take turns.

    Raises:
        StoreError: the file cannot be written, or is not ours after all.
    """
    with transaction(database.conn, path, "BEGIN IMMEDIATE"):
        if schema_version(database.conn, path) < SCHEMA_VERSION:
            MIGRATIONS.apply(database)
            database.conn.execute(CLAIM)
            database.conn.execute(_CLOSE)
