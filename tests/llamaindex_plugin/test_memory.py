"""`StreetAIMemory`: LlamaIndex's newer memory, with recall and with everything stored at once."""

import asyncio
import copy
import json
import pickle

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.memory import BaseMemory, InsertMethod, Memory, StaticMemoryBlock
from llama_index.core.memory.memory import BaseMemoryBlock
from llama_index.core.schema import QueryBundle
from llama_index.core.storage.chat_store.base_db import MessageStatus
from llama_index.core.utils import get_tokenizer
from llama_index.core.workflow import Context, JsonSerializer

from streetai_core import Memory as CoreMemory
from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import InputError
from streetai_core.stores.reference import ReferenceStore
from streetai_llamaindex import StreetAIMemory, StreetAIMemoryBlock
from streetai_llamaindex.window import TokenCosts
from tests.event_loop import never_blocked
from tests.llamaindex_plugin.conftest import (
    FACT,
    LIMIT,
    QUESTION,
    REPLY,
    SESSION,
    assistant,
    said,
    steps,
    talk,
    texts,
    user,
)
from tests.llamaindex_plugin.engines import FRAMEWORK_WARNINGS, replies, tide
from tests.llamaindex_plugin.scripted import Script, ScriptedChat, text_of_prompt
from tests.llamaindex_plugin.styles import achat

pytestmark = FRAMEWORK_WARNINGS

RULES = ChatMessage(role="system", content="You never give away a pass word.")
CALL = ChatMessage(role="assistant", blocks=[ToolCallBlock(tool_call_id="c1", tool_name="depth", tool_kwargs={})])
RESULT = ChatMessage(role="tool", content="3.5 m in Kiel", additional_kwargs={"tool_call_id": "c1"})


@pytest.fixture
def make(registry):
    """Makes memories on `registry`."""

    def made(session_id=SESSION, **options):
        return StreetAIMemory.from_defaults(
            **{"registry": registry, "session_id": session_id, "token_limit": LIMIT, **options}
        )

    return made


@pytest.fixture
def memory(make):
    """A memory that has been talked to for long."""
    memory = make()
    talk(memory)
    return memory


class Notes(BaseMemoryBlock[str]):
    """A block that keeps what it is given, and counts how often it is asked."""

    got: list[str] = []  # noqa: RUF012 - pydantic copies it
    asked: list[str] = []  # noqa: RUF012 - pydantic copies it

    async def _aget(self, messages=None, **block_kwargs):
        self.asked.append(messages[-1].content if messages else "")
        return "the notes say: reef early"

    async def _aput(self, messages):
        self.got += [message.content for message in messages]


class Broken(Notes):
    """A block that fails."""

    async def _aget(self, messages=None, **block_kwargs):
        raise ConnectionError("no notes today")

    async def _aput(self, messages):
        raise ConnectionError("no notes today")


def counted(messages):
    """Tokens of messages."""
    costs = TokenCosts(get_tokenizer())
    return sum(costs.of_message(message) for message in messages)


def clock(memory):
    """How far the memory's clock has gone."""
    return memory.registry.get(SESSION).stats()["turn_counter"]


# ---------------------------------------------------------------------- making


def test_it_is_a_memory(make):
    """9.13: Whatever takes LlamaIndex's memory takes this one, also while it is empty."""
    assert isinstance(make(), Memory)
    assert isinstance(make(), BaseMemory)
    assert make()
    assert StreetAIMemory.from_defaults().token_limit == Memory.from_defaults().token_limit == 30000


@pytest.mark.parametrize(
    "arguments",
    [
        {"token_limit": 0},
        {"token_limit": "3000"},
        {"chat_history": [{"role": "user", "content": "Hello"}]},
        {"on_error": "log"},
        {"session_id": " "},
        {"chat_history_token_ratio": 1.5},
        {"unknown": 1},
        {"async_database_uri": "sqlite+aiosqlite:///other.db"},
        {"embed_model": HashingEncoder()},
        {"memory_blocks": [StaticMemoryBlock(static_content="a"), StaticMemoryBlock(static_content="b")]},
    ],
    ids=", ".join,
)
def test_wrong_arguments_raise(make, arguments):
    """A mistake shows where it is made; above all, a store that would silently stay empty."""
    with pytest.raises(ValueError):  # noqa: PT011 - each has its own words; that it is refused is the point
        make(**arguments)


