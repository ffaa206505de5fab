"""Nobody waits for the embedding of a long message: neither its question, nor a history that a memory is given."""

import pytest

from streetai_core import MemoryRegistry
from streetai_llamaindex import StreetAIChatMemoryBuffer, StreetAIMemory
from tests.llamaindex_plugin.conftest import LIMIT, assistant, user
from tests.slow import LOG, Slow


@pytest.mark.parametrize("kind", [StreetAIChatMemoryBuffer, StreetAIMemory])
def test_a_long_message_is_stored_at_once_and_has_its_vectors_later(tmp_path, kind):
    """The prompt is there before the model that embeds."""
    encoder = Slow()
    with MemoryRegistry(tmp_path / "m.db", encoder=encoder, durability="fast") as registry:
        memory = kind.from_defaults(registry=registry, session_id="mara", token_limit=20 * LIMIT)
        memory.put(user(LOG))
        assert memory.get()[-1].content == LOG
        memory.put(assistant("It burned all night."))
        assert registry.get("mara").stats()["without_vector"] > 1
        encoder.may.set()
    with MemoryRegistry(tmp_path / "m.db", encoder=encoder) as registry:
        assert registry.get("mara").stats()["without_vector"] == 0
