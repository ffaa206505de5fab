"""`memory.wrap` when several runs try to answer the same unanswered message at the same time."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier, get_ident

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from streetai_core import Memory, MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_langchain import StreetAIMemory
from tests.langchain_plugin.conftest import QUESTION, REPLY, seed, spoken
from tests.langchain_plugin.scripted import ScriptedChatModel, script
from tests.learning import learning_steps

MARA = {"configurable": {"user_id": "mara", "session_id": "new"}}
OTHER = "One metre forty is the draught of your boat."


class MeetingEncoder(HashingEncoder):
    """The hashing encoder; of the threads that bring a reply, each waits once until the other has come as far."""

    def __init__(self):
        super().__init__()
        self._both = Barrier(2)
        self._met = set()

    def embed(self, texts, kind):
        """Wait, then embed. By then both have read that the message is unanswered, and neither has answered it."""
        if {REPLY, OTHER} & set(texts) and get_ident() not in self._met:
            self._met.add(get_ident())
            self._both.wait(timeout=60)
        return super().embed(texts, kind)


@pytest.mark.parametrize("replies", [(REPLY, REPLY), (REPLY, OTHER)], ids=["the same reply", "two replies"])
@pytest.mark.parametrize("registries", [1, 2], ids=["one registry", "two registries on one file"])
def test_two_retries_at_once_are_two_turns(tmp_path, replies, registries):
    """6.2: one answers the message that was left, the other has been said once more; nothing is lost or mixed up."""
    encoder = MeetingEncoder()
    with ExitStack() as stack:
        opened = [
            stack.enter_context(MemoryRegistry(tmp_path / "memory.db", encoder=encoder)) for _ in range(registries)
        ]
        memory = seed(opened[0])
        before = memory.stats()["turn_counter"]
        with pytest.raises(ConnectionError):
            _chat(opened[0], ConnectionError("no answer")).invoke(QUESTION, MARA)
        assert spoken(memory, "new") == [("user", QUESTION)]

        chats = [_chat(registry, reply) for registry, reply in zip(opened * (3 - registries), replies, strict=True)]
        with ThreadPoolExecutor(2) as pool:
            heard = [done.text for done in pool.map(lambda chat: chat.invoke(QUESTION, MARA), chats)]

        said = spoken(memory, "new")
        assert heard == list(replies)
        assert [role for role, _ in said] == ["user", "assistant"] * 2
        assert said[0] == said[2] == ("user", QUESTION)
        assert sorted(text for role, text in said if role == "assistant") == sorted(replies)
        assert memory.stats()["turn_counter"] == before + 4
        assert set(learning_steps(memory).values()) == {2}


def test_a_retry_after_its_answer_is_another_turn(diary, streetai):
    """6.1: one failure and two retries after each other are two turns, and the first answers the message left."""
    chat = streetai.wrap(ScriptedChatModel(reply=script(ConnectionError(), REPLY, OTHER)))
    with pytest.raises(ConnectionError):
        chat.invoke(QUESTION, MARA)
    for _ in range(2):
        chat.invoke(QUESTION, MARA)

    assert spoken(diary, "new") == [
        ("user", QUESTION),
        ("assistant", REPLY),
        ("user", QUESTION),
        ("assistant", OTHER),
    ]
    history = streetai.chat_history("new", user_id="mara").messages
    assert [message.text for message in history] == [QUESTION, REPLY, QUESTION, OTHER]


def test_a_message_that_is_asked_again_by_its_id_is_another_turn(diary, streetai):
    """6.1: its two replies in a row would be one message of the model's in the next prompt."""
    model = ScriptedChatModel(reply=script(REPLY, ConnectionError(), OTHER, "It is Pelikan."))
    chat, asked = streetai.wrap(model), HumanMessage(QUESTION, id="m1")
    chat.invoke([asked], MARA)
    with pytest.raises(ConnectionError):
        chat.invoke([asked], MARA)
    chat.invoke([asked], MARA)
    chat.invoke([HumanMessage("What is its name?", id="m2")], MARA)

    assert spoken(diary, "new") == [
        ("user", QUESTION),
        ("assistant", REPLY),
        ("user", QUESTION),
        ("assistant", OTHER),
        ("user", "What is its name?"),
        ("assistant", "It is Pelikan."),
    ]
    assert [one.type for one in model.prompts[-1]] == ["human", "ai"] * 2 + ["human"]


def test_a_loop_with_tools_that_begins_again_by_the_id_is_another_turn(diary, streetai):
    """With its calls and results, each once."""
    call = {"name": "depth", "args": {"harbour": "Kiel"}}
    calls = [AIMessage("", tool_calls=[{**call, "id": f"c{number}"}], id=f"a{number}") for number in range(2)]
    chat = streetai.wrap(ScriptedChatModel(reply=script(*calls, REPLY)))
    asked = HumanMessage(QUESTION, id="m1")
    for _ in range(2):
        chat.invoke([asked], MARA)
    chat.invoke([asked, calls[1], ToolMessage("4 m", tool_call_id="c1", id="t1")], MARA)

    assert [role for role, _ in spoken(diary, "new")] == ["user", "assistant"] * 2 + ["tool", "assistant"]


def test_a_retry_reads_no_whole_conversation(diary, streetai, monkeypatch):
    """If it fails, each retry in a conversation of years takes as long as reading all of it."""
    chat = streetai.wrap(ScriptedChatModel(reply=script(ConnectionError(), REPLY)))
    with pytest.raises(ConnectionError):
        chat.invoke(QUESTION, MARA)
    asked, messages = [], Memory.messages

    def counted(self, **wanted):
        asked.append(wanted.get("last"))
        return messages(self, **wanted)

    monkeypatch.setattr(Memory, "messages", counted)
    chat.invoke(QUESTION, MARA)

    assert asked
    assert None not in asked
    monkeypatch.undo()
    assert spoken(diary, "new") == [("user", QUESTION), ("assistant", REPLY)]


def _chat(registry, *replies):
    """A wrapped model that gives these replies."""
    return StreetAIMemory(registry).wrap(ScriptedChatModel(reply=script(*replies)))
