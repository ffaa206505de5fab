"""`set` and `reset`: histories that are sent again, and forgetting."""

import copy
import pickle

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.storage.chat_store import SimpleChatStore

from streetai_core.errors import ClosedError
from streetai_llamaindex import StreetAIChatMemoryBuffer, StreetAIChatStore
from tests.llamaindex_plugin.conftest import (
    FACT,
    QUESTION,
    QUOTED,
    REPLY,
    SESSION,
    assistant,
    said,
    steps,
    talk,
    texts,
    user,
)


def ids(memory):
    """The ids of what is stored."""
    return [message.message_id for message in memory.registry.get(SESSION).messages()]


def test_a_stateless_server(make):
    """9.10: The whole history with each call: only what is new is stored, and what was learned stays."""
    memory = make()
    talk(memory)
    history = memory.get_all()
    for number in range(3):
        before = ids(memory)
        memory.set(history)
        assert ids(memory) == before
        memory.put(user(QUESTION if number == 0 else f"and then, {number}?"))
        memory.get()
        memory.put(assistant(REPLY))
        history = memory.get_all()
    assert steps(memory) > 0


def test_an_edited_history(memory):
    """9.10: What the user edited is forgotten from there on; it can not be recalled any more."""
    history = memory.get_all()
    before = ids(memory)
    edited = [user("The draught of my boat is two metres and ten, after the new keel."), *history[1:]]
    memory.set(edited)
    assert memory.get_all() == edited
    assert not set(before) & set(ids(memory))
    memory.put(user(QUESTION))
    assert FACT not in memory.get()[-1].content
    assert "two metres and ten" in memory.get()[-1].content


def test_an_exchange_that_was_taken_back(memory):
    """9.10: "Try again" in a chat window: the last exchange is not in the history any more, and is forgotten."""
    history = memory.get_all()
    before = ids(memory)
    memory.set(history[:-2])
    assert (memory.get_all(), ids(memory)) == (history[:-2], before[:-2])


def test_a_history_whose_beginning_was_cut_off(memory):
    """9.10: A client that sends its last ten messages wants a short prompt, not a short memory."""
    history = memory.get_all()
    memory.set([*history[-10:], user("one more")])
    assert memory.get_all() == [*history, user("one more")]
    memory.put(user(QUESTION))
    assert QUOTED in memory.get()[-1].content


def test_an_empty_history(memory):
    """9.10: A history that has nothing in it has nothing in it, and what was said is not lost."""
    before = said(memory)
    memory.set([])
    assert memory.get_all() == memory.get() == []
    assert said(memory) == before


def test_a_retry_after_the_history_was_sent_again(make):
    """9.6: The question that failed is not in the resent history: putting it again puts it back, once."""
    memory = make()
    for _ in range(3):
        memory.set([user("one"), assistant("1")])
        memory.put(user("two"))
        assert texts(memory.get()) == [("user", "one"), ("assistant", "1"), ("user", "two")]
    memory.put(assistant("2"))
    assert texts(memory.get_all())[-2:] == [("user", "two"), ("assistant", "2")]


def test_chat_history_of_the_constructor(make):
    """9.10: A service that starts with its history each time does not fill the memory with copies."""
    history = [user("one"), assistant("1")]
    assert make(chat_history=history).get_all() == history
    before = ids(make())
    assert make(chat_history=[*history, user("two")]).get_all() == [*history, user("two")]
    assert ids(make())[:2] == before


def test_the_same_history_at_every_start_deletes_nothing(make):
    """9.10: What was said since stays, with what was learned; another history is another conversation."""
    history = [ChatMessage(role="system", content="You are a harbour master."), user("one"), assistant("1")]
    make(chat_history=history).put_messages([user("two"), assistant("2")])
    before = ids(make())
    for given in (history, history[:1], [], make().get_all()):
        assert [one.content for one in make(chat_history=given).get_all()][-2:] == ["two", "2"]
        assert ids(make()) == before
    assert make(chat_history=[user("other")]).get_all() == [user("other")]
    assert ids(make())[: len(before)] == before


