"""Messages that are given again: what is stored already costs the encoder nothing, whatever happens meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders.base import InputKind
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import MessageConflictError
from streetai_core.types import Matrix

HISTORY = [
    NewMessage(content=text, role="user", message_id=f"m{number}")
    for number, text in enumerate(["The boat is called Ada.", "She lies in Cork.", "The mast is new."])
]


class Watched(HashingEncoder):
    """Tells what it was given, and does something before it gives an answer."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[str] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def encode(self, texts: Sequence[str], kind: InputKind = "document") -> Matrix:
        """Vectors of the texts."""
        self.given += texts
        vectors = super().encode(texts, kind)
        self.meanwhile()
        return vectors


def test_a_history_given_again_is_not_embedded_again(tmp_path: Path) -> None:
    """Only what is new goes to the encoder, and what comes back is what a first call gave."""
    with MemoryRegistry(tmp_path / "m.db", encoder=Watched()) as registry:
        first = registry.get("a").add_messages(HISTORY)
    encoder = Watched()
    new = NewMessage(content="The sails are red.", role="user", message_id="m3")
    with MemoryRegistry(tmp_path / "m.db", encoder=encoder) as registry:
        memory = registry.get("a")
        again = memory.add_messages([*HISTORY, new])
        assert encoder.given == ["The sails are red."]
        assert [[signal.signal_id for signal in signals] for signals in again[:3]] == [
            [signal.signal_id for signal in signals] for signals in first
        ]
        assert [signal.content for signal in again[3]] == ["The sails are red."]
        assert memory.stats()["messages"] == 4
        assert memory.retrieve("What is the boat called?")[0].signal.content == "The boat is called Ada."


@pytest.mark.parametrize(
    "other",
    [{"content": "The boat is called Eve."}, {"role": "assistant"}, {"conversation_id": "another"}],
    ids=["content", "role", "conversation_id"],
)
def test_another_message_under_a_known_id_is_still_refused(tmp_path: Path, other: dict[str, str]) -> None:
    """Looking it up first takes nothing for granted but the id."""
    with MemoryRegistry(tmp_path / "m.db", encoder=Watched()) as registry:
        memory = registry.get("a")
        memory.add_messages(HISTORY)
        new = NewMessage(content="The sails are red.", role="user")
        with pytest.raises(MessageConflictError, match=f"another {next(iter(other))}"):
            memory.add_messages([new, replace(HISTORY[0], **other)])  # type: ignore[arg-type]  # one field of text
        assert memory.stats()["messages"] == 3


def test_one_that_is_deleted_while_others_are_embedded_is_stored_anew_with_its_vectors(tmp_path: Path) -> None:
    """It was known when it was looked at and is not there when it is written: then it is a new one."""
    encoder = Watched()
    with MemoryRegistry(tmp_path / "m.db", encoder=encoder) as registry:
        memory = registry.get("a")
        memory.add_messages(HISTORY)
        new = NewMessage(content="The sails are red.", role="user", message_id="m3")
        encoder.meanwhile = lambda: memory.delete_message("m0")
        stored = memory.add_messages([*HISTORY, new])
        encoder.meanwhile = lambda: None
        assert [[signal.content for signal in signals] for signals in stored] == [
            [message.content] for message in [*HISTORY, new]
        ]
        assert memory.stats()["messages"] == 4
        assert memory.stats()["without_vector"] == 0
        assert memory.audit().intact
        assert memory.retrieve("What is the boat called?")[0].signal.content == "The boat is called Ada."


def test_an_encoder_that_fails_is_not_asked_for_what_is_known(tmp_path: Path) -> None:
    """A history that is there already can be given while no model can be had."""
    encoder = Watched()

    def fail() -> None:
        raise AssertionError("nothing is to be embedded")

    with MemoryRegistry(tmp_path / "m.db", encoder=encoder) as registry:
        memory = registry.get("a")
        memory.add_messages(HISTORY)
    encoder.meanwhile = fail
    with MemoryRegistry(tmp_path / "m.db", encoder=encoder) as registry:
        assert [len(signals) for signals in registry.get("a").add_messages(HISTORY)] == [1, 1, 1]