def test_a_block_on_the_same_file_is_refused(registry):
    """If it fails, what the block stores leaves the window again, and is stored again, each time."""
    with pytest.raises(InputError, match="leave the block out"):
        StreetAIMemory.from_defaults(SESSION, registry=registry, memory_blocks=[StreetAIMemoryBlock(registry=registry)])
    with MemoryRegistry(ReferenceStore(), encoder=HashingEncoder()) as other:
        StreetAIMemory.from_defaults(
            SESSION, registry=registry, memory_blocks=[StreetAIMemoryBlock(registry=other)]
        ).close()


def test_a_missing_session_is_a_random_one(make):
    """9.16: Two users who were given no session never share a memory; on a file the developer is told."""
    with pytest.warns(UserWarning, match="Give session_id="):
        one = make(session_id=None)
    with pytest.warns(UserWarning, match="Give session_id="):
        other = make(session_id=None)
    assert one.session_id != other.session_id


# ----------------------------------------------------------------------- turns


@pytest.mark.parametrize("put_first", [True, False])
def test_a_turn(memory, put_first):
    """9.2: Put before get and get before put are the same turn: one recall, two ticks, one learning step."""
    before = clock(memory)
    if put_first:
        memory.put(user(QUESTION))
    shown = memory.get(input=None if put_first else QUESTION, initial_token_count=10, unknown=1)
    assert FACT in shown[-1].content
    assert counted(shown) <= LIMIT - 10
    if not put_first:
        memory.put(user(QUESTION))
    memory.put(assistant(REPLY))
    assert said(memory)[-2:] == [("user", QUESTION), ("assistant", REPLY)]
    assert clock(memory) == before + 2
    assert steps(memory) == len(memory.last_turn.hits) > 0


@pytest.mark.parametrize("asked", [QUESTION, user(QUESTION), QueryBundle(QUESTION)], ids=["str", "message", "query"])
async def test_forms_of_the_question(memory, asked):
    """9.3: Recall works for whatever an engine gives as input, in both twins; upstream drops a message."""
    shown = await memory.aget(asked)
    assert FACT in shown[-1].content
    assert memory.get(asked)[-1] is shown[-1]


def test_stored_at_once(make, registry):
    """The first message is in the file when `put` returns, and not only after 21,000 tokens."""
    memory = make(token_limit=30_000)
    memory.put(user(FACT))
    assert [one.content for one in registry.get(SESSION).signals] == [FACT]


@pytest.mark.parametrize("method", list(InsertMethod))
def test_where_recalled_text_goes(make, method):
    """Next to the question, or into a system message, as upstream's `insert_method` says."""
    memory = make(insert_method=method)
    talk(memory)
    memory.put(user(QUESTION))
    shown = memory.get()
    assert (FACT in shown[0].content) is (method is InsertMethod.SYSTEM)
    assert (FACT in shown[-1].content) is (method is InsertMethod.USER)


# --------------------------------------------------------- bugs of 0.14.25 avoided


async def test_no_messages(make):
    """`aput_messages([])`, as an agent without tools ends, does not raise as upstream does."""
    memory = make()
    await memory.aput_messages([])
    memory.put_messages([])
    assert memory.get() == []


def test_instructions_stay(make):
    """A system message that was put is in every prompt, within the limit; upstream loses it when the window is full."""
    memory = make()
    memory.put(RULES)
    for _ in range(30):
        memory.put_messages([user("The wind came from the north-west again."), assistant("It does that a lot.")])
    shown = memory.get(input=QUESTION)
    assert shown[0] == RULES
    assert [message.role for message in shown].count("system") == 1
    assert counted(shown) <= LIMIT
    again = make()
    assert again.get()[0] == RULES


def test_instructions_of_a_long_conversation(make, monkeypatch):
    """A server that makes a memory for each request would read the whole transcript each time."""
    stored = make()
    stored.set([RULES, *(say(f"line {n} of a long talk") for n in range(300) for say in (user, assistant))])
    read = []
    messages = CoreMemory.messages

    def counted_messages(memory, **conditions):
        """What the engine reads, counted."""
        found = messages(memory, **conditions)
        read.append(len(found))
        return found

    monkeypatch.setattr(CoreMemory, "messages", counted_messages)
    assert make().get()[0] == RULES
    assert 0 < sum(read) < 200


