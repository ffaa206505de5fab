"""Memories in real files for the tests of the plug-in."""

from datetime import datetime, timezone
from functools import cache
from pathlib import Path

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import HashingEncoder
from streetai_langchain import StreetAIChainMemory, StreetAIMemory
from streetai_langchain.messages import to_stored
from tests.asked import Asked
from tests.databases import file_of, put, put_empty

DIARY = (
    ("user", "My name is Mara and I keep a sailing boat called Pelikan in the harbour of Kiel."),
    ("assistant", "Nice to meet you, Mara. Pelikan is a lovely name for a boat, and Kiel a fine harbour."),
    ("user", "The draught of my boat is one metre forty, so shallow harbours are no problem."),
    ("assistant", "With one metre forty you can enter nearly every harbour of the Danish islands."),
    ("user", "I am allergic to peanuts, so please never suggest a dish with peanuts in it."),
    ("assistant", "Understood, no dish that I suggest will have peanuts in it."),
    ("user", "My sister Lena studies medicine in Gdansk and visits me every summer."),
    ("assistant", "Then you may want to plan a summer trip together with Lena along the Polish coast."),
)
"""An earlier conversation: long enough that a selection of it costs less than all of it."""

QUESTION = "What is the draught of my boat?"
REPLY = "The draught of your boat is one metre forty."
FACT = "\nuser: The draught of my boat is one metre forty, so shallow harbours are no problem."
"""A question about the diary, a reply to it, and how the piece that it is about is quoted: on a line with its label."""


@pytest.fixture
def asked():
    """Told of each recall of `registry`."""
    return Asked()


@pytest.fixture
def recalls(asked):
    """The questions that the memories of `registry` were asked, oldest first."""
    return asked.questions


@pytest.fixture
def registry(tmp_path, asked):
    """A registry on a file of its own, with the encoder that needs no model."""
    # What power loss does is tested elsewhere.
    path = put_empty(tmp_path / "memory.db")
    with MemoryRegistry(path, encoder=HashingEncoder(), observers=[asked], durability="fast") as registry:
        yield registry


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One memory for all tests of a module; each has a conversation of its own."""
    path = put_empty(tmp_path_factory.mktemp("shared") / "memory.db")
    with MemoryRegistry(path, encoder=HashingEncoder(), durability="fast") as registry:
        yield registry.get("all")


@pytest.fixture
def streetai(registry):
    """The facade over `registry`."""
    return StreetAIMemory(registry)


@pytest.fixture
def diary(registry):
    """The memory of user `mara`, who has talked before in the conversation `diary`."""
    put(Path(registry.store.path), _diary())
    return registry.get("mara")


@cache
def _diary():
    """A database with the memory of `mara`."""

    def fill(path):
        with MemoryRegistry(path, encoder=HashingEncoder()) as registry:
            seed(registry)

    return file_of(fill)


def seed(registry):
    """Fill the memory of `mara` with the diary."""
    memory = registry.get("mara")
    said = datetime(2026, 3, 2, 9, 30, tzinfo=timezone.utc)
    memory.add_messages(
        [NewMessage(content=text, role=role, conversation_id="diary", created_at=said) for role, text in DIARY]
    )
    return memory


def spoken(memory, conversation_id):
    """Roles and texts of a conversation."""
    return [(message.role, message.content) for message in memory.messages(conversation_id=conversation_id)]


def chain_memory(memory, **options):
    """The classic memory of a new conversation of `mara`."""
    return StreetAIChainMemory(memory=memory, conversation_id="new", **options)


def stored(memory, conversation_id, *messages):
    """Store LangChain messages in a conversation and read it."""
    memory.add_messages([to_stored(message, conversation_id) for message in messages])
    return memory.messages(conversation_id=conversation_id)
