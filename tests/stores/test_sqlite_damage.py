"""Damage inside the file: every changed value is found when it is read, and nothing is silently wrong."""

import random
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from streetai_core.errors import DamagedFileError, StoreError
from streetai_core.stores import _sqlite
from streetai_core.stores.provenance import Quarantine
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.stores.types import Changes, MessageQuery
from streetai_core.testing.factories import (
    make_counts,
    make_cue_row,
    make_days,
    make_exchange,
    make_learned,
    make_message,
    make_signal_row,
    make_terms,
    make_vector,
    make_words_row,
)
from streetai_core.testing.store_reading import all_messages, comparable, head_of, read, write

NUMBERS = {
    "memories": (
        *("generation", "version", "deletion_version", "next_turn", "next_sequence", "next_signal", "next_stack"),
        *("message_count", "history_tokens", "dim", "crc"),
        *(
            "stored_messages",
            "stored_sequences",
            "stored_signals",
            "stored_weights",
            "stored_stacks",
            "stored_credits",
            "stored_words",
            "stored_journal",
            "stored_quarantines",
            "stored_cues",
        ),
    ),
    "messages": ("sequence", "turn", "sanitised", "trust", "crc"),
    "signals": ("sequence", "chunk_index", "start", '"end"', "block_start", "block_end", "version"),
    "vectors": ("crc",),
    "weights": ("base_weight", "last_used_turn", "uses", "stack_key", "version", "crc"),
    "cues": ("signal_key", "question", "version", "crc"),
    "stacks": ("stack_key", "size", "version", "crc"),
    "words": ("sequence", "version", "day", "characters", "question", "trust", "fingerprint", "rules", "crc"),
    "credits": (
        "signal_key",
        "turn",
        "contribution",
        "old_weight",
        "new_weight",
        "old_last_used_turn",
        "old_uses",
        "conversation",
        "crc",
    ),
    "journal": ("version", "next_sequence", "next_signal", "crc"),
    "quarantines": ("crc",),
}
TEXTS = {
    "memories": ("token", "encoder", "created_at"),
    "messages": (
        "message_id",
        "conversation_id",
        "role",
        "name",
        "created_at",
        "metadata",
        "source",
        "writer",
        "content",
    ),
    "signals": ("kind",),
    "words": ("conversation_id", "name", "role", "source", "writer", "replaces"),
    "credits": ("action", "created_at"),
    "journal": ("added", "changed", "removed", "event", "created_at"),
    "quarantines": ("field", "value"),
}
ARRAYS = {
    "messages": ("salt", "seal"),
    "vectors": ("vector",),
    "cues": ("vector",),
    "stacks": ("total",),
    "words": ("terms", "counts", "days"),
}

ROWS = {
    "memories": "memory_id = 'alice'",
    "messages": "sequence = 7",
    "signals": "signal_key = 7",
    "vectors": "signal_key = 7",
    "weights": "signal_key = 7",
    "cues": "signal_key = 7",
    "stacks": "stack_key = 0",
    "words": "sequence = 7",
    "credits": "position = 7",
    "journal": "version = 1",
    "quarantines": "field = 'writer'",
}
"""The row that is damaged, by table."""


@pytest.fixture
def path(tmp_path):
    """Where the database is."""
    return tmp_path / "memories.db"


def everything(store):
    """All that can be read of a memory."""
    with store.reading("alice") as view:
        return comparable([view.rows(None), view.messages(MessageQuery()), view.credits(), view.journal()])


def fill(path):
    """A closed database with sixty messages, and what it says."""
    with SqliteStore(path, durability="fast") as store:
        write(store, make_exchange(*range(60)))
        rule = Quarantine(field="writer", value="mail")
        write(
            store,
            Changes(
                head=head_of(store),
                learned=[make_learned(key) for key in range(60)],
                cues=[make_cue_row(key, 5) for key in range(60)],
                quarantined=[rule],
            ),
        )
        return everything(store)