async def test_many_puts_at_once(make):
    """Fifty puts at once lose nothing; upstream archives messages that no block has got."""
    notes = Notes(name="notes")
    memory = make(memory_blocks=[notes], token_flush_size=50)
    lumps = [[user(f"Question {number} about the tide?"), assistant(f"Answer {number}.")] for number in range(50)]
    await asyncio.gather(*map(memory.aput_messages, lumps))
    everything = [message.content for message in memory.get_all()]
    active = [message.content for message in memory.get_all(status=MessageStatus.ACTIVE)]
    assert sorted(everything) == sorted(message.content for lump in lumps for message in lump)
    assert sorted(notes.got + active) == sorted(everything)
    assert [message.content for message in memory.get_all(status=MessageStatus.ARCHIVED)] == notes.got
    assert notes.got


# -------------------------------------------------------------- memory blocks


@pytest.mark.parametrize("method", list(InsertMethod))
async def test_other_blocks(make, method):
    """Blocks of LlamaIndex's are asked once a turn, shown once, and within the limit."""
    notes = Notes(name="notes", asked=[])
    static = StaticMemoryBlock(name="static", static_content="Mara is the skipper.")
    memory = make(memory_blocks=[notes, static], insert_method=method)
    talk(memory)
    question = f"{QUESTION} (q1)"
    script = Script(replies(lambda _: REPLY, steps=2))
    agent = FunctionAgent(tools=[tide], llm=ScriptedChat(script=script))
    assert await achat(agent, memory, question) == REPLY
    assert notes.asked == [question]
    for prompt in script.prompts:
        text = text_of_prompt(prompt)
        assert [text.count(one) for one in ("reef early", "the skipper.", FACT)] == [1, 1, 1]
    assert counted(script.prompts[0]) <= LIMIT
    assert "reef early" not in "\n".join(message.content or "" for message in memory.get_all())


def test_blocks_without_a_loop(make):
    """The same from synchronous code, before the question is put too."""
    notes = Notes(name="notes", asked=[])
    memory = make(memory_blocks=[notes])
    talk(memory)
    shown = memory.get(input=QUESTION)
    assert notes.asked == [QUESTION]
    assert "reef early" in shown[-1].content
    assert FACT in shown[-1].content
    assert memory.get(input=QUESTION) == shown
    assert counted(shown) <= LIMIT


def test_blocks_get_what_has_outgrown_the_window(make):
    """Other blocks get each message once, whole exchanges in order, and no instructions."""
    notes = Notes(name="notes", got=[])
    memory = make(memory_blocks=[notes], token_flush_size=50)
    memory.put(RULES)
    spoken = []
    for number in range(40):
        spoken += [f"Question {number} about the tide?", f"Answer {number}."]
        memory.put_messages([user(spoken[-2]), assistant(spoken[-1])])
    assert notes.got == spoken[: len(notes.got)]
    assert 0 < len(notes.got) < len(spoken)
    assert len(notes.got) % 2 == 0
    active = [message.content for message in memory.get_all(status=MessageStatus.ACTIVE)]
    assert notes.got + active == spoken


def test_blocks_after_a_restart(tmp_path):
    """After a restart no message is kept from the blocks, and no more than a few are handed over again."""
    spoken, got = [], []
    for _ in range(3):
        notes = Notes(name="notes", got=[])
        with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder(), durability="fast") as registry:
            memory = StreetAIMemory.from_defaults(
                SESSION, token_limit=LIMIT, memory_blocks=[notes], token_flush_size=50, registry=registry
            )
            for _ in range(20):
                spoken += [f"Question {len(spoken)} about the tide?", f"Answer {len(spoken)}."]
                memory.put_messages([user(spoken[-2]), assistant(spoken[-1])])
            got += notes.got
            active = [message.content for message in memory.get_all(status=MessageStatus.ACTIVE)]
        assert set(got) | set(active) == set(spoken)
        assert len(got) - len(set(got)) <= 4


async def test_blocks_that_fail(make):
    """9.14: A block that fails costs its own contents, and neither a reply nor those of the others."""
    failures = []
    notes = Notes(name="notes")
    memory = make(memory_blocks=[Broken(name="broken"), notes], on_error=failures.append, token_flush_size=50)
    for _ in range(60):
        await memory.aput_messages([user("The wind came from the north-west again."), assistant("As always.")])
    shown = await memory.aget(input=QUESTION)
    assert "reef early" in shown[-1].content
    assert {type(failure) for failure in failures} == {ConnectionError}
    assert notes.got


def test_contents_that_are_no_text(make):
    """Blocks may say whole messages, or parts of one."""

    class Parts(Notes):
        async def _aget(self, messages=None, **block_kwargs):
            return [TextBlock(text="part one"), TextBlock(text="part two")]

    class Whole(Notes):
        async def _aget(self, messages=None, **block_kwargs):
            return [user("once upon a time"), assistant("there was a boat")]

    memory = make(memory_blocks=[Parts(name="parts"), Whole(name="whole")])
    memory.put(user(QUESTION))
    shown = memory.get()
    assert texts(shown[:2]) == [("user", "once upon a time"), ("assistant", "there was a boat")]
    assert "part one" in shown[-1].content
    assert "part two" in shown[-1].content


