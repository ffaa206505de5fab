"""Values that are equal to what is expected and something else: members of enumerations, NumPy's and pandas' values."""

import enum
from datetime import datetime, timezone

import numpy as np
import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder

TEXT = "I moor at berth 31."


class Word(str, enum.Enum):
    """Texts as frameworks keep them."""

    ROLE = "user"
    SOURCE = "document"
    ID = "m1"


class Odd(str):
    """A text that is written otherwise than it is."""

    __slots__ = ()

    def __str__(self):
        return "something else"


class Moment(datetime):
    """A time that is written otherwise than it is."""

    def isoformat(self, *_):
        """No time."""
        return "no time"


GIVEN = {
    "role": (Word.ROLE, np.str_("user"), Odd("user")),
    "source": (Word.SOURCE, np.str_("document"), Odd("document")),
    "message_id": (Word.ID, np.str_("m1"), Odd("m1")),
    "conversation_id": (Word.ID, np.str_("m1"), Odd("m1")),
    "writer": (Word.ID, np.str_("m1"), Odd("m1")),
    "name": (Word.ID, np.str_("m1"), Odd("m1")),
    "content": (np.str_(TEXT), Odd(TEXT)),
    "created_at": (Moment(2026, 3, 2, tzinfo=timezone.utc),),
    "trust": (np.float64(0.75),),
}
CASES = [pytest.param(what, value, id=f"{what} {type(value).__name__}") for what in GIVEN for value in GIVEN[what]]


@pytest.mark.parametrize(("what", "value"), CASES)
def test_what_is_stored_is_read_again(tmp_path, what, value):
    """If it fails, a message is acknowledged that nobody can read: the memory looks damaged from then on."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        (signal,) = registry.get("u").add_message(**{"content": TEXT, "role": "user", what: value})
        assert signal.content == TEXT
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        memory = registry.get("u")
        (message,) = memory.messages()
        assert getattr(message, what) == value
        assert type(getattr(message, what)) in {str, float, datetime}
        assert [hit.signal.content for hit in memory.retrieve("Which berth?")] == [TEXT]
        assert registry.doctor().healthy


@pytest.mark.parametrize("memory_id", [Word.ID, np.str_("m1"), Odd("m1")], ids=type)
def test_the_id_of_a_memory(tmp_path, memory_id):
    """If it fails, the same user has two memories, or one that cannot be read."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        registry.get(memory_id).add_message(TEXT, "user")
        assert registry.ids() == ["m1"]
        assert [message.content for message in registry.get("m1").messages()] == [TEXT]
        registry.reset(memory_id)
        assert not registry.get("m1").messages()
