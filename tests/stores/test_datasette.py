"""The file opens in Datasette: tables, links between them, and views to look at."""

import gc

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder

# Datasette leaves connections open, which Python 3.13 warns of when they are collected.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

FACT = "My boat Kestrel lies at berth 31, near the fuel jetty."


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A database with a memory that has learned, and another one."""
    path = tmp_path_factory.mktemp("datasette") / "memory.db"
    with MemoryRegistry(path, encoder=HashingEncoder(), durability="fast") as registry:
        memory = registry.get("mara")
        texts = [FACT, "She draws one metre forty.", "<b>The party</b> needs chairs."]
        memory.add_messages([NewMessage(content=text, role="user", message_id=str(n)) for n, text in enumerate(texts)])
        for reply in ("Berth 31, near the fuel jetty.", "Number 31."):
            memory.post_process(memory.retrieve("Where does my boat lie?"), reply)
        memory.update_message("1", "She draws one metre fifty.")
        registry.get("ben").add_message("I am Ben.", "user")
    return path


@pytest.fixture
async def datasette(file):
    """Datasette on the file, as `datasette memory.db` serves it."""
    # Imported here: it leaves one behind then too, and another test would be blamed for it.
    from datasette.app import Datasette  # noqa: PLC0415 - as above

    served = Datasette([str(file)])
    await served.invoke_startup()
    yield served
    for database in served.databases.values():
        database.close()
    served.executor.shutdown()
    del served, database
    gc.collect()


async def rows(datasette, name):
    """The rows of a table or a view."""
    response = await datasette.client.get(f"/memory/{name}.json?_shape=array&_size=max")
    assert response.status_code == 200, response.text
    return response.json()


async def test_every_table_and_view_has_a_page(datasette):
    """Without an error, and with what was said escaped."""
    database = datasette.get_database("memory")
    tables, views = await database.table_names(), await database.view_names()
    assert {"memories", "messages", "signals", "weights", "stacks", "credits"} <= set(tables)
    readable = {f"{name}_readable" for name in ("messages", "signals", "stacks", "credits")}
    assert readable | {"weights_over_time", "stack_sizes", "recall_log"} <= set(views)
    for name in (*tables, *views):
        page = await datasette.client.get(f"/memory/{name}")
        assert page.status_code == 200, name
        assert "<b>The party" not in page.text


async def test_rows_lead_to_their_memory(datasette):
    """Datasette shows foreign keys as links."""
    database = datasette.get_database("memory")
    for name in ("messages", "stacks", "credits"):
        keys = await database.foreign_keys_for_table(name)
        assert [(key["column"], key["other_table"]) for key in keys] == [("memory_key", "memories")]
    assert 'href="/memory/memories/1"' in (await datasette.client.get("/memory/messages")).text


async def test_weights_over_time_follow_the_log(datasette):
    """From when it was said, step by step."""
    found = [row for row in await rows(datasette, "weights_over_time") if row["text"] == FACT]
    assert [(row["event"], round(row["base_weight"], 3)) for row in found] == [
        ("said", 1.0),
        ("boost", 1.1),
        ("boost", 1.21),
    ]
    assert {row["memory_id"] for row in found} == {"mara"}
    edited = [row["event"] for row in await rows(datasette, "weights_over_time") if "fifty" in row["text"]]
    assert edited == ["said", "edit"]


async def test_stack_sizes_are_those_of_the_memory(datasette, file):
    """With when they were used and what is in them."""
    found = await rows(datasette, "stack_sizes")
    with MemoryRegistry(file, encoder=HashingEncoder()) as registry:
        sizes = {name: sorted(stack.size for stack in registry.get(name).stacks) for name in registry.ids()}
    assert {name: sorted(row["size"] for row in found if row["memory_id"] == name) for name in sizes} == sizes
    assert "I am Ben." in {row["newest_text"] for row in found}
    assert all(row["first_turn"] <= row["last_turn"] for row in found)


async def test_the_recall_log_has_a_row_for_each_lesson(datasette):
    """The newest first, with what was recalled; an edit is no recall."""
    found = await rows(datasette, "recall_log")
    assert len(found) == 2
    for row in found:
        assert row["memory_id"] == "mara"
        assert row["recalled"] >= row["used"] >= 1
        assert FACT in row["texts"]