# --------------------------------------------------------------- the whole history


def test_set_and_reset(memory, make):
    """9.10, 9.11: `set` stores what is new; `reset` forgets this session and no other."""
    other = make("tom")
    other.put(user("I am Tom."))
    history = memory.get_all()
    ids = [one.message_id for one in memory.registry.get(SESSION).messages()]
    memory.set([*history, user("And now?"), assistant("Now we sail.")])
    assert [one.message_id for one in memory.registry.get(SESSION).messages()][: len(ids)] == ids
    assert len(said(memory)) == len(ids) + 2
    memory.reset()
    assert memory.get_all() == memory.get(input=QUESTION) == []
    assert texts(other.get_all()) == [("user", "I am Tom.")]


async def test_reset_of_a_part(memory):
    """Upstream's `status`: what has left the window can be forgotten alone, and is recalled no more."""
    active = texts(await memory.aget_all(status=MessageStatus.ACTIVE))
    await memory.areset(status=MessageStatus.ARCHIVED)
    assert texts(await memory.aget_all()) == active
    assert all(FACT not in (message.content or "") for message in await memory.aget(input=QUESTION))
    await memory.areset(status=MessageStatus.ACTIVE)
    assert await memory.aget_all() == []


@pytest.mark.parametrize("delete", ["set", "reset"])
def test_many_messages_are_deleted_at_once(make, registry, delete):
    """One by one, a crash leaves half a history, and each is a transaction that waits for the disk."""
    memory = make(token_limit=60, token_flush_size=10)
    lines = [say(f"line {n} of a long talk") for n in range(20) for say in (user, assistant)]
    memory.set(lines)
    before = registry.get(SESSION).version
    if delete == "set":
        memory.set(lines[:21])
    else:
        memory.reset(status=MessageStatus.ARCHIVED)
    assert 0 < len(registry.get(SESSION).messages()) < len(lines) - 1
    assert registry.get(SESSION).version == before + 1


def test_tool_traffic(make):
    """9.9: A window never begins with an answer or a tool's result, and keeps calls with their results."""
    memory = make(token_limit=60)
    for number in range(6):
        memory.put_messages([user(f"How deep is berth {number}?"), CALL, RESULT, assistant("Deep enough.")])
    shown = memory.get()
    assert shown[0].role == "user"
    assert texts(shown)[-1] == ("assistant", "Deep enough.")
    assert memory.get_all()[1:3] == [CALL, RESULT]


# ------------------------------------------------------------------- async, failures


async def test_the_loop_is_free(make):
    """9.15: No asynchronous verb blocks an event loop."""
    memory = make(memory_blocks=[Notes(name="notes")], token_flush_size=50)
    with never_blocked() as blocking:
        for _ in range(20):
            await memory.aput_messages([user(FACT), assistant("Good to know, thanks for telling me all that.")])
        await memory.aput(user(QUESTION))
        await memory.aget()
        await memory.aput(assistant(REPLY))
        await memory.aset(await memory.aget_all())
        await memory.areset()
    assert blocking == []


def test_a_failing_engine(make, registry):
    """9.14: The engine is gone: the chat goes on with what is in RAM, and the failures are told."""
    failures = []
    memory = make(on_error=failures.append)
    talk(memory)
    memory.get()
    registry.close()
    memory.put(user(QUESTION))
    assert memory.get()[-1] == user(QUESTION)
    memory.put(assistant(REPLY))
    assert memory.get_all()[-1] == assistant(REPLY)
    assert failures


async def test_synchronous_calls_on_a_loop(memory):
    """9.1: In a notebook the synchronous verbs work on the thread of the running loop."""
    engine = SimpleChatEngine.from_defaults(llm=ScriptedChat(script=Script(lambda _: REPLY)), memory=memory)
    assert engine.chat(QUESTION).response == REPLY
    assert said(memory)[-1] == ("assistant", REPLY)


def test_another_session_can_be_set(make, memory):
    """9.16: What is said, recalled and forgotten is that of the session that the memory is told, as with `Memory`."""
    other = memory.model_copy(deep=True, update={"session_id": "anna"})
    assert (other.get_all(), len(memory.get_all())) == ([], 42)
    memory.session_id = "tom"
    memory.put(user(QUESTION))
    assert texts(memory.get()) == texts(memory.get_all()) == [("user", QUESTION)]
    memory.reset()
    assert memory.get_all() == []
    assert len(make().get_all()) == 42


