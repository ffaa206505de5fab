"""What was said comes back in the order in which it was said, whatever the clocks say."""

from datetime import datetime, timedelta, timezone

import pytest
from langchain_core.messages import HumanMessage

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_langchain import StreetAIMemory
from tests.langchain_plugin.scripted import ScriptedChatModel

NOON = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)
SESSION = {"configurable": {"session_id": "s1"}}


@pytest.mark.parametrize("step", [0, -1], ids=["a clock that stands still", "a clock that goes back"])
@pytest.mark.parametrize("window", [None, 4])
def test_the_order_is_that_of_storing(tmp_path, step, window):
    """6.2: equal times, or a server whose clock was set back, must not shuffle a transcript."""
    ticks = iter(range(1000))
    with MemoryRegistry(
        tmp_path / "memory.db", encoder=HashingEncoder(), clock=lambda: NOON + timedelta(hours=step * next(ticks))
    ) as registry:
        streetai = StreetAIMemory(registry)
        model = ScriptedChatModel(reply=lambda messages: f"Reply to {messages[-1].text}")
        chat = streetai.wrap(model, session_id="s1")
        for number in range(3):
            chat.invoke([HumanMessage(f"message {number}")])
        streetai.chat_history("s1").add_messages([HumanMessage("message 3")])
        streetai.chat_history("s1").add_ai_message("Reply to message 3")

        said = [text for number in range(4) for text in (f"message {number}", f"Reply to message {number}")]
        times = [message.created_at for message in registry.get("s1").messages()]
        assert sorted(times, reverse=True) == times
        shown = streetai.chat_history("s1", window=window).messages
        assert [message.text for message in shown] == (said if window is None else said[-window:])
