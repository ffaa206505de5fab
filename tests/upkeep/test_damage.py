"""Files that are damaged in every way: never a wrong answer, never a traceback, and what is whole can be saved."""

import random
import re
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace

import pytest

from streetai_core.errors import DamagedFileError, StoreError
from streetai_core.stores.opening import PAGE_SIZE
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.testing.factories import make_exchange
from streetai_core.testing.store_reading import write
from streetai_core.upkeep.doctor import examine
from streetai_core.upkeep.salvage import salvage
from tests.seeds import seeded
from tests.upkeep.files import NAMES, everything, fill, values

CASES = {"bit": 90, "schema": 60, "truncated": 50, "zeroed": 60, "swapped": 50}
"""Together with the 150 bit flips of the stores' tests: 460."""
SALVAGED = 6
"""Every so many cases are salvaged too."""


def damaged(data, way, rng):
    """A copy of the bytes of a file, damaged."""
    copy = bytearray(data)
    pages = len(copy) // PAGE_SIZE
    if way == "bit":
        copy[rng.randrange(len(copy))] ^= 1 << rng.randrange(8)
    elif way == "schema":
        # SQLite quotes it in its messages, which the driver then cannot decode.
        starts = [match.start() for match in re.finditer(b"CREATE ", data)]
        copy[rng.choice(starts) + rng.randrange(100)] ^= 0x80
    elif way == "truncated":
        del copy[rng.randrange(len(copy)) :]
    elif way == "zeroed":
        page = rng.randrange(pages)
        copy[page * PAGE_SIZE : (page + 1) * PAGE_SIZE] = bytes(PAGE_SIZE)
    else:
        one, other = (slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE) for page in rng.sample(range(pages), 2))
        copy[one], copy[other] = copy[other], copy[one]
    return bytes(copy)


def read(path, name):
    """What a memory says, or the error that it raises."""
    with SqliteStore(path) as store:
        try:
            return everything(store, name)
        except StoreError as error:
            return error


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """The bytes of a whole file, what its memories say, and their values."""
    path = tmp_path_factory.mktemp("original") / "memories.db"
    expected = fill(path)
    with SqliteStore(path) as store:
        parts = {name: values(store, name) for name in NAMES}
    return path.read_bytes(), expected, parts


def check_saved(path, out, parts):
    """Salvage a file: nothing is in the new one that was not in the original; returns how many messages are."""
    before = path.read_bytes()
    try:
        saved = salvage(path, out)
    except DamagedFileError:
        assert not out.exists()
        return 0
    finally:
        assert path.read_bytes() == before
    assert examine(out).healthy
    with SqliteStore(out) as store:
        for memory in saved.memories:
            name = (
                memory.memory_id if memory.memory_id in NAMES else NAMES[int(memory.memory_id.rpartition("-")[2]) - 1]
            )
            for kind, rows in values(store, memory.memory_id).items():
                for row in rows:
                    remade = kind == "weights" and (row["base_weight"], row["uses"]) == (1.0, 0)
                    assert remade or row in parts[name][kind], (kind, row)
    return sum(memory.rows.get("messages", 0) for memory in saved.memories)


@seeded
@pytest.mark.parametrize("way", CASES)
def test_no_damage_gives_a_wrong_answer(tmp_path, original, way, seed):
    """Each memory says what it said or raises; a file that the doctor calls healthy says all of it."""
    data, expected, parts = original
    rng = random.Random(seed)
    outcomes = Counter()
    saved = 0
    for number in range(CASES[way]):
        path = tmp_path / f"{number}.db"
        path.write_bytes(damaged(data, way, rng))
        health = examine(path)
        answers = {name: read(path, name) for name in NAMES}
        for name, answer in answers.items():
            assert isinstance(answer, StoreError) or answer == expected[name], (number, name)
        wrong = [name for name, answer in answers.items() if isinstance(answer, StoreError)]
        assert not (health.healthy and wrong), (number, health)
        if health.readable and not any(
            finding.memory_id is None for finding in health.findings if finding.severity == "damage"
        ):
            named = {memory.memory_id for memory in health.memories if not memory.whole}
            named |= {finding.memory_id for finding in health.findings if finding.severity == "damage"}
            assert set(wrong) <= named, (number, health)
        outcomes["harmless" if health.healthy else "found" if health.readable else "unreadable"] += 1
        if number % SALVAGED == 0:
            saved += check_saved(path, tmp_path / f"{number}-saved.db", parts)
    assert outcomes["found"] + outcomes["unreadable"] > CASES[way] // 10
    # Most pages of so small a file have no rows: of one that is cut somewhere there may be nothing to save.
    assert saved > 0 or way == "truncated"


def test_of_a_file_that_lost_its_end_the_rest_is_saved(tmp_path, original):
    """The pages of rows that are left are read."""
    data, _, parts = original
    path = tmp_path / "memories.db"
    path.write_bytes(data[:-PAGE_SIZE])
    assert check_saved(path, tmp_path / "new.db", parts) > 0


@pytest.mark.parametrize("way", ["header", "whole page", "schema"])
def test_a_file_without_its_first_bytes_can_be_salvaged(tmp_path, original, way):
    """The first page is the same in all our files, and is made up for also if only a part of it is gone."""
    data, _, parts = original
    path, out = tmp_path / "memories.db", tmp_path / "saved.db"
    length = {"header": 100, "whole page": PAGE_SIZE, "schema": 200}[way]
    path.write_bytes(bytes(length) + data[length:])
    assert not examine(path).readable
    assert check_saved(path, out, parts) == 78


def test_an_id_that_is_made_up_is_nobodys(tmp_path):
    """A memory of an earlier salvage may be called so; with two of one id, nothing at all would be saved."""
    path, out = tmp_path / "memories.db", tmp_path / "new.db"
    with SqliteStore(path) as store:
        for name in ("salvaged-2", "bob"):
            first = make_exchange(0, 1)
            write(store, replace(first, head=replace(first.head, memory_id=name)))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM memories WHERE memory_id = 'bob'")
    saved = salvage(path, out)
    assert ["salvaged-2", "salvaged-2-2"] == [memory.memory_id for memory in saved.memories]
    assert [2, 2] == [memory.rows["messages"] for memory in saved.memories]


def test_a_whole_file_is_salvaged_whole(tmp_path, original):
    """Nothing is lost, and other memories of the same process can be open meanwhile."""
    data, _, parts = original
    path, out = tmp_path / "memories.db", tmp_path / "saved" / "new.db"
    path.write_bytes(data)
    with SqliteStore(path) as store, store.reading("alice"):
        saved = salvage(path, out)
    assert saved.complete
    with SqliteStore(out) as store:
        assert {name: values(store, name) for name in NAMES} == parts
    assert sorted(path.parent.iterdir()) == [path, out.parent]
    assert [one.name for one in out.parent.iterdir()] == ["new.db"]
