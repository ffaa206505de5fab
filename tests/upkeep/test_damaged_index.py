"""An index that is damaged while its rows are whole: all of them are saved, and the doctor names the index."""

import sqlite3
from contextlib import closing

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import HashingEncoder
from streetai_core.stores.opening import PAGE_SIZE
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.upkeep.doctor import examine
from streetai_core.upkeep.salvage import salvage
from tests.upkeep.files import NAMES, values

PAST = ("My boat lies at berth 12 of the old harbour.", "The hull needs antifouling paint under the water.")
QUESTION, REPLY = "What does the hull need?", "The hull needs antifouling paint under the water."

INDEXES = {
    "sqlite_autoindex_messages_1": "messages",
    "sqlite_autoindex_vectors_1": "signals",
    "sqlite_autoindex_stacks_1": "stacks",
    "sqlite_autoindex_words_1": "words",
    "sqlite_autoindex_cues_1": "cues",
}
"""The indexes that rows are read by, and what is found by each."""

INNER = 5
"""How a page of a table begins that leads to others."""


@pytest.fixture
def filled(path):
    """A closed database with two memories that have learned something, and where each table and index begins."""
    with MemoryRegistry(path, encoder=HashingEncoder(64), durability="fast") as registry:
        for name in NAMES:
            memory = registry.get(name)
            for text in PAST:
                memory.add_message(text, "user")
            memory.post_process(memory.retrieve(QUESTION), REPLY)
    with closing(sqlite3.connect(path)) as connection:
        roots = dict(connection.execute("SELECT name, rootpage FROM sqlite_master"))
    return path, roots


def damage(path, page, *, cell=None):
    """Fill a page with zeros, or flip a bit in what its first cells say of themselves."""
    data = bytearray(path.read_bytes())
    start = (page - 1) * PAGE_SIZE
    if cell is None:
        data[start : start + PAGE_SIZE] = bytes(PAGE_SIZE)
    else:
        # Page type, free block, number of cells, content, fragments: 8 bytes; then the place of each cell.
        pointer = start + 8 + 2 * cell
        data[start + int.from_bytes(data[pointer : pointer + 2], "big")] ^= 0x40
    path.write_bytes(data)


def said(path):
    """What each memory says and has learned."""
    with MemoryRegistry(path, encoder=HashingEncoder(64), durability="fast") as registry:
        return {
            name: (
                [message.content for message in registry.get(name).messages()],
                [(one.content, one.base_weight, one.uses) for one in registry.get(name).signals],
                [(hit.signal.content, hit.score) for hit in registry.get(name).retrieve(QUESTION)],
            )
            for name in NAMES
        }


@pytest.mark.parametrize("cell", [None, 0], ids=["zeroed", "one bit"])
@pytest.mark.parametrize("index", INDEXES)
def test_rows_whose_index_is_damaged_are_all_saved(filled, tmp_path, index, cell):
    """Though none of them can be found by it; and the doctor says that it is the index."""
    path, roots = filled
    before = said(path)
    damage(path, roots[index], cell=cell)
    found = [finding.what for finding in examine(path).findings if finding.severity == "damage"]
    named = [what for what in found if what.startswith(f"{INDEXES[index]} of memory 'alice'")]
    assert [what.partition("rows ")[2] for what in named] == [
        "are not found by an index, which is damaged; the rows themselves are whole"
    ]
    saved = salvage(path, tmp_path / "saved.db")
    assert saved.complete
    assert [dict(memory.lost) for memory in saved.memories] == [{}, {}]
    assert said(tmp_path / "saved.db") == before


def first_leaf(path, root):
    """The first page of rows below a table's root."""
    data = path.read_bytes()
    start = (root - 1) * PAGE_SIZE
    # Page type, free block, number of cells, content, fragments, last child: 12 bytes; then the place of each cell.
    assert data[start] == INNER
    cell = start + int.from_bytes(data[start + 12 : start + 14], "big")
    return int.from_bytes(data[cell : cell + 4], "big")


@pytest.mark.parametrize("table", ["messages", "vectors", "words"])
def test_a_page_of_rows_and_their_index_may_both_be_damaged(path, tmp_path, table):
    """Then no index can be made anew, and the rows of the other pages are read as they were written."""
    with MemoryRegistry(path, encoder=HashingEncoder(384), durability="fast") as registry:
        for name in NAMES:
            text = " ".join(f"word{number}" for number in range(80))
            registry.get(name).add_messages(
                [NewMessage(content=f"{text} {number}", role="user") for number in range(30)]
            )
    with SqliteStore(path) as store:
        before = {name: values(store, name) for name in NAMES}
    with closing(sqlite3.connect(path)) as connection:
        roots = dict(connection.execute("SELECT name, rootpage FROM sqlite_master"))
    damage(path, first_leaf(path, roots[table]))
    damage(path, roots[f"sqlite_autoindex_{table}_1"])
    saved = salvage(path, tmp_path / "saved.db")
    kind = "signals" if table == "vectors" else table
    lost = {memory.memory_id: memory.lost.get(kind, 0) for memory in saved.memories}
    assert 0 < lost["alice"] < 30
    with SqliteStore(tmp_path / "saved.db") as store:
        for name in NAMES:
            rows = values(store, name)[kind]
            assert len(rows) + lost[name] == len(before[name][kind])
            assert all(row in before[name][kind] for row in rows)
