"""A memory as JSON, pickle and copy: the same engine and the same window."""

import copy
import gc
import json
import pickle
import subprocess
import sys

import pytest
from llama_index.core.memory import ChatMemoryBuffer, ChatSummaryMemoryBuffer
from llama_index.core.storage.chat_store import SimpleChatStore
from pydantic import BaseModel
from workflows.context.serializers import JsonSerializer, PickleSerializer

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import InputError
from streetai_llamaindex import StreetAIChatMemoryBuffer, StreetAIChatStore, StreetAIMemory
from streetai_llamaindex.messages import message_to_json
from tests.llamaindex_plugin.conftest import FACT, QUESTION, QUOTED, REPLY, SESSION, assistant, talk, texts, user
from tests.llamaindex_plugin.test_messages import MESSAGES

BUFFER = "streetai_llamaindex.buffer.StreetAIChatMemoryBuffer"


class Holder(BaseModel):
    """State of an application's own that has a memory."""

    memory: StreetAIChatMemoryBuffer


WAYS = {
    "dict": lambda memory: StreetAIChatMemoryBuffer.from_dict(json.loads(json.dumps(memory.to_dict()))),
    "string": lambda memory: StreetAIChatMemoryBuffer.from_string(memory.to_string()),
    "json": lambda memory: StreetAIChatMemoryBuffer.from_string(memory.json()),
    "dump": lambda memory: StreetAIChatMemoryBuffer.model_validate(memory.model_dump()),
    "JSON dump": lambda memory: StreetAIChatMemoryBuffer.model_validate_json(memory.model_dump_json()),
    "a field of a model": lambda memory: Holder.model_validate(Holder(memory=memory).model_dump()).memory,
    "arguments": lambda memory: StreetAIChatMemoryBuffer(**memory.model_dump()),
    "pickle": lambda memory: pickle.loads(pickle.dumps(memory)),  # noqa: S301 - what is read was written here
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
    "model_copy": lambda memory: memory.model_copy(deep=True),
    "context": lambda memory: JsonSerializer().deserialize(JsonSerializer().serialize(memory)),
    "context of a server": lambda memory: JsonSerializer(allowed_types=[BUFFER]).deserialize(
        JsonSerializer(allowed_types=[StreetAIChatMemoryBuffer]).serialize(memory)
    ),
    "pickled context": lambda memory: PickleSerializer().deserialize(PickleSerializer().serialize(memory)),
}
every_way = pytest.mark.parametrize("way", WAYS)


@every_way
def test_same_engine_same_window(memory, way):
    """9.12: An agent's `Context` that is reused, saved or sent keeps the memory, not a copy that stops growing."""
    for message in MESSAGES.values():
        memory.put(message)
    again = WAYS[way](memory)
    assert again.registry is memory.registry
    assert again.conversation is memory.conversation
    assert again.get_all() == memory.get_all()
    memory.put(user("one more"))
    assert again.get_all()[-1].content == "one more"
    assert (again.token_limit, again.insert_method) == (memory.token_limit, memory.insert_method)


@every_way
def test_a_turn_goes_on_in_the_copy(memory, way):
    """9.12: The question is put into the memory, the reply into what came back from the `Context`: one turn."""
    memory.put(user(QUESTION))
    assert QUOTED in memory.get()[-1].content
    again = WAYS[way](memory)
    assert again.get() == memory.get()
    again.put(assistant(REPLY))
    assert memory.last_turn.outcome == "answered"
    assert [one.reply for one in (memory.last_turn, again.last_turn)] == [REPLY, REPLY]


@every_way
def test_memory_in_ram(way):
    """9.12: A memory without a file comes back on its engine too."""
    memory = StreetAIChatMemoryBuffer.from_defaults(session_id=SESSION, embed_model=HashingEncoder())
    memory.put(user(FACT))
    again = WAYS[way](memory)
    assert again.registry is memory.registry
    assert again.get_all() == [user(FACT)]


@every_way
def test_closing_one_leaves_the_other_open(way):
    """9.12: A copy that is closed, as by the end of a request, takes no engine away from the memory it was made of."""
    memory = StreetAIChatMemoryBuffer.from_defaults(session_id=SESSION, embed_model=HashingEncoder())
    memory.put(user(FACT))
    WAYS[way](memory).close()
    assert memory.get_all() == [user(FACT)]
    memory.close()


