"""The tables, their indexes and the triggers that count rows; all keys of data tables start with the memory's key."""

from __future__ import annotations

MEMORIES = """
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
    stored_words     INTEGER NOT NULL DEFAULT 0,
    stored_journal   INTEGER NOT NULL DEFAULT 0,
    stored_quarantines INTEGER NOT NULL DEFAULT 0,
    stored_cues      INTEGER NOT NULL DEFAULT 0
) STRICT;
"""

MESSAGES = """
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
    source          TEXT    NOT NULL,
    trust           REAL    NOT NULL CHECK (trust BETWEEN 0 AND 1),
    writer          TEXT,
    -- A random number, and a hash of it with all other columns: what the journal adds up, and what goes with the row.
    salt            BLOB    NOT NULL CHECK (length(salt) = 16),
    seal            BLOB    NOT NULL CHECK (length(seal) = 16),
    crc             INTEGER NOT NULL,
    content         TEXT    NOT NULL,
    PRIMARY KEY (memory_key, sequence),
    UNIQUE (memory_key, message_id)
) STRICT;
CREATE INDEX messages_by_conversation ON messages (memory_key, conversation_id, sequence);
"""

SIGNALS = """
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
    -- Little-endian numbers of four bytes, or of two.
    vector     BLOB    NOT NULL CHECK (length(vector) IN (4 * dim, 2 * dim)),
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

CUES = """
-- Questions that signals helped to answer.
CREATE TABLE cues (
    memory_key INTEGER NOT NULL,
    signal_key INTEGER NOT NULL,
    question   INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    dim        INTEGER NOT NULL,
    vector     BLOB    NOT NULL CHECK (length(vector) IN (4 * dim, 2 * dim)),
    crc        INTEGER NOT NULL,
    PRIMARY KEY (memory_key, signal_key, question),
    FOREIGN KEY (memory_key, signal_key) REFERENCES signals (memory_key, signal_key) ON DELETE CASCADE
) STRICT;
CREATE INDEX cues_by_version ON cues (memory_key, version, signal_key, question);
"""

STACKS = """
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

