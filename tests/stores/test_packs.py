"""Packs are copies of rows that make loading quick: they are never believed against the rows, and go with them."""

import random
import shutil
from contextlib import closing, suppress
from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import StoreError
from streetai_core.state import MemoryState
from streetai_core.stores import _sqlite
from streetai_core.stores.checksums import vectors
from streetai_core.stores.columns import Coded, loaded_from
from streetai_core.stores.opening import PAGE_SIZE
from streetai_core.stores.packs import SPAN, packed, unpacked
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.stores.tables import PACKS
from streetai_core.testing.factories import NOON, make_exchange, make_head, make_signal_row, make_weight_row
from streetai_core.testing.torture.trap import Trap, trapped
from streetai_core.upkeep.doctor import examine
from streetai_core.upkeep.salvage import salvage
from tests.core.test_ram_equals_disk import dump
from tests.outdated import outdate
from tests.seeds import seeded
from tests.stores.test_loading import columns_of

ENCODER = HashingEncoder(dim=16)
COUNT = 3 * SPAN + 100
"""Messages: three spans that are packed, and one that is not full."""
AUTHOR = "Xanthippe of the harbour"
CASES = 60


def opened(path):
    """A registry on a file, as a process has it that has just started."""
    return MemoryRegistry(SqliteStore(path, durability="fast"), config=Config(), encoder=ENCODER)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A file with a memory that is packed, that has learned since, and one that is too small to be."""
    path = tmp_path_factory.mktemp("packs") / "memory.db"
    with opened(path) as registry:
        memory = registry.get("large")
        memory.add_messages(
            [
                NewMessage(
                    content=f"The heron {n} stands on pier {n % 40}.",
                    role="user" if n % 3 else "assistant",
                    conversation_id=None if n % 5 == 0 else f"talk {n % 7}",
                    name=AUTHOR if n == 600 else None if n % 4 else "Mara",
                    message_id=str(n),
                )
                for n in range(COUNT)
            ]
        )
        memory.post_process(memory.retrieve("Which heron stands on pier 7?"), "The heron 7 does.")
        registry.get("small").add_message("A gull.", "user")
    return path


@pytest.fixture
def path(written, tmp_path):
    """A copy to change."""
    return shutil.copy(written, tmp_path / "memory.db")


def select(path, sql):
    """Rows of a query from outside."""
    with closing(_sqlite.connect(path.as_uri(), timeout=5)) as connection:
        return connection.execute(sql).fetchall()


def change(path, sql):
    """Change the file from outside."""
    with closing(_sqlite.connect(path.as_uri(), timeout=5)) as connection:
        assert connection.execute(sql).rowcount > 0


def parts(path):
    """Which packs there are."""
    found = {}
    for kind, part in select(path, "SELECT kind, part FROM packs ORDER BY kind, part"):
        found.setdefault(kind, []).append(part)
    return found


def both(path, name="large"):
    """A memory as columns and row by row."""
    with SqliteStore(path) as store, store.reading(name) as view:
        return columns_of(view._in_columns(view.head, view._key)), columns_of(loaded_from(view.rows(None)))


def assert_right(path):
    """What is loaded is what the rows say, in RAM too, and the doctor finds nothing."""
    fast, rows = both(path)
    assert fast == rows
    with SqliteStore(path) as store, store.reading("large") as view:
        assert dump(MemoryState.loaded(view.loaded())) == dump(MemoryState.of(view.rows(None)))
    assert examine(path).healthy


def test_full_spans_are_packed_and_only_those(written):
    """By the write that fills them."""
    assert parts(written) == {kind: [0, 1, 2] for kind in ("signals", "weights", "words")}
    assert {row[0] for row in select(written, "SELECT memory_key FROM packs")} == {1}


def test_what_is_loaded_is_what_the_rows_say(path):
    """Also weights that have changed since they were packed, which are read from their rows."""
    changed = select(path, "SELECT count(*) FROM changed_weights")
    assert changed > [(0,)]
    assert_right(path)


def test_packs_are_read_instead_of_rows(path):
    """Of the rows that are packed none is asked for, but for their vectors and for weights that have changed."""
    asked = []

    def opener(uri, **options):
        connection = _sqlite.connect(uri, **options)
        connection.set_trace_callback(asked.append)
        return connection

    with SqliteStore(path, opener=opener) as store, store.reading("large") as view:
        view.loaded()
    spans = [one for one in asked if "BETWEEN" in one]
    assert len(spans) == 3
    assert all(f"BETWEEN {3 * SPAN} AND" in one for one in spans)


MENDED = {
    "an edit": lambda memory: memory.update_message("700", "The heron has flown."),
    "a deletion": lambda memory: memory.delete_message("700"),
    "a conversation": lambda memory: memory.delete_conversation("talk 3"),
    "a lesson": lambda memory: memory.post_process(memory.retrieve("heron on pier 9"), "The heron 9."),
    "new vectors": lambda memory: memory.reencode(),
    "going back": lambda memory: memory.rollback(memory.version - 1),
    "quarantine": lambda memory: memory.quarantine(conversation="talk 2"),
    "another span": lambda memory: memory.add_messages(
        [NewMessage(content=f"Gull {n}.", role="user") for n in range(SPAN)]
    ),
    "forgetting": lambda memory: memory.forget(everything=True),
}


@pytest.mark.parametrize("what", MENDED)
def test_no_write_leaves_a_pack_that_is_wrong(path, what):
    """Whatever is written: in RAM, loaded anew, and row by row it is the same."""
    with opened(path) as registry:
        memory = registry.get("large")
        MENDED[what](memory)
        if what != "forgetting":
            with memory._coherent.reading() as (view, state):
                assert dump(state) == dump(MemoryState.loaded(view.loaded()))
    if what != "forgetting":
        assert_right(path)
    else:
        assert parts(path) == {}
        assert select(path, "SELECT * FROM changed_weights") == []


def test_a_deletion_drops_the_packs_of_its_span_alone(path):
    """And they are made anew when the next span is full."""
    with opened(path) as registry:
        memory = registry.get("large")
        memory.delete_message("600")
        assert parts(path) == {kind: [0, 2] for kind in ("signals", "weights", "words")}
        memory.add_messages([NewMessage(content=f"Gull {n}.", role="user") for n in range(SPAN)])
        assert parts(path) == {kind: [0, 1, 2, 3] for kind in ("signals", "weights", "words")}
    assert_right(path)


def test_weights_that_have_mostly_changed_are_packed_anew(path):
    """Not before the next span is full."""
    change(path, "UPDATE weights SET uses = uses WHERE memory_key = 1 AND signal_key BETWEEN 0 AND 200")
    assert select(path, "SELECT count(*) > 200 FROM changed_weights WHERE signal_key < 512") == [(1,)]
    with opened(path) as registry:
        registry.get("large").add_messages([NewMessage(content=f"Gull {n}.", role="user") for n in range(SPAN)])
    assert select(path, "SELECT count(*) FROM changed_weights WHERE signal_key < 512") == [(0,)]
    assert_right(path)


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE signals SET version = version + 1 WHERE memory_key = 1 AND signal_key = 700",
        "UPDATE weights SET version = version + 1 WHERE memory_key = 1 AND signal_key = 700",
        "UPDATE words SET version = version + 1 WHERE memory_key = 1 AND sequence = 700",
    ],
)
def test_a_row_that_is_changed_behind_the_library_is_not_hidden_by_its_pack(path, edit):
    """The database itself sees to it."""
    change(path, edit)
    with SqliteStore(path) as store, store.reading("large") as view, pytest.raises(StoreError, match="700"):
        view.loaded()


def test_nothing_of_what_was_deleted_stays_in_a_pack(path):
    """A name that only one message had is in no byte of the file."""
    assert AUTHOR.encode() in path.read_bytes()
    with opened(path) as registry:
        memory = registry.get("large")
        receipt = memory.forget(message="600")
        assert receipt.residual == 0
        assert receipt.pending == ()
    assert AUTHOR.encode() not in path.read_bytes()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE packs SET data = zeroblob(length(data))",
        "UPDATE packs SET crc = crc + 1",
        "UPDATE packs SET part = part + 1 WHERE part = 2",
        "UPDATE packs SET kind = 'weights' WHERE kind = 'signals' AND part = 5",
        "DELETE FROM packs WHERE part = 1",
        "DELETE FROM packs WHERE kind = 'words'",
        "DELETE FROM changed_weights",
    ],
)
def test_without_packs_the_rows_are_read(path, damage):
    """They say the same."""
    expected = both(path)[1]
    with closing(_sqlite.connect(path.as_uri(), timeout=5)) as connection:
        connection.execute(damage)
    with SqliteStore(path) as store, store.reading("large") as view:
        assert columns_of(view.loaded()) == expected


def test_the_doctor_tells_damaged_packs_from_wrong_ones(path):
    """The former cost time, the latter would be believed."""
    change(path, "UPDATE packs SET crc = crc + 1 WHERE kind = 'words' AND part = 1")
    health = examine(path)
    assert health.healthy
    assert ["1 packs of memory 'large' are damaged" in one.what for one in health.findings].count(True) == 1
    with closing(_sqlite.connect(path.as_uri(), timeout=5)) as connection:
        connection.execute("DROP TRIGGER words_deleted_from_pack")
        connection.execute("DELETE FROM words WHERE memory_key = 1 AND sequence = 20")
    health = examine(path)
    assert not health.healthy
    assert any("1 packs of memory 'large' are not copies of its rows" in one.what for one in health.findings)


def test_salvage_needs_no_packs_and_makes_new_ones(path, tmp_path):
    """What is saved is packed as what is written."""
    change(path, "UPDATE packs SET data = zeroblob(7)")
    saved = tmp_path / "saved.db"
    assert salvage(path, saved).complete
    assert parts(saved) == {kind: [0, 1, 2] for kind in ("signals", "weights", "words")}


@seeded
def test_no_damage_gives_a_wrong_answer(path, tmp_path, seed):
    """Bits, zeroed and swapped pages anywhere in a file with packs: it says what it said, or raises."""
    data, (expected, _) = path.read_bytes(), both(path)
    rng = random.Random(seed)
    pages = len(data) // PAGE_SIZE
    said = 0
    for number in range(CASES):
        copy = bytearray(data)
        one, other = (slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE) for page in rng.sample(range(1, pages), 2))
        if number % 3 == 0:
            copy[rng.randrange(len(copy))] ^= 1 << rng.randrange(8)
        elif number % 3 == 1:
            copy[one] = bytes(PAGE_SIZE)
        else:
            copy[one], copy[other] = copy[other], copy[one]
        damaged = tmp_path / f"{number}.db"
        damaged.write_bytes(copy)
        try:
            with SqliteStore(damaged) as store, store.reading("large") as view:
                answer = columns_of(view.loaded())
        except StoreError:
            continue
        finally:
            damaged.unlink()
        assert answer == expected, (seed, number)
        said += 1
    assert 0 < said < CASES, seed


def test_words_that_are_told_anew_are_packed_again(path):
    """Each load would read them row by row from then on."""
    with opened(path) as registry:
        outdate(registry.store, "large")
        assert registry.get("large").renew_words() == COUNT
    # The first span was begun last, with too few to fill one; it is packed beside the next that is full.
    assert parts(path)["words"] == [1, 2]
    assert_right(path)


@pytest.mark.parametrize("late", [False, True])
def test_a_write_that_packs_is_stored_whole_or_not_at_all(path, tmp_path, late):
    """Interrupted at each of its statements, before or after it is carried out."""
    with opened(path) as registry:
        messages = [NewMessage(content=f"Gull {n}.", role="user") for n in range(4 * SPAN - COUNT - 1)]
        registry.get("large").add_messages(messages)
    outcomes = set()
    for number in count(1):
        copy = shutil.copy(path, tmp_path / "interrupted.db")
        trap = Trap()
        store = SqliteStore(copy, durability="fast", opener=trapped(trap))
        with MemoryRegistry(store, config=Config(), encoder=ENCODER) as registry:
            memory = registry.get("large")
            version = memory.version
            trap.set(number, KeyboardInterrupt, late=late)
            with suppress(KeyboardInterrupt):
                memory.add_message("The last gull.", "user")
            sprung, trap.remaining = trap.sprung, 0
            stored = memory.version > version
            with memory._coherent.reading() as (view, state):
                assert columns_of(view._in_columns(view.head, view._key)) == columns_of(loaded_from(view.rows(None)))
                assert len(state.columns) == 4 * SPAN - 1 + stored
        assert parts(copy)["words"] == [0, 1, 2, 3][: 3 + stored], number
        outcomes.add(stored)
        if not sprung:
            break
    assert outcomes == {False, True}


def test_the_triggers_know_the_span():
    """It is in their text, where no parameter can be."""
    assert PACKS.count(f"/ {SPAN}") == PACKS.count("/ ") > 0


whole = st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 300), max_size=20)


@given(whole, st.lists(st.floats(allow_nan=False), max_size=5), st.lists(st.none() | st.text(max_size=4), max_size=9))
def test_packing_columns_and_back_is_the_identity(numbers, reals, texts):
    """Property: whole numbers of any size, real ones, texts and none."""
    texts = [None if text is None else text.encode("utf-8", "replace").decode() for text in texts]
    columns = {
        "numbers": np.array(numbers, dtype=np.int64),
        "reals": np.array(reals, dtype=np.float64),
        "texts": Coded.of(texts),
    }
    back = unpacked(packed(columns))
    assert list(back) == list(columns)
    assert back["numbers"].tolist() == numbers
    assert back["reals"].tobytes() == columns["reals"].tobytes()
    assert list(back["texts"]) == texts


texts = st.lists(st.sampled_from([None, "", "a", "b", "é"]), max_size=12)


@given(st.lists(texts, max_size=4), st.randoms())
def test_coded_texts_are_texts(columns, rng):
    """Property: joined and taken as lists are; the numbers go up in the order in which texts first come."""
    coded = Coded.joined([Coded.of(column) for column in columns])
    every = [text for column in columns for text in column]
    assert list(coded) == every
    assert coded.values == tuple(dict.fromkeys(every))
    chosen = np.array([rng.random() < 0.5 for _ in every], dtype=np.bool_)
    some = [text for text, one in zip(every, chosen, strict=True) if one]
    assert list(coded.taken(chosen)) == some
    assert coded.taken(chosen).values == tuple(dict.fromkeys(some))
    assert coded.are("a").tolist() == [text == "a" for text in every]


@pytest.mark.parametrize("dim", [1, 2, 7, 16])
def test_a_flipped_bit_changes_the_number_of_a_vector(dim):
    """Each of its bits, whatever the others are."""
    random_numbers = np.random.default_rng(dim)
    for row in (np.zeros((1, dim), "<f4"), random_numbers.normal(size=(1, dim)).astype("<f4")):
        (number,) = vectors(row).tolist()
        flipped = np.repeat(np.frombuffer(row.tobytes(), np.uint8)[None], 32 * dim, axis=0).copy()
        for bit in range(32 * dim):
            flipped[bit, bit // 8] ^= 1 << (bit % 8)
        numbers = vectors(flipped.view("<f4"))
        assert number not in numbers.tolist()
        assert vectors(row[:, : dim - 1]).tolist() != [number]
        alone = [vectors(one[None])[0] for one in flipped.view("<f4")]
        assert numbers.tolist() == alone


def test_numbers_far_apart_are_written_at_once(tmp_path):
    """Whoever numbered the messages of a file: what is looked for is a few spans, not all up to the highest number."""
    far, near = 2**45, make_exchange(0, head=make_head(memory_id="a"))
    changes = replace(
        near,
        head=replace(near.head, next_signal=far + 1),
        signals=[*near.signals, make_signal_row(far, sequence=0)],
        weights=[*near.weights, make_weight_row(far)],
    )
    with SqliteStore(tmp_path / "far.db", durability="fast") as store:
        with store.writing("a") as writing:
            writing.apply(changes, now=NOON)
        with store.reading("a") as reading:
            assert reading.loaded().signals.key.tolist() == [0, far]
    # The ones just below the newest are empty.
    assert all(part > far // SPAN - 9 for (part,) in select(tmp_path / "far.db", "SELECT part FROM packs"))
