"""Memories in real files for the tests of the plug-in."""

import asyncio
from functools import cache
from inspect import iscoroutinefunction
from pathlib import Path

import pytest
from llama_index.core.llms import ChatMessage

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_llamaindex import StreetAIChatMemoryBuffer
from tests.databases import file_of, put, put_empty

SESSION = "mara"
FACT = "The draught of my boat is one metre forty, so shallow harbours are no problem."
QUESTION = "What is the draught of my boat?"
REPLY = "The draught of your boat is one metre forty."
QUOTED = FACT
"""Something said long ago, a question about it, a reply that uses it, and what is quoted of it when it is recalled."""

LIMIT = 400
"""Tokens: room for a quote or two and a few short exchanges, not for what `talk` says."""


def user(text, **fields):
    """A message of the user."""
    return ChatMessage(role="user", content=text, **fields)


def assistant(text, **fields):
    """A message of the assistant."""
    return ChatMessage(role="assistant", content=text, **fields)


def talk(memory, turns=20):
    """Say the fact, and then so much else that it is in no window any more."""
    history = [user(FACT), assistant("Good to know.")]
    for number in range(turns):
        history.append(user(f"On day {number} the wind came from the north-west and the mainsail was reefed twice."))
        history.append(assistant(f"Then day {number} was a rough one."))
    memory.set(history)


def texts(messages):
    """Roles and texts of messages."""
    return [(message.role.value, message.content) for message in messages]


def said(memory, session=SESSION):
    """Roles and texts of what the engine has stored."""
    return [(one.role, one.content) for one in memory.registry.get(session).messages()]


def steps(memory, session=SESSION):
    """How many learning steps there were in all."""
    core = memory.registry.get(session)
    return sum(len(core.history(signal.signal_id)) for signal in core.signals)


@pytest.fixture(autouse=True)
def framework_loop(request):
    """A loop for LlamaIndex's sync calls, which else make one in the main thread and never close it.

    The garbage collector would find it in a later test, which fails for it. An async test has a loop of its own.
    """
    if iscoroutinefunction(request.function):
        yield
        return
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


@pytest.fixture
def registry(tmp_path):
    """An engine on a file of its own, with the encoder that needs no model."""
    # What power loss does is tested elsewhere.
    with MemoryRegistry(put_empty(tmp_path / "memory.db"), encoder=HashingEncoder(), durability="fast") as registry:
        yield registry


@pytest.fixture
def make(registry):
    """Makes memories on `registry`."""

    def made(session_id=SESSION, **options):
        options = {"token_limit": LIMIT, **options}
        return StreetAIChatMemoryBuffer.from_defaults(registry=registry, session_id=session_id, **options)

    return made


@pytest.fixture
def memory(registry, make):
    """A memory that has been talked to for long."""
    put(Path(registry.store.path), talked())
    return make()


@cache
def talked():
    """A database in which a memory has been talked to for long."""

    def fill(path):
        with MemoryRegistry(path, encoder=HashingEncoder()) as registry:
            talk(StreetAIChatMemoryBuffer.from_defaults(registry=registry, session_id=SESSION, token_limit=LIMIT))

    return file_of(fill)
