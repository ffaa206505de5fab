"""When and where a question is asked: a server in UTC has users in other zones, whose yesterday is another day."""

import copy
import gc
import json
import pickle
from datetime import datetime, timedelta, timezone

import pytest
from llama_index.core.chat_engine import SimpleChatEngine

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import InputError
from streetai_llamaindex import StreetAIChatMemoryBuffer, StreetAIMemory, StreetAIMemoryBlock
from tests.asked import Asked
from tests.llamaindex_plugin.conftest import FACT, LIMIT, QUESTION, REPLY, SESSION, assistant, talk, user
from tests.llamaindex_plugin.engines import FRAMEWORK_WARNINGS
from tests.llamaindex_plugin.scripted import Script, ScriptedChat

pytestmark = FRAMEWORK_WARNINGS

EVENING = datetime(2026, 6, 9, 20, 0, tzinfo=timezone(-timedelta(hours=7)))
"""In California; in UTC it is the next day."""

CALLS = ["sync", "async"]
MEMORIES = [StreetAIMemory, StreetAIChatMemoryBuffer]
ALL = [*MEMORIES, StreetAIMemoryBlock]


def evening():
    """The time, of a function that can be pickled."""
    return EVENING


@pytest.fixture
def asked():
    """What the memories of `registry` were asked."""
    return Asked()


@pytest.fixture
def registry(tmp_path, asked):
    """An engine on a file of its own that tells what it was asked."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder(), observers=[asked]) as registry:
        yield registry


def made(kind, registry, **options):
    """A memory, or a block."""
    if kind is StreetAIMemoryBlock:
        return kind(registry=registry, session_id=SESSION, **options)
    return kind.from_defaults(registry=registry, session_id=SESSION, token_limit=LIMIT, **options)


async def read(memory, call, question=QUESTION):
    """What is in a prompt."""
    if isinstance(memory, StreetAIMemoryBlock):
        return await memory.aget([user(question)], session_id=SESSION)
    return memory.get(question) if call == "sync" else await memory.aget(question)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", ALL)
async def test_a_question_has_the_time_that_is_told_when_it_is_asked(registry, asked, kind, call):
    """A time, or what gives one: once for each question, however often the memory is read."""
    times = iter([EVENING, EVENING + timedelta(days=1)])
    memory = made(kind, registry, asked_at=lambda: next(times))
    for question in (QUESTION, QUESTION, "Where does she lie?"):
        await read(memory, call, question)
    await read(made(kind, registry, asked_at=EVENING), call, "And how long is she?")
    await read(made(kind, registry), call, "And how old?")
    assert asked.times == [EVENING, EVENING + timedelta(days=1), EVENING, None]
    assert asked.times[0].utcoffset() == timedelta(hours=-7)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", MEMORIES)
async def test_of_a_chat_engine(registry, asked, kind, call):
    """It puts the question before it reads."""
    memory = made(kind, registry, asked_at=EVENING)
    talk(memory)
    engine = SimpleChatEngine.from_defaults(llm=ScriptedChat(script=Script(lambda _: REPLY)), memory=memory)
    answer = engine.chat(QUESTION) if call == "sync" else await engine.achat(QUESTION)
    assert answer.response == REPLY
    assert asked.times == [EVENING]


@pytest.mark.parametrize("kind", MEMORIES)
def test_yesterday_is_where_the_user_is(registry, kind):
    """By UTC it would be the day that the user calls today."""
    for days, text in ((1, "We sailed to Marstal."), (0, "We sailed to Kiel.")):
        registry.get(SESSION).add_message(text, "user", created_at=EVENING - timedelta(days=days, hours=5))
    memory = made(kind, registry, asked_at=EVENING)
    memory.get("Where did we sail yesterday?")
    times = {hit.signal.content: hit.parts["time"] for hit in memory.last_turn.hits}
    assert times["We sailed to Marstal."] > 0.0 == times.get("We sailed to Kiel.", 0.0)


@pytest.mark.parametrize("wrong", ["2026-06-09", 3])
@pytest.mark.parametrize("kind", ALL)
def test_what_tells_no_time_is_an_error(registry, kind, wrong):
    """Where it is given."""
    with pytest.raises(InputError, match="asked_at must be None, a datetime or a function"):
        made(kind, registry, asked_at=wrong)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", ALL)
async def test_what_gives_no_time_is_an_error(registry, kind, call):
    """Where it is called; and no failure of the memory, that would be hidden."""
    memory = made(kind, registry, asked_at=lambda: "yesterday")
    with pytest.raises(InputError, match="asked_at must return a datetime, got str"):
        await read(memory, call)


WAYS = {
    "dict": lambda memory: type(memory).from_dict(json.loads(json.dumps(memory.to_dict()))),
    "string": lambda memory: type(memory).from_string(memory.to_string()),
    "pickle": lambda memory: pickle.loads(pickle.dumps(memory)),  # noqa: S301 - what is read was written here
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("asked_at", [EVENING, lambda: EVENING], ids=["time", "function"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", MEMORIES)
def test_it_stays_in_what_comes_back_in_the_same_process(registry, asked, kind, way, asked_at):
    """An agent's `Context` is written and read between two questions."""
    memory = made(kind, registry, asked_at=asked_at)
    again = WAYS[way](memory)
    again.get(QUESTION)
    assert asked.times == [EVENING]