def change(path, *words):
    """Change the file as damage does: without the checks that its tables have."""
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("PRAGMA foreign_keys = OFF")
        assert connection.execute(" ".join(words)).rowcount == 1


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        *[(table, column, f"{column} + 1000") for table, columns in NUMBERS.items() for column in columns],
        *[(table, column, "'2026-x'") for table, columns in TEXTS.items() for column in columns],
        *[(table, column, "zeroblob(16)") for table, columns in ARRAYS.items() for column in columns],
    ],
)
def test_any_changed_value_is_found(path, table, column, value):
    """Whatever column of whatever table differs from what was written, reading says which memory is damaged."""
    fill(path)
    change(path, "UPDATE", table, "SET", column, "=", value, "WHERE", ROWS[table])
    with SqliteStore(path) as store, pytest.raises(DamagedFileError, match=r"memory 'alice'.*memories\.db"):
        everything(store)


@pytest.mark.parametrize("table", ["vectors", "weights", "cues", "stacks", "words"])
def test_a_missing_row_is_found(path, table):
    """A row that is gone, or cannot be found any more because its key is damaged, is missed."""
    fill(path)
    change(path, "UPDATE", table, "SET memory_key = 99 WHERE", ROWS[table])
    with SqliteStore(path) as store, pytest.raises(DamagedFileError, match=r"memory 'alice'.*memories\.db"):
        everything(store)


@pytest.mark.parametrize("key", ["memory_key = 99", "sequence = 60", "sequence = -7"])
def test_a_message_that_cannot_be_found_is_missed_by_loading(path, key):
    """Loading a memory reads no messages, but a message whose key is damaged is refused there already."""
    fill(path)
    change(path, "UPDATE messages SET", key, "WHERE", ROWS["messages"])
    with SqliteStore(path) as store, pytest.raises(DamagedFileError, match=r"memory 'alice'.*memories\.db"):
        read(store)


@pytest.mark.parametrize("column", ["turn", *TEXTS["messages"]])
def test_a_damaged_message_is_found_when_it_is_read(path, column):
    """By whatever query; loading the memory and reading the other messages goes on."""
    fill(path)
    change(path, "UPDATE messages SET", column, "= '77' WHERE", ROWS["messages"])
    with SqliteStore(path) as store:
        assert len(read(store).signals) == 60
        assert all_messages(store, sequences=[6, 8]) == [make_message(6), make_message(8)]
        for conditions in ({}, {"sequences": [6, 7, 8]}, {"last": 53}):
            with pytest.raises(DamagedFileError, match="message 7 of memory 'alice'"):
                all_messages(store, **conditions)


def test_a_changed_id_is_found(path):
    """A memory does not turn up under another name."""
    fill(path)
    change(path, "UPDATE memories SET memory_id = 'alicf'")
    with SqliteStore(path) as store:
        for use in (store.memory_ids, lambda: read(store, "alicf")):
            with pytest.raises(DamagedFileError, match="alicf"):
                use()


def test_a_flipped_bit_in_a_vector_is_found(path):
    """The error names the memory and the signal; texts can still be read."""
    fill(path)
    data = bytearray(path.read_bytes())
    position = data.index(make_vector(7).tobytes())
    data[position + 5] ^= 0b100
    path.write_bytes(data)
    with SqliteStore(path) as store:
        with pytest.raises(DamagedFileError, match="signal 7 of memory 'alice'"):
            read(store)
        assert len(all_messages(store)) == 60


@pytest.mark.parametrize("bit", range(64))
def test_a_flipped_bit_in_a_half_is_found(path, bit):
    """Every bit of a vector of four halves, beside singles and among halves."""
    with SqliteStore(path, durability="fast") as store:
        kinds = [np.float32 if key == 2 else np.float16 for key in range(5)]
        signals = [make_signal_row(key, vector=make_vector(key).astype(kind)) for key, kind in enumerate(kinds)]
        write(store, make_exchange(*range(5), signals=signals))
    data = bytearray(path.read_bytes())
    data[data.index(signals[3].vector.tobytes()) + bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)
    with SqliteStore(path) as store:
        for load in (lambda view: view.loaded(), lambda view: view.rows(None)):
            with store.reading("alice") as view, pytest.raises(DamagedFileError, match="signal 3 of memory 'alice'"):
                load(view)


