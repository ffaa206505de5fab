"""`chat_history=` of clients that hold the history themselves: a new chat begins, and nothing that was said is lost."""

import copy

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.storage.chat_store import SimpleChatStore
from llama_index.core.workflow import Context, JsonSerializer

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_llamaindex import StreetAIChatMemoryBuffer, StreetAIChatStore, StreetAIMemory
from tests.encoders.failing import Breakable
from tests.llamaindex_plugin.conftest import FACT, LIMIT, QUESTION, QUOTED, REPLY, SESSION, assistant, said, texts, user
from tests.llamaindex_plugin.engines import FRAMEWORK_WARNINGS
from tests.llamaindex_plugin.scripted import Script, ScriptedChat

pytestmark = FRAMEWORK_WARNINGS

GREETING = assistant("Hi! How can I help?")
KINDS = [StreetAIChatMemoryBuffer, StreetAIMemory]
OTHERS = [[], [GREETING], [user("hello"), assistant("hi")]]
TALK = [user(FACT), assistant("Good to know."), user("I am a vegetarian."), assistant("Noted.")]


@pytest.fixture(params=KINDS, ids=["buffer", "memory"])
def made(request, registry):
    """Makes memories of both kinds on `registry`."""

    def make(session_id=SESSION, **options):
        options = {"registry": registry, "session_id": session_id, "token_limit": LIMIT, **options}
        return request.param.from_defaults(**options)

    return make


def model(reply="Aye."):
    """A model that says one thing."""
    return ScriptedChat(script=Script(lambda _: reply))


def conversations(memory):
    """What the engine has stored, by conversation, in the order in which they began."""
    found = {}
    for one in memory.registry.get(SESSION).messages():
        found.setdefault(one.conversation_id, []).append((one.role, one.content))
    return list(found.values())


def recalls_fact(memory):
    """Whether the prompt for the question quotes what was said long ago."""
    memory.put(user(QUESTION))
    return QUOTED in memory.get()[-1].content


@pytest.mark.parametrize("history", OTHERS, ids=["none", "greeting", "other"])
def test_a_new_chat_loses_nothing(made, history):
    """The first message of a new chat would delete all that a user ever said, for good."""
    memory = made()
    memory.set(TALK)
    memory.set(history)
    assert memory.get_all() == history
    assert all(one in history for one in memory.get())
    assert said(memory) == [*texts(TALK), *texts(history)]
    assert recalls_fact(memory)
    assert texts(memory.get_all()) == [*texts(history), ("user", QUESTION)]


async def test_a_new_chat_loses_nothing_async(made):
    """The same in async servers."""
    memory = made()
    await memory.aset(TALK)
    await memory.aset([GREETING])
    assert await memory.aget_all() == [GREETING]
    assert await memory.aget() == []
    await memory.aput(user(QUESTION))
    assert QUOTED in (await memory.aget())[-1].content


def test_a_server_whose_clients_hold_the_history(made):
    """Chat after chat with the whole history in each request: each is stored once, in a conversation of its own."""
    memory = made()
    engine = SimpleChatEngine.from_defaults(llm=model(), memory=memory)
    for chat in (["My boat lies at berth 31.", "I am a vegetarian."], ["Is it windy?", "And tomorrow?"]):
        history = [GREETING]
        for question in chat:
            reply = engine.chat(question, chat_history=list(history))
            history += [user(question), assistant(str(reply))]
            assert texts(memory.get_all()) == texts(history)
    first, second = conversations(memory)
    assert [len(first), len(second)] == [5, 5]
    assert first[:2] == [("assistant", GREETING.content), ("user", "My boat lies at berth 31.")]


async def test_an_agent_with_a_history(made):
    """`run(chat_history=..., memory=...)` of another chat deleted the memory too."""
    memory = made()
    memory.set(TALK)
    llm = model()
    await FunctionAgent(llm=llm, tools=[]).run(QUESTION, memory=memory, chat_history=[GREETING])
    assert texts(TALK) == said(memory)[: len(TALK)]
    assert any(QUOTED in (one.content or "") for one in llm.script.prompts[-1])
    assert [one.content for one in memory.get_all()][:2] == [GREETING.content, QUESTION]