WORDS = """
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
    source          TEXT    NOT NULL,
    trust           REAL    NOT NULL CHECK (trust BETWEEN 0 AND 1),
    writer          TEXT,
    fingerprint     INTEGER NOT NULL,
    -- The version of the rules that made this row of its message.
    rules           INTEGER NOT NULL CHECK (rules >= 0),
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

CREDITS = """
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
    -- What undoing the step needs, and which conversation it was learned in.
    old_last_used_turn INTEGER NOT NULL,
    old_uses     INTEGER NOT NULL,
    conversation INTEGER NOT NULL,
    crc          INTEGER NOT NULL,
    PRIMARY KEY (memory_key, version, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX credits_by_signal ON credits (memory_key, signal_key);
"""

JOURNAL = """
CREATE TABLE journal (
    memory_key    INTEGER NOT NULL REFERENCES memories (memory_key) ON DELETE CASCADE,
    version       INTEGER NOT NULL,
    -- Spans of sequences as JSON: what was done, and no text.
    added         TEXT    NOT NULL,
    changed       TEXT    NOT NULL,
    removed       TEXT    NOT NULL,
    event         TEXT    NOT NULL,
    target        INTEGER,
    next_sequence INTEGER NOT NULL,
    next_signal   INTEGER NOT NULL,
    created_at    TEXT    NOT NULL,
    -- The seals of all messages added up, and the hash of this entry and the one before.
    total         BLOB    NOT NULL CHECK (length(total) = 32),
    digest        BLOB    NOT NULL CHECK (length(digest) = 32),
    crc           INTEGER NOT NULL,
    PRIMARY KEY (memory_key, version)
) STRICT, WITHOUT ROWID;
"""

QUARANTINES = """
CREATE TABLE quarantines (
    memory_key INTEGER NOT NULL REFERENCES memories (memory_key) ON DELETE CASCADE,
    field      TEXT    NOT NULL,
    value      TEXT    NOT NULL,
    crc        INTEGER NOT NULL,
    PRIMARY KEY (memory_key, field, value)
) STRICT, WITHOUT ROWID;
"""

PACKS = """
-- Rows of a span of keys as one value, for loading. A copy: whatever happens to a row of the span drops it, but for
-- weights, which change all the time: of them it is written down which are not as they were packed.
CREATE TABLE packs (
    memory_key INTEGER NOT NULL REFERENCES memories (memory_key) ON DELETE CASCADE,
    kind       TEXT    NOT NULL CHECK (kind IN ('signals', 'weights', 'words')),
    -- Which span: keys (of words: sequences) from 512 * part on; the number is SPAN in packs.py.
    part       INTEGER NOT NULL,
    data       BLOB    NOT NULL,
    crc        INTEGER NOT NULL,
    PRIMARY KEY (memory_key, kind, part)
) STRICT;
CREATE TABLE changed_weights (
    memory_key INTEGER NOT NULL REFERENCES memories (memory_key) ON DELETE CASCADE,
    signal_key INTEGER NOT NULL,
    PRIMARY KEY (memory_key, signal_key)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER signal_added_to_pack AFTER INSERT ON signals BEGIN
    DELETE FROM packs WHERE memory_key = new.memory_key AND kind = 'signals' AND part = new.signal_key / 512;
END;
CREATE TRIGGER signal_changed_in_pack AFTER UPDATE ON signals BEGIN
    DELETE FROM packs WHERE memory_key = old.memory_key AND kind = 'signals' AND part = old.signal_key / 512;
    DELETE FROM packs WHERE memory_key = new.memory_key AND kind = 'signals' AND part = new.signal_key / 512;
END;
CREATE TRIGGER signal_deleted_from_pack AFTER DELETE ON signals BEGIN
    DELETE FROM packs WHERE memory_key = old.memory_key AND kind = 'signals' AND part = old.signal_key / 512;
END;
CREATE TRIGGER weight_added_to_pack AFTER INSERT ON weights BEGIN
    DELETE FROM packs WHERE memory_key = new.memory_key AND kind = 'weights' AND part = new.signal_key / 512;
END;
CREATE TRIGGER weight_changed_in_pack AFTER UPDATE ON weights WHEN new.signal_key = old.signal_key BEGIN
    -- No OR IGNORE: the statement that fired the trigger would override it.
    INSERT INTO changed_weights (memory_key, signal_key)
    SELECT memory_key, new.signal_key FROM packs
    WHERE memory_key = new.memory_key AND kind = 'weights' AND part = new.signal_key / 512 AND NOT EXISTS (
        SELECT 1 FROM changed_weights WHERE memory_key = new.memory_key AND signal_key = new.signal_key);
END;
CREATE TRIGGER weight_moved_from_pack AFTER UPDATE ON weights
WHEN new.signal_key <> old.signal_key OR new.memory_key <> old.memory_key BEGIN
    DELETE FROM packs WHERE memory_key = old.memory_key AND kind = 'weights' AND part = old.signal_key / 512;
    DELETE FROM packs WHERE memory_key = new.memory_key AND kind = 'weights' AND part = new.signal_key / 512;
END;
CREATE TRIGGER weight_deleted_from_pack AFTER DELETE ON weights BEGIN
    DELETE FROM packs WHERE memory_key = old.memory_key AND kind = 'weights' AND part = old.signal_key / 512;
    DELETE FROM changed_weights WHERE memory_key = old.memory_key AND signal_key = old.signal_key;
END;
CREATE TRIGGER words_added_to_pack AFTER INSERT ON words BEGIN
    DELETE FROM packs WHERE memory_key = new.memory_key AND kind = 'words' AND part = new.sequence / 512;
END;
CREATE TRIGGER words_changed_in_pack AFTER UPDATE ON words BEGIN
    DELETE FROM packs WHERE memory_key = old.memory_key AND kind = 'words' AND part = old.sequence / 512;
    DELETE FROM packs WHERE memory_key = new.memory_key AND kind = 'words' AND part = new.sequence / 512;
END;
CREATE TRIGGER words_deleted_from_pack AFTER DELETE ON words BEGIN
    DELETE FROM packs WHERE memory_key = old.memory_key AND kind = 'words' AND part = old.sequence / 512;
END;
"""

COUNTS = """
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
    -- What was learned about a signal tells something of it.
    DELETE FROM credits WHERE memory_key = old.memory_key AND signal_key = old.signal_key;
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
CREATE TRIGGER journal_added AFTER INSERT ON journal BEGIN
    UPDATE memories SET stored_journal = stored_journal + 1 WHERE memory_key = new.memory_key;
END;
CREATE TRIGGER journal_deleted AFTER DELETE ON journal BEGIN
    UPDATE memories SET stored_journal = stored_journal - 1 WHERE memory_key = old.memory_key;
END;
CREATE TRIGGER cue_added AFTER INSERT ON cues BEGIN
    UPDATE memories SET stored_cues = stored_cues + 1 WHERE memory_key = new.memory_key;
END;
CREATE TRIGGER cue_deleted AFTER DELETE ON cues BEGIN
    UPDATE memories SET stored_cues = stored_cues - 1 WHERE memory_key = old.memory_key;
END;
CREATE TRIGGER quarantine_added AFTER INSERT ON quarantines BEGIN
    UPDATE memories SET stored_quarantines = stored_quarantines + 1 WHERE memory_key = new.memory_key;
END;
CREATE TRIGGER quarantine_deleted AFTER DELETE ON quarantines BEGIN
    UPDATE memories SET stored_quarantines = stored_quarantines - 1 WHERE memory_key = old.memory_key;
END;
"""

TABLES = (MEMORIES, MESSAGES, SIGNALS, CUES, STACKS, WORDS, CREDITS, JOURNAL, QUARANTINES, PACKS, COUNTS)
"""Scripts, in the order in which they can be executed."""