@pytest.mark.parametrize(
    "change_of",
    [
        "vector = zeroblob(8)",
        "vector = zeroblob(16)",
        "vector = zeroblob(24)",
        "vector = substr(vector, 1, 6)",
        "vector = x''",
        "vector = zeroblob(4), dim = 2",
    ],
)
def test_halves_of_another_length_are_found(path, change_of):
    """Also where the length is that of a single, or of halves of another dimension."""
    with SqliteStore(path, durability="fast") as store:
        signals = [make_signal_row(key, vector=make_vector(key).astype(np.float16)) for key in range(9)]
        write(store, make_exchange(*range(9), signals=signals))
    change(path, "UPDATE vectors SET", change_of, "WHERE", ROWS["vectors"])
    with SqliteStore(path) as store:
        for load in (lambda view: view.loaded(), lambda view: view.rows(None)):
            with store.reading("alice") as view, pytest.raises(DamagedFileError, match="signal 7 of memory 'alice'"):
                load(view)


@pytest.mark.parametrize("column", ["terms", "counts", "days"])
def test_a_flipped_bit_in_words_is_found(path, column):
    """A message would be found by words, or at a time, that nobody spoke of; the error names it instead."""
    fill(path)
    row = make_words_row(7)
    arrays = row.terms.tobytes() + row.counts.tobytes() + row.days.tobytes()
    data = bytearray(path.read_bytes())
    # The three stand side by side in the row.
    offset = {"terms": 0, "counts": row.terms.nbytes, "days": row.terms.nbytes + row.counts.nbytes}[column]
    data[data.index(arrays) + offset] ^= 0b100
    path.write_bytes(data)
    with SqliteStore(path) as store:
        with pytest.raises(DamagedFileError, match="words of message 7 of memory 'alice'"):
            read(store)
        assert len(all_messages(store)) == 60


def test_a_moved_end_of_an_array_is_found(path):
    """The same bytes, cut into terms, counts and days elsewhere, are other words."""
    terms, counts = make_terms(2, 3), make_counts(1, 1)
    with SqliteStore(path, durability="fast") as store:
        write(store, make_exchange(0, words=[make_words_row(0, terms=terms, counts=counts, days=make_days())]))
    data = terms.tobytes() + counts.tobytes()
    cut = {"terms": data[:4], "counts": data[4:6], "days": data[6:]}
    change(path, "UPDATE words SET", ", ".join(f"{column} = x'{part.hex()}'" for column, part in cut.items()))
    with SqliteStore(path) as store, pytest.raises(DamagedFileError, match="words of message 0 of memory 'alice'"):
        read(store)


def test_damage_in_one_memory_leaves_the_others_readable(path):
    """Only what is damaged is refused."""
    fill(path)
    with SqliteStore(path) as store:
        write(store, make_exchange(0, head=replace(head_of(store), memory_id="bob")))
    change(path, "UPDATE vectors SET crc = crc + 1 WHERE memory_key = 1 AND signal_key = 7")
    with SqliteStore(path) as store:
        with pytest.raises(DamagedFileError):
            read(store)
        assert [signal.key for signal in read(store, "bob").signals] == [0]
        assert store.memory_ids() == ["alice", "bob"]


def test_random_flipped_bits_are_never_silently_wrong(path):
    """In 150 copies, each with one bit flipped, reading gives either what was stored or an error."""
    expected = fill(path)
    original = path.read_bytes()
    rng = random.Random(8)
    found = harmless = 0
    for number in range(150):
        copy = path.with_name(f"{number}.db")
        data = bytearray(original)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        copy.write_bytes(data)
        try:
            with SqliteStore(copy) as store:
                assert everything(store) == expected
            harmless += 1
        except StoreError:
            found += 1
    assert (found > 10, found + harmless) == (True, 150)