def of_another_process(memory):
    """What it has written, and nothing of it left here."""
    data = json.loads(json.dumps(memory.to_dict()))
    data["session_id" if "session_id" in data else "chat_store_key"] = "read elsewhere"
    return data


@pytest.mark.parametrize("kind", MEMORIES)
def test_a_time_goes_along_to_another_process_and_a_function_is_asked_for(registry, asked, kind):
    """Dropped without a word, "yesterday" would be another day after a restart."""
    data = of_another_process(made(kind, registry, asked_at=EVENING))
    kind.from_dict(data, registry=registry).get(QUESTION)
    data = of_another_process(made(kind, registry, asked_at=evening))
    gc.collect()
    with pytest.raises(InputError, match=r"function evening as asked_at.*Give it as asked_at="):
        kind.from_dict(data, registry=registry)
    kind.from_dict(data, registry=registry, asked_at=evening).get("And how long is she?")
    assert asked.times == [EVENING, EVENING]
    assert kind.from_dict({**data, "asked_at": None}).asked_at is None


@pytest.mark.parametrize("asked_at", [EVENING, evening], ids=["time", "function"])
async def test_a_block_that_was_copied(registry, asked, asked_at):
    """Pickled functions come back by their names."""
    block = made(StreetAIMemoryBlock, registry, asked_at=asked_at)
    await block.aput([user(FACT), assistant("Good to know.")], session_id=SESSION)
    for number, again in enumerate((copy.deepcopy(block), pickle.loads(pickle.dumps(block)))):  # noqa: S301 - as above
        await read(again, "async", f"Question {number}?")
    assert asked.times == [EVENING, EVENING]


def test_a_block_as_json(registry):
    """A time is carried, a function is refused where it is read."""
    block = made(StreetAIMemoryBlock, registry, asked_at=EVENING)
    assert StreetAIMemoryBlock(**json.loads(json.dumps(block.model_dump(mode="json")))).asked_at == EVENING
    data = made(StreetAIMemoryBlock, registry, asked_at=evening).model_dump(mode="json")
    with pytest.raises(InputError, match="function evening"):
        StreetAIMemoryBlock(**data)


@pytest.mark.parametrize("written", ["", "next week", 3, None, "99999-01-01"])
def test_a_time_that_was_written_wrong_is_named(registry, written):
    """JSON is edited by hand and by other programs."""
    data = made(StreetAIMemoryBlock, registry, asked_at=EVENING).model_dump(mode="json")
    with pytest.raises(InputError, match=r"asked_at was written as .*, which is no time"):
        StreetAIMemoryBlock(**{**data, "asked_at": {"time": written}})
