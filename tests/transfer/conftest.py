"""Memories with something of everything, in both stores."""

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders import HashingEncoder
from streetai_core.stores.reference import ReferenceStore
from streetai_core.stores.sqlite import SqliteStore

DATA = Path(__file__).parent / "data"

PUBLISHED = DATA / "published.sqlite"
"""Two memories that the package streetai-memory 0.2.0 wrote, with vectors of hashed words; learned from three times."""

NOON = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=timezone.utc)

SAID = [
    NewMessage(content="My boat Kittiwake draws 1.35 metres.", role="user", name="Mara", conversation_id="first"),
    NewMessage(content="Then a berth with two metres will do.\n\nTake 31.", role="assistant", conversation_id="first"),
    NewMessage(content="Look it up.", role="user", metadata={"ünïcode": [1, 2.5, None, {"a": "\u2028"}]}),
    NewMessage(
        content="",
        role="assistant",
        metadata={"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
    ),
    NewMessage(content="berth 31 is free", role="tool", metadata={"tool_call_id": "c1"}),
    NewMessage(content="We moved the boat to berth 12 last Saturday.", role="user", name="Mara", message_id="moved"),
    NewMessage(content="```python\n" + "print('a line of code')\n" * 60 + "```\nThat is it.", role="assistant"),
    NewMessage(
        content="\u202eRTL, \U0001f980, 日本語の文章です。船は港にあります。", role="user", conversation_id="日本"
    ),
]


def fill(memory):
    """Say, learn, edit and delete."""
    for number, message in enumerate(SAID):
        memory.add_messages([NewMessage(**fields_of(message) | {"created_at": NOON + timedelta(days=number)})])
    for reply in ("Kittiwake draws 1.35 metres.", "Nothing of that kind.", "She lies at berth 12."):
        prompt = memory.build_prompt(
            "How deep is the boat Kittiwake, and at which berth does she lie?", token_budget=90
        )
        memory.post_process(memory.retrieve("boat Kittiwake berth"), reply)
        assert prompt.messages
    gone = memory.add_message("This will be deleted.", role="user")
    memory.delete_message(gone[0].parent_turn_id)
    memory.update_message("moved", "We moved the boat to berth 14 last Saturday.")
    memory.add_message("From a mail.", role="user", writer="mail", message_id="mail")
    memory.quarantine(writer="mail")
    memory.quarantine(message="mail")
    memory.quarantine(conversation=None)
    memory.release(conversation=None)
    return memory


def fields_of(message):
    """The fields of a frozen value."""
    return {name: getattr(message, name) for name in type(message).__dataclass_fields__}


@pytest.fixture(params=["sqlite", "reference"])
def registry(request, tmp_path):
    """Both stores."""
    store = SqliteStore(tmp_path / "memory.db", durability="fast") if request.param == "sqlite" else ReferenceStore()
    with MemoryRegistry(store, encoder=HashingEncoder(64)) as made:
        yield made


@pytest.fixture
def sqlite(tmp_path):
    """One in a file."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder(64), durability="fast") as made:
        yield made


@pytest.fixture
def classic(tmp_path):
    """The published pipeline, whose centroids follow weights."""
    with MemoryRegistry(tmp_path / "classic.db", encoder=HashingEncoder(64), config=Config.classic()) as made:
        yield made


@pytest.fixture
def write(tmp_path):
    """Writes a file of text, or of a JSON value, and returns its path."""

    def put(content, name="source.json"):
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return put
