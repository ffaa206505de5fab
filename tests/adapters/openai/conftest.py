"""A server for each of OpenAI's APIs, and a memory."""

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from tests.adapters.wire import openai_chat_api, openai_responses_api
from tests.adapters.wire.server import served


@pytest.fixture
def registry(tmp_path):
    """Memories in a file that does not wait for the disk."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder(), durability="fast") as registry:
        yield registry


@pytest.fixture
def chat():
    """A server of Chat Completions; nothing invalid may come in."""
    with served(openai_chat_api) as wire:
        yield wire


@pytest.fixture
def responses():
    """A server of the Responses API; the same."""
    with served(openai_responses_api) as wire:
        yield wire
