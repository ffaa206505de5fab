"""What is sent where the user only greets, thanks or agrees."""

import pytest

from streetai_core import Config, MemoryRegistry
from streetai_core.encoders import offline_available

pytestmark = pytest.mark.skipif(not offline_available(), reason="the extra `offline` is not installed: no real encoder")

TOLD = ["Thanks for the recipe, the soup was lovely!", "ok, berth 31 it is", "Good morning from Kiel, we sail at nine."]


def told(registry):
    """A memory of talk that is near to small talk, longer ago than the window reaches."""
    memory = registry.get("ada")
    for text in [*TOLD, *(f"The log has {number} pages, the tide comes at {number}." for number in range(60))]:
        memory.add_message(text, role="user", conversation_id="may")
    return memory


@pytest.mark.parametrize("said", ["thanks!", "ok", "Good morning!", "haha", "\U0001f44d"])
def test_nothing_is_recalled(tmp_path, real_encoder, said):
    """A turn that asks for nothing costs the window and no more; who looks for the words finds them."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=real_encoder, durability="fast") as registry:
        memory = told(registry)
        prompt = memory.build_prompt(said, conversation_id="june", token_budget=1000)
        assert prompt.retrieved == []
        assert [message["content"] for message in prompt.messages] == [said]
        assert memory.retrieve("thanks recipe")[0].signal.content == TOLD[0]


async def test_the_twin_recalls_nothing_either(tmp_path, real_encoder):
    """It is the same verb."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=real_encoder, durability="fast") as registry:
        memory = told(registry)
        assert (await memory.abuild_prompt("thanks!", conversation_id="june")).retrieved == []
        assert (await memory.abuild_prompt("thanks, which berth?", conversation_id="june")).retrieved


def test_the_published_pipeline_recalls_for_anything(tmp_path, real_encoder):
    """Whoever chose it gets what it does."""
    config = Config.classic()
    with MemoryRegistry(tmp_path / "memory.db", encoder=real_encoder, config=config, durability="fast") as registry:
        assert told(registry).build_prompt("Good morning!", conversation_id="june").retrieved