@every_way
def test_the_tokenizer_and_on_error_stay(make, way):
    """9.12: After the first run of a `Context` failures are still reported, and tokens counted as before."""
    failures = []
    memory = make(tokenizer_fn=str.split, on_error=failures.append, token_limit=40)
    again = WAYS[way](memory)
    for number in range(20):
        memory.put(user(f"message {number}"))
    assert len(again.get()) == 20
    memory.registry.close()
    again.put(user("lost"))
    assert len(failures) == 1


@every_way
def test_the_chat_store_of_the_user_stays(make, way):
    """9.12: The window goes on coming from where the application put it."""
    store = SimpleChatStore()
    memory = make(chat_store=store)
    memory.put(user("hello there"))
    again = WAYS[way](memory)
    assert again.chat_store is store
    again.put(assistant("hello"))
    assert texts(memory.get_all()) == [("user", "hello there"), ("assistant", "hello")]


def foreign(data):
    """What another process makes of it: nothing of this process is known there."""
    data = json.loads(json.dumps(data))
    data["engine"]["engine"] = "made by another process"
    data["chat_store"].pop("token", None)
    return data


def test_ram_goes_along_to_another_process():
    """9.12: What was said in RAM is said again where the engine is new, so that the window is the same."""
    memory = StreetAIChatMemoryBuffer.from_defaults(session_id=SESSION, embed_model=HashingEncoder())
    for message in MESSAGES.values():
        memory.put(message)
    again = StreetAIChatMemoryBuffer.from_dict(foreign(memory.to_dict()), embed_model=HashingEncoder())
    assert again.registry is not memory.registry
    assert again.get_all() == memory.get_all()


def test_a_simple_chat_store_goes_along(make):
    """9.12: LlamaIndex's own store is rebuilt in another process, with any pydantic."""
    memory = make(chat_store=SimpleChatStore())
    for message in MESSAGES.values():
        memory.put(message)
    again = StreetAIChatMemoryBuffer.from_dict(foreign(memory.to_dict()))
    assert again.chat_store is not memory.chat_store
    assert again.get_all() == memory.get_all()


class RemoteChatStore(SimpleChatStore):
    """A store whose class LlamaIndex cannot load by name."""

    @classmethod
    def class_name(cls):
        """Of no class that LlamaIndex knows."""
        return "RemoteChatStore"


def test_a_store_that_cannot_be_rebuilt(make, registry, caplog):
    """9.12: A store of the application's comes back as what the memory itself has stored, and the log says so."""
    memory = make(chat_store=RemoteChatStore())
    memory.put(user("hello there"))
    data = foreign(memory.to_dict())
    again = StreetAIChatMemoryBuffer.from_dict(data, registry=registry)
    assert again.get_all() == [user("hello there")]
    assert "RemoteChatStore" in caplog.text
    given = StreetAIChatMemoryBuffer.from_dict(data, registry=registry, chat_store=memory.chat_store)
    assert given.chat_store is memory.chat_store


def test_a_file_that_nobody_holds_is_opened_again(tmp_path):
    """9.12: Only the JSON of a memory is left, such as in a database: it leads back to the file."""
    memory = StreetAIChatMemoryBuffer.from_defaults(path=tmp_path / "memory.db", session_id=SESSION)
    memory.put(user(FACT))
    data = memory.to_string()
    memory.close()
    del memory
    gc.collect()
    again = StreetAIChatMemoryBuffer.from_string(data)
    assert again.get_all() == [user(FACT)]
    again.close()


PROCESS = """
import sys
from streetai_llamaindex import StreetAIChatMemoryBuffer
memory = StreetAIChatMemoryBuffer.from_string(sys.stdin.read())
print([message.content for message in memory.get("What is the draught of my boat?")])
memory.close()
"""