def test_a_greeting_alone_is_stored_once(made):
    """Each page that is opened and left again would add the same greeting."""
    memory = made()
    for _ in range(3):
        memory.set([GREETING])
    assert said(memory) == texts([GREETING])
    memory.set(TALK)
    memory.set([GREETING])
    assert memory.get_all() == [GREETING]
    assert said(memory).count(("assistant", GREETING.content)) == 1


def test_what_was_withdrawn_is_forgotten_in_a_later_chat(made):
    """A regenerated answer takes back the last exchange of this chat, and nothing of the chats before."""
    memory = made()
    memory.set(TALK)
    memory.set([GREETING])
    memory.put_messages([user("one"), assistant("1"), user("two"), assistant("2")])
    memory.set([GREETING, user("one"), assistant("1")])
    assert conversations(memory) == [texts(TALK), texts([GREETING, user("one"), assistant("1")])]


def test_two_chats_of_one_user_at_once(made):
    """Two tabs: each history goes on where it belongs, and neither is stored again or deleted."""
    memory = made()
    one, two = list(TALK), [*TALK[:2], user("I have a cat."), assistant("Noted.")]
    memory.set(one)
    memory.set([])
    memory.put_messages(two)
    for number in range(2):
        for chat in (one, two):
            memory.set(chat)
            assert memory.get_all() == chat
            chat += [user(f"question {number}"), assistant(f"answer {number}")]
            memory.put_messages(chat[-2:])
    assert conversations(memory) == [texts(one), texts(two)]


def test_a_reply_that_comes_late(made):
    """A stream that ends after another chat was begun answers in its own chat."""
    memory = made()
    memory.put(user(QUESTION))
    memory.get()
    memory.set([GREETING])
    memory.put(assistant(REPLY))
    assert conversations(memory) == [[("user", QUESTION), ("assistant", REPLY)], texts([GREETING])]
    assert memory.get_all() == [GREETING]


def test_a_failed_question_that_is_asked_again(made):
    """A retry with the same empty history: the question is in the window, and its reply after it."""
    memory = made()
    for _ in range(3):
        memory.set([])
        memory.put(user("two"))
        assert memory.get() == [user("two")]
    memory.put(assistant("2"))
    assert memory.get_all() == [user("two"), assistant("2")]
    memory.put_messages([user("three"), assistant("3")])
    assert memory.get_all() == [user("two"), assistant("2"), user("three"), assistant("3")]


def test_after_a_restart_the_newest_chat_goes_on(tmp_path):
    """Another process, or a later one, has the chat in its window in which something was said last."""
    path = tmp_path / "memory.db"
    for number, history in enumerate([TALK, [GREETING]]):
        with MemoryRegistry(path, encoder=HashingEncoder()) as registry:
            memory = StreetAIChatMemoryBuffer.from_defaults(registry=registry, session_id=SESSION)
            memory.set(history)
            memory.put(user(f"question {number}"))
    with MemoryRegistry(path, encoder=HashingEncoder()) as registry:
        memory = StreetAIChatMemoryBuffer.from_defaults(registry=registry, session_id=SESSION)
        assert memory.get_all() == [GREETING, user("question 1")]
        memory.put(assistant("Yes."))
        assert conversations(memory)[-1][-1] == ("assistant", "Yes.")


def test_another_process_begins_a_chat(tmp_path):
    """Several workers on one file see the same chat, whichever of them began it."""
    path = tmp_path / "memory.db"
    with MemoryRegistry(path, encoder=HashingEncoder()) as one, MemoryRegistry(path, encoder=HashingEncoder()) as other:
        here, there = (StreetAIChatMemoryBuffer.from_defaults(registry=it, session_id=SESSION) for it in (one, other))
        here.put_messages(TALK)
        there.set([])
        there.put(user("Is it windy?"))
        assert here.get_all() == [user("Is it windy?")]
        here.put(assistant("No."))
        assert there.get_all() == [user("Is it windy?"), assistant("No.")]


def test_messages_of_other_plug_ins_are_no_chat_of_ours(made):
    """What a program wrote into the same memory last does not become the window."""
    memory = made()
    memory.set(TALK)
    for number in range(3):
        memory.registry.get(SESSION).add_message(f"Note {number} of the harbour.", "user", conversation_id="elsewhere")
    assert memory.get_all() == TALK


