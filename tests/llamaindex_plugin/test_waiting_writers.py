"""A server answers questions while a backup program has its file, however many messages wait to be stored."""

import asyncio
from pathlib import Path

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_llamaindex import StreetAIChatMemoryBuffer, StreetAIMemory, StreetAIRetriever
from tests.databases import put
from tests.llamaindex_plugin.conftest import FACT, LIMIT, QUESTION, talked, user
from tests.locks import locked

PATIENCE = 30
WRITERS = 64


@pytest.fixture
def registry(tmp_path):
    """An engine whose writers wait for long, with a memory that has been talked to."""
    path = put(tmp_path / "memory.db", talked())
    with MemoryRegistry(path, encoder=HashingEncoder(), durability="fast", busy_timeout=PATIENCE) as registry:
        yield registry


@pytest.mark.parametrize("kind", [StreetAIChatMemoryBuffer, StreetAIMemory])
async def test_messages_that_wait_take_no_thread_of_those_that_read(registry, kind):
    """Not of a memory, and not of a retriever; what waited is stored in the end."""
    mara = kind.from_defaults(registry=registry, session_id="mara", token_limit=LIMIT)
    others = [
        kind.from_defaults(registry=registry, session_id=f"user {number}", token_limit=LIMIT)
        for number in range(WRITERS)
    ]
    with locked(Path(registry.store.path)):
        waiting = [asyncio.create_task(memory.aput(user("My dog is called Ada."))) for memory in others]
        read = await asyncio.wait_for(mara.aget(QUESTION), PATIENCE / 2)
        assert any(FACT in message.content for message in read)
        nodes = await asyncio.wait_for(StreetAIRetriever(mara).aretrieve(QUESTION), PATIENCE / 2)
        assert FACT in nodes[0].node.get_content()
        assert not any(task.done() for task in waiting)
    await asyncio.gather(*waiting)
    for memory in others:
        assert [message.content for message in await memory.aget_all()] == ["My dog is called Ada."]