# ---------------------------------------------------------------- serialisation


@pytest.mark.parametrize(
    "again",
    [
        lambda memory: StreetAIMemory.from_dict(json.loads(json.dumps(memory.to_dict()))),
        lambda memory: StreetAIMemory.from_string(memory.to_string()),
        lambda memory: StreetAIMemory.model_validate(memory.model_dump()),
        lambda memory: StreetAIMemory.model_validate_json(memory.model_dump_json()),
        lambda memory: StreetAIMemory.from_dict(memory.model_dump()),
        lambda memory: pickle.loads(pickle.dumps(memory)),  # noqa: S301 - our own
        copy.deepcopy,
    ],
    ids=["dict", "string", "dump", "JSON dump", "dict of a dump", "pickle", "deepcopy"],
)
def test_it_comes_back(make, again):
    """9.12: Same engine, session, settings, blocks and tokenizer, however it was written."""
    memory = make(
        insert_method=InsertMethod.SYSTEM,
        memory_blocks=[StaticMemoryBlock(name="static", static_content="Mara is the skipper.")],
        tokenizer_fn=get_tokenizer(),
    )
    talk(memory)
    other = again(memory)
    assert other.registry is memory.registry
    assert other.conversation is memory.conversation
    assert (other.session_id, other.token_limit, other.insert_method) == (SESSION, LIMIT, InsertMethod.SYSTEM)
    memory.put(user(QUESTION))
    assert FACT in other.get()[0].content
    assert "the skipper" in other.get()[0].content
    other.put(assistant(REPLY))
    assert memory.get_all()[-1] == assistant(REPLY)
    assert memory.last_turn.outcome == "answered"


def test_what_is_in_ram_goes_along(tmp_path):
    """9.12: A memory without a file takes its messages with it, and is found again where it still is."""
    memory = StreetAIMemory.from_defaults(session_id=SESSION, embed_model=HashingEncoder())
    memory.put_messages([user(FACT), assistant("Good to know.")])
    data = memory.to_dict()
    assert StreetAIMemory.from_dict(data).registry is memory.registry
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder()) as registry:
        moved = StreetAIMemory.from_dict(data, registry=registry)
        assert texts(moved.get_all()) == [("user", FACT), ("assistant", "Good to know.")]
        assert FACT in [one.content for one in registry.get(SESSION).signals]


async def test_a_context_is_reused(make):
    """9.12: The second run of an agent with the same context, and one from JSON, know the first one's words."""
    memory = make()
    script = Script(replies(lambda question: f"You asked <{question}>."))
    agent = FunctionAgent(tools=[tide], llm=ScriptedChat(script=script))
    context = Context(agent)
    await agent.run("How deep is it? (q1)", memory=memory, ctx=context)
    await agent.run("And in Kiel? (q2)", ctx=context)
    again = Context.from_dict(agent, context.to_dict(serializer=JsonSerializer()), serializer=JsonSerializer())
    await agent.run("And in Husum? (q3)", ctx=again)
    assert [text for role, text in said(memory) if role == "user"] == [
        "How deep is it? (q1)",
        "And in Kiel? (q2)",
        "And in Husum? (q3)",
    ]
    assert "How deep is it? (q1)" in text_of_prompt(script.prompts[-1])


def test_a_restart(tmp_path):
    """9.12: A new process with the same path and session goes on where the last one stopped."""
    options = {"path": tmp_path / "m.db", "session_id": SESSION, "token_limit": LIMIT}
    memory = StreetAIMemory.from_defaults(embed_model=HashingEncoder(), **options)
    assert list(tmp_path.iterdir()) == []
    talk(memory)
    window = memory.get()
    memory.close()
    del memory
    again = StreetAIMemory.from_defaults(embed_model=HashingEncoder(), **options)
    assert again.get() == window
    assert FACT in again.get(input=QUESTION)[-1].content
    again.close()


def test_beside_its_retriever(memory):
    """9.17: Its retriever works on the same session."""
    assert memory.as_retriever(similarity_top_k=1).retrieve(QUESTION)[0].text == FACT


def test_foreign_stores_are_refused(make):
    """A store of the application's would stay empty: it is refused, with what to use instead."""
    with pytest.raises(InputError, match="StreetAIMemoryBlock"):
        make(chat_store=object())