def test_what_a_failure_left_in_ram_stays_in_its_chat(tmp_path):
    """A chat that could not be stored is not mixed into the one that is begun meanwhile, nor lost."""
    encoder = Breakable()
    with MemoryRegistry(tmp_path / "memory.db", encoder=encoder) as registry:
        memory = StreetAIChatMemoryBuffer.from_defaults(registry=registry, session_id=SESSION)
        memory.set(TALK)
        encoder.broken = True
        memory.put(user("Is it windy?"))
        memory.set([])
        memory.put(user("Is it deep?"))
        assert memory.get_all() == [user("Is it deep?")]
        encoder.broken = False
        assert memory.flush()
        assert conversations(memory) == [[*texts(TALK), ("user", "Is it windy?")], [("user", "Is it deep?")]]


def test_a_question_that_is_asked_again_while_the_engine_fails(tmp_path):
    """A retry in a new chat is stored late, but it is stored."""
    encoder = Breakable()
    with MemoryRegistry(tmp_path / "memory.db", encoder=encoder) as registry:
        memory = StreetAIChatMemoryBuffer.from_defaults(registry=registry, session_id=SESSION)
        memory.put(user(QUESTION))
        memory.set([])
        encoder.broken = True
        memory.put(user(QUESTION))
        memory.put(user("Is it deep?"))
        encoder.broken = False
        memory.put(assistant("Yes."))
        chat = [user(QUESTION), user("Is it deep?"), assistant("Yes.")]
        assert memory.get_all() == chat
        assert conversations(memory) == [[("user", QUESTION)], texts(chat)]


async def test_a_context_that_comes_back(registry):
    """A workflow that is stored between two requests goes on in the chat that it was in."""
    agent = FunctionAgent(llm=model(), tools=[])
    memory = StreetAIMemory.from_defaults(SESSION, registry=registry)
    memory.set(TALK)
    context = Context(agent)
    await agent.run("Is it windy?", ctx=context, memory=memory, chat_history=[GREETING])
    stored = context.to_dict(serializer=JsonSerializer())
    await agent.run("Is it deep?", ctx=Context.from_dict(agent, copy.deepcopy(stored), serializer=JsonSerializer()))
    asked = [one.content for one in memory.get_all() if one.role == "user"]
    assert asked == ["Is it windy?", "Is it deep?"]
    assert said(memory)[: len(TALK)] == texts(TALK)


def test_the_history_of_the_constructor_of_an_earlier_chat(made):
    """An application that gives its first history at each start does not begin a chat with it again and again."""
    made(chat_history=TALK).put(user("one"))
    memory = made()
    memory.set([GREETING])
    assert made(chat_history=TALK).get_all() == [GREETING]
    assert said(memory).count(("user", FACT)) == 1


def test_instructions_belong_to_their_chat(registry):
    """Instructions of a chat before are not given to the model in this one, and come back with their chat."""
    memory = StreetAIMemory.from_defaults(SESSION, registry=registry, token_limit=LIMIT)
    rules = [user("Hello."), user("Talk like a pirate.").model_copy(update={"role": "system"})]
    memory.put_messages([*rules, *TALK])
    memory.set([GREETING])
    memory.put(user("Is it windy?"))
    assert memory.get()[-1].content.endswith("Is it windy?")
    assert "Talk like a pirate." not in [one.content for one in memory.get()]
    memory.set([*rules, *TALK])
    assert "Talk like a pirate." in [one.content for one in memory.get()]


def test_a_chat_store_of_the_user(make):
    """The store of the application has the new history, as with LlamaIndex's own memories; recall has everything."""
    store = SimpleChatStore()
    memory = make(chat_store=store)
    memory.set(TALK)
    memory.set([GREETING])
    assert store.get_messages(SESSION) == memory.get_all() == [GREETING]
    assert recalls_fact(memory)


def test_our_chat_store_in_a_stock_memory(registry, make):
    """The stock buffer on our store begins a chat with `set` too, and nothing is deleted."""
    store = make().chat_store
    assert isinstance(store, StreetAIChatStore)
    stock = ChatMemoryBuffer.from_defaults(chat_store=store, chat_store_key=SESSION)
    stock.set(TALK)
    stock.set([GREETING])
    assert stock.get_all() == [GREETING]
    assert len(registry.get(SESSION).messages()) == len(TALK) + 1


def test_reset_forgets_all_chats(made):
    """What is forgotten on purpose is forgotten in every chat of the session."""
    memory = made()
    memory.set(TALK)
    memory.set([GREETING])
    memory.reset()
    assert memory.get_all() == said(memory) == []
    assert not recalls_fact(memory)
