"""Loading a memory as columns gives what reading it row by row gives, and notices what that notices."""

import shutil
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import DamagedFileError
from streetai_core.state import MemoryState
from streetai_core.stores._sqlite import driver
from streetai_core.stores.checksums import blobs, checksums, reals, row_checksum, texts, wholes
from streetai_core.stores.columns import Coded, loaded_from
from streetai_core.stores.sqlite import SqliteStore
from tests.core.test_ram_equals_disk import dump

TEXTS = [
    "I moved to Porto last Saturday and work in a café now.",
    "What did I say about the harbour?",
    "日本語の文も見つかる。",
    "We met on 3 May 2021, and again yesterday.",
    "Ünïcödé and 🚢 ships; def f(x): return x",
    "Actually, I no longer live in Porto, I moved to Lisbon.",
]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A file with memories of many shapes: names, conversations, days, replaced facts, an edit, deletions, credits."""
    file = tmp_path_factory.mktemp("loading") / "memory.db"
    with MemoryRegistry(file, config=Config(), encoder=HashingEncoder(dim=16)) as registry:
        for name, count in (("few", 3), ("many", 60), ("bulk", 2100)):
            memory = registry.get(name)
            made = memory.add_messages(
                [
                    NewMessage(
                        content=f"{TEXTS[n % len(TEXTS)]} {n}",
                        role="user" if n % 3 else "assistant",
                        conversation_id=None if n % 5 == 0 else f"talk {n % 7}",
                        name="Mara" if n % 4 == 0 else None,
                        writer="import/test" if n % 11 == 0 else None,
                    )
                    for n in range(count)
                ]
            )
            memory.update_message(made[1][0].parent_turn_id, "A new text, written on 4 July 2020.")
            memory.delete_message(made[2][0].parent_turn_id)
            memory.post_process(memory.retrieve("Where do I live?"), "You live in Lisbon.")
        registry.get("blank").add_message("   ", "user", metadata={"k": 1})
    for precision, name, count in (("half", "halves", 600), ("half", "mixed", 600), ("single", "mixed", 30)):
        config = Config(vector_precision=precision)
        with MemoryRegistry(file, config=config, encoder=HashingEncoder(dim=16)) as registry:
            registry.get(name).add_messages(
                [NewMessage(content=f"{TEXTS[n % len(TEXTS)]} {n}", role="user") for n in range(count)]
            )
    return file


@pytest.fixture
def path(written, tmp_path):
    """A copy to change."""
    return shutil.copy(written, tmp_path / "memory.db")


NAMES = ["few", "many", "bulk", "blank", "halves", "mixed"]


def columns_of(loaded):
    """All of it as plain values."""
    parts = {"head": loaded.head, "quarantine": loaded.quarantine}
    for name in ("signals", "weights", "stacks", "words"):
        part = getattr(loaded, name)
        for field in part.__dataclass_fields__:
            value = getattr(part, field)
            if isinstance(value, np.ndarray):
                parts[f"{name}.{field}"] = (value.dtype, value.shape, value.tobytes())
            else:
                parts[f"{name}.{field}"] = list(value)
    return parts


@pytest.mark.parametrize("name", NAMES)
def test_columns_are_the_rows(path, name):
    """Read in blocks or row by row: the same values of the same types."""
    with SqliteStore(path) as store, store.reading(name) as view:
        fast = view._in_columns(view.head, view._key)
        assert columns_of(fast) == columns_of(loaded_from(view.rows(None)))


@pytest.mark.parametrize("name", NAMES)
def test_a_state_of_columns_is_that_of_rows(path, name):
    """In RAM, too; also after more was added to both."""
    with SqliteStore(path) as store, store.reading(name) as view:
        one, other = MemoryState.loaded(view.loaded()), MemoryState.of(view.rows(None))
    assert dump(one) == dump(other)
    for words in (one.words, other.words):
        assert words.size == len(words)
    for term in np.unique(loaded_terms(path, name)).tolist():
        assert one.words.rows_with(term).tolist() == other.words.rows_with(term).tolist()
    assert one.words.authors == other.words.authors
    assert one.words.replacements().tolist() == other.words.replacements().tolist()
    assert one.words.speaks_of(700_000, 740_000).tolist() == other.words.speaks_of(700_000, 740_000).tolist()
    terms = loaded_terms(path, name)[:3].tolist()
    assert one.words.scores(terms, 3).own.tolist() == other.words.scores(terms, 3).own.tolist()
    assert one.words.scores(terms, 3).around.tolist() == other.words.scores(terms, 3).around.tolist()


def loaded_terms(path, name):
    """The hashes of all terms of a memory."""
    with SqliteStore(path) as store, store.reading(name) as view:
        return view.loaded().words.terms


def test_a_loaded_memory_goes_on(path):
    """What is written after loading is found, as in a memory that was never closed."""
    with MemoryRegistry(path, config=Config(), encoder=HashingEncoder(dim=16)) as registry:
        memory = registry.get("many")
        for number in range(30):
            memory.add_message(f"The heron number {number} stands in the reeds.", "user", conversation_id="talk 1")
        with memory._coherent.reading() as (view, state):
            assert dump(state) == dump(MemoryState.of(view.rows(None)))
            assert dump(state) == dump(MemoryState.loaded(view.loaded()))
        assert any("heron number 7" in hit.signal.content for hit in memory.retrieve("heron number 7"))


def test_what_is_in_quarantine_is_in_no_index(path):
    """Whatever the rule is about."""
    with MemoryRegistry(path, config=Config(), encoder=HashingEncoder(dim=16)) as registry:
        memory = registry.get("many")
        memory.quarantine(writer="import/test")
        memory.quarantine(conversation="talk 3")
    with SqliteStore(path) as store, store.reading("many") as view:
        one, other = MemoryState.loaded(view.loaded()), MemoryState.of(view.rows(None))
    assert one.hidden == other.hidden
    assert one.hidden
    assert dump(one) == dump(other)
    assert len(one.words) == len(other.words)


DAMAGE = [
    "UPDATE signals SET start = start + 1 WHERE memory_key = 2 AND signal_key = 5",
    "UPDATE signals SET kind = 'other' WHERE memory_key = 2 AND signal_key = 5",
    "UPDATE vectors SET vector = zeroblob(length(vector)) WHERE memory_key = 2 AND signal_key = 5",
    "UPDATE vectors SET vector = zeroblob(4), dim = 1 WHERE memory_key = 2 AND signal_key = 5",
    "DELETE FROM vectors WHERE memory_key = 2 AND signal_key = 5",
    "UPDATE weights SET base_weight = 7.5 WHERE memory_key = 2 AND signal_key = 5",
    "UPDATE weights SET version = version - 1 WHERE memory_key = 2 AND signal_key = 5",
    "UPDATE stacks SET size = size + 1 WHERE memory_key = 2",
    "UPDATE words SET name = NULL WHERE memory_key = 2 AND sequence = 8",
    "UPDATE words SET name = '' WHERE memory_key = 2 AND sequence = 9",
    "UPDATE words SET trust = 0.25 WHERE memory_key = 2 AND sequence = 8",
    "UPDATE words SET replaces = '[1]' WHERE memory_key = 2 AND sequence = 8",
    "UPDATE words SET terms = x'', counts = x'' WHERE memory_key = 2 AND sequence = 8",
    "UPDATE words SET days = zeroblob(8) WHERE memory_key = 2 AND sequence = 8",
    "UPDATE words SET crc = crc + 1 WHERE memory_key = 2 AND sequence = 8",
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_reported_by_row(path, damage):
    """As columns it is noticed that something is wrong, and row by row which."""
    connection = driver.connect(str(path))
    with connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        assert connection.execute(damage).rowcount
    connection.close()
    with SqliteStore(path) as store, store.reading("many") as view, pytest.raises(DamagedFileError) as told:
        view.loaded()
    with SqliteStore(path) as store, store.reading("many") as view, pytest.raises(DamagedFileError) as by_row:
        view.rows(None)
    assert str(told.value) == str(by_row.value)


CELLS = st.tuples(
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.none() | st.text(st.characters(exclude_categories=("Cs",)), max_size=5),
    st.binary(max_size=9),
)


@given(st.lists(CELLS, min_size=1, max_size=20))
def test_the_checksums_of_columns_are_those_of_rows(rows):
    """Property: one by one or all at once."""
    whole, real, text, data = zip(*rows, strict=True)
    coded = Coded.of(text)
    columns = [3, wholes(whole), reals(real)[1], texts(coded.values, coded.codes), blobs(data)[1]]
    assert checksums(columns).tolist() == [row_checksum((3, *row)) for row in rows]


@given(CELLS, CELLS)
def test_other_rows_have_other_checksums(one, other):
    """Property: whatever column it is that differs."""
    assert (row_checksum(one) == row_checksum(other)) == (repr(one) == repr(other))


@pytest.mark.parametrize(
    "values",
    [
        pytest.param((0, 0.0, "", b"", None), id="nothing"),
        pytest.param(("words", b"words"), id="the same bytes"),
        pytest.param((struct.unpack("<q", struct.pack("<d", 0.75))[0], 0.75), id="the same bits"),
    ],
)
def test_values_of_other_types_have_other_checksums(values):
    """One flipped bit in a row of SQLite makes one of these of another."""
    assert len({row_checksum((1, value)) for value in values}) == len(values)


def test_a_number_that_no_column_holds_has_no_checksum():
    """Said as SQLite says it."""
    with pytest.raises(OverflowError, match="64 bits"):
        row_checksum((2**63,))