def test_another_process(tmp_path):
    """9.12: A workflow that another worker resumes has the window, and recalls with the real model."""
    memory = StreetAIChatMemoryBuffer.from_defaults(path=tmp_path / "memory.db", session_id=SESSION, token_limit=250)
    talk(memory, turns=8)
    command = [sys.executable, "-c", PROCESS]
    done = subprocess.run(command, input=memory.to_string(), capture_output=True, text=True, check=True)
    assert "Then day 7 was a rough one." in done.stdout
    assert QUOTED in done.stdout
    memory.close()


def test_a_stock_memory_is_taken_over():
    """Who changes over with a saved `ChatMemoryBuffer` keeps its messages."""
    stock = ChatMemoryBuffer.from_defaults(token_limit=500)
    data = {**stock.to_dict(), "chat_store": {"store": {"chat_history": [message_to_json(user(FACT))]}}}
    data["chat_store"]["class_name"] = "SimpleChatStore"
    taken = StreetAIChatMemoryBuffer.from_dict(data)
    assert (taken.token_limit, taken.get_all()) == (500, [user(FACT)])
    old = {"token_limit": 500, "chat_history": [{"role": "user", "content": FACT}]}
    assert StreetAIChatMemoryBuffer.from_dict(old).get_all() == [user(FACT)]


@pytest.mark.parametrize("kind", [ChatMemoryBuffer, ChatSummaryMemoryBuffer, StreetAIChatMemoryBuffer])
def test_a_stock_memory_on_a_stored_transcript_comes_back(make, kind):
    """9.12: By LlamaIndex's own ways and by ours, on the same file."""
    make_stock = ChatMemoryBuffer if kind is StreetAIChatMemoryBuffer else kind
    stock = make_stock.from_defaults(chat_store=make().chat_store, chat_store_key="stock")
    stock.put(user(FACT))
    data = stock.to_dict()
    again = kind.from_dict(json.loads(json.dumps(data)))
    assert isinstance(again.chat_store, StreetAIChatStore)
    assert again.get_all() == [user(FACT)]
    again.put(assistant("Noted."))
    assert stock.get_all() == [user(FACT), assistant("Noted.")]


def test_another_file_and_session_can_be_given(memory, tmp_path):
    """9.12: A saved memory is opened on a copy of its file, elsewhere, without editing the JSON."""
    with MemoryRegistry(tmp_path / "other.db", encoder=HashingEncoder()) as other:
        moved = StreetAIChatMemoryBuffer.from_dict(memory.to_dict(), registry=other, session_id="copy")
        assert moved.registry is other
        assert (moved.session_id, moved.get_all()) == ("copy", [])


@pytest.mark.parametrize("kind", [StreetAIChatMemoryBuffer, StreetAIMemory])
def test_arguments_that_take_the_place_of_what_was_written(registry, kind):
    """9.12: None is passed over in silence: a history is the new one's, and an unknown name is refused."""
    memory = kind.from_defaults(session_id=SESSION, registry=registry, token_limit=40)
    written = memory.to_dict()
    again = kind.from_dict(written, session_id="copy", token_limit=50, chat_history=[user(FACT)])
    assert (again.session_id, again.token_limit, again.get_all()) == ("copy", 50, [user(FACT)])
    with pytest.raises(InputError, match="unexpected arguments: token_limt"):
        kind.from_dict(written, token_limt=50)


def test_what_is_no_memory_is_refused():
    """A wrong argument is named."""
    with pytest.raises(InputError, match="got list"):
        StreetAIChatMemoryBuffer.from_dict([])


def test_an_empty_chat_store_is_kept(make):
    """A store whose truth value is false is not replaced by another one."""

    class Falsy(SimpleChatStore):
        """Has a length, and is empty."""

        def __len__(self):
            return len(self.store)

    store = Falsy()
    memory = make(chat_store=store)
    assert memory.chat_store is store
    assert StreetAIChatMemoryBuffer.from_dict(memory.to_dict()).chat_store is store


def test_names(memory):
    """9.12: A workflow finds the class again by its name, also under a server's list of allowed types."""
    assert memory.class_name() == memory.to_dict()["class_name"] == "StreetAIChatMemoryBuffer"
    assert f"{type(memory).__module__}.{type(memory).__qualname__}" == BUFFER
    assert StreetAIChatStore.class_name() == "StreetAIChatStore"