def test_reset(make, memory):
    """9.11: After a reset the next prompt has nothing of this session in it, and others keep everything."""
    other = make("tom")
    talk(other)
    memory.put(user(QUESTION))
    memory.get()
    memory.reset()
    assert memory.get_all() == memory.get() == []
    assert memory.last_turn is None
    memory.put(user(QUESTION))
    assert [message.content for message in memory.get()] == [QUESTION]
    other.put(user(QUESTION))
    assert QUOTED in other.get()[-1].content


def test_a_reply_after_a_reset(memory):
    """9.11: A stream that ends after a reset teaches nothing from what was forgotten, and is not stored."""
    memory.put(user(QUESTION))
    memory.get()
    memory.reset()
    memory.put(assistant(REPLY))
    assert said(memory) == []
    assert steps(memory) == 0
    memory.put(assistant("Hello!"))
    assert said(memory) == [("assistant", "Hello!")]


def test_instructions_after_a_reset_begin_anew(memory):
    """9.11: A question that failed has no reply to wait for: what an app puts after a reset was dropped with it."""
    memory.put(user(QUESTION))
    memory.get()
    memory.reset()
    memory.put(ChatMessage(role="system", content="Answer in Danish."))
    memory.put(assistant("Hello!"))
    assert said(memory) == [("system", "Answer in Danish."), ("assistant", "Hello!")]


def test_reset_with_the_chat_store_of_the_user(make):
    """9.11: The application's store forgets the session too."""
    store = SimpleChatStore()
    memory = make(chat_store=store)
    memory.put(user(FACT))
    memory.reset()
    assert store.get_messages(SESSION) == []


def test_a_reset_that_failed_raises(memory):
    """9.11: What should be forgotten and is not must be known."""
    memory.registry.close()
    with pytest.raises(ClosedError):
        memory.reset()


def test_another_reset_is_noticed(make, memory):
    """9.11: One request resets, another one goes on: it sees the empty memory, not an error."""
    memory.registry.reset(SESSION)
    memory.put(user("hello again"))
    assert memory.get() == [user("hello again")]


def test_another_process_resets(tmp_path):
    """9.11: The memory was reset in another process: the next message is stored in the new one."""
    encoder_free = {"path": tmp_path / "m.db", "session_id": SESSION}
    memory = StreetAIChatMemoryBuffer.from_defaults(**encoder_free)
    memory.put(user("hello"))
    other = StreetAIChatMemoryBuffer.from_defaults(**encoder_free, config=type(memory.registry.config)(top_stacks=5))
    assert other.registry is not memory.registry
    other.reset()
    memory.put(user("hello again"))
    assert memory.get_all() == [user("hello again")]
    memory.close()
    other.close()


def test_the_chat_store(memory, make):
    """The default store is LlamaIndex's interface to the transcripts: all its methods do what they say."""
    store = memory.chat_store
    assert isinstance(store, StreetAIChatStore)
    everything = memory.get_all()
    assert store.get_messages(SESSION) == everything
    assert store.get_messages("nobody") == []
    assert store.delete_last_message(SESSION) == everything[-1]
    assert store.delete_message(SESSION, 0) == everything[0]
    assert store.delete_message(SESSION, 99) is None
    assert store.delete_last_message("nobody") is None
    assert memory.get_all() == everything[1:-1]
    store.add_message("tom", user("hello"))
    store.set_messages("tom", [user("hello"), assistant("hi")])
    assert store.get_keys() == [SESSION, "tom"]
    assert store.delete_messages("tom") == [user("hello"), assistant("hi")]
    assert store.delete_messages("tom") is None
    assert make("tom").get_all() == []


@pytest.mark.parametrize(
    "again",
    [
        lambda store: pickle.loads(pickle.dumps(store)),  # noqa: S301 - what is read was written here
        copy.deepcopy,
        lambda store: StreetAIChatStore.from_dict(store.to_dict()),
        lambda store: StreetAIChatStore.from_json(store.to_json()),
    ],
    ids=["pickle", "deepcopy", "dict", "json"],
)
def test_a_chat_store_comes_back(memory, again):
    """9.12: The store, used with another memory of LlamaIndex, is serialised without losing its engine."""
    assert again(memory.chat_store).get_messages(SESSION) == memory.get_all()


def test_a_chat_store_of_its_own():
    """Without an engine it is one in RAM."""
    store = StreetAIChatStore()
    store.add_message("tom", user("hello"))
    assert store.get_messages("tom") == [user("hello")]
