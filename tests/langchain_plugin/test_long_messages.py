"""Nobody waits for the embedding of a long message, in whatever view of a memory it is said."""

import pytest
from langchain_core.language_models import FakeListChatModel

from streetai_core import MemoryRegistry
from streetai_langchain import StreetAIMemory
from tests.slow import LOG, Slow

SESSION = {"configurable": {"user_id": "mara", "session_id": "now"}}


def wrapped(memory):
    """A chain of one's own."""
    model = FakeListChatModel(responses=["It burned all night."])
    memory.wrap(model).invoke(LOG, SESSION)


def transcript(memory):
    """LangChain's own histories."""
    history = memory.chat_history("now", user_id="mara")
    history.add_user_message(LOG)


def classic(memory):
    """A classic chain."""
    memory.classic("now", user_id="mara").save_context({"input": LOG}, {"output": "It burned all night."})


@pytest.mark.parametrize("say", [wrapped, transcript, classic])
def test_a_long_message_is_stored_at_once_and_has_its_vectors_later(tmp_path, say):
    """The reply is there before the model that embeds."""
    encoder = Slow()
    with MemoryRegistry(tmp_path / "m.db", encoder=encoder, durability="fast") as registry:
        say(StreetAIMemory(registry))
        assert registry.get("mara").messages()[0].content == LOG
        assert registry.get("mara").stats()["without_vector"] > 1
        encoder.may.set()
    with MemoryRegistry(tmp_path / "m.db", encoder=encoder) as registry:
        assert registry.get("mara").stats()["without_vector"] == 0
