"""Message classes of the application's own: they come back as themselves, and a name from a database starts nothing."""

import logging
import sys
from typing import Literal

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ChatMessage, HumanMessage
from pydantic import BaseModel, Field, field_validator

from streetai_core import NewMessage
from streetai_langchain.message_classes import loaded
from streetai_langchain.messages import from_stored
from tests.langchain_plugin.conftest import stored

HERE = __name__


class Rated(HumanMessage):
    """A message of a user with stars; a field of LangChain's has another default."""

    type: Literal["rated"] = "rated"
    stars: int = 0
    additional_kwargs: dict = Field(default_factory=lambda: {"scale": 5})

    @field_validator("stars")
    @classmethod
    def _few(cls, value):
        if value > 5:
            raise ValueError("there are five stars at most")
        return value


class Place(BaseModel):
    """Part of a message."""

    latitude: float


class Log(AIMessage):
    """A message of the model's with a model in it."""

    place: Place | None = None


class Radio(BaseMessage):
    """A message that is derived from none of LangChain's own."""

    type: str = "radio"
    channel: int = 16


class Fleet:
    """Has a class inside."""

    class Signal(ChatMessage):
        """Found by its qualified name."""

        flags: list[str] = Field(default_factory=list)


class LogChunk(AIMessageChunk):
    """A chunk of a class of one's own."""


Alias = Rated

MESSAGES = [
    Rated("good", stars=5, id="r1", name="Mara"),
    Rated("bad", additional_kwargs={}),
    Rated([{"type": "text", "text": "fair"}, {"type": "image", "url": "https://example.org/boat.png"}], stars=3),
    Log("Off Kiel.", place=Place(latitude=54.4), tool_calls=[{"name": "tide", "args": {"a": 1}, "id": "c1"}]),
    Log("Nowhere."),
    Radio("over", channel=72, mood="calm"),
    Fleet.Signal("come", role="admiral", flags=["k"]),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: f"{type(message).__name__} {message.text}")
def test_it_comes_back_as_itself(shared, message):
    """6.8: equal and of the same class, with its own fields and defaults."""
    back = from_stored(stored(shared, f"own {message!r}"[:500], message)[0])

    assert type(back) is type(message)
    assert back == message


def test_without_its_class_it_comes_back_as_its_base(shared, monkeypatch):
    """6.8: another program reads the same database; nothing of the message is lost."""
    rated, radio = stored(shared, "gone", Rated("good", stars=5), Radio("over", channel=72))
    monkeypatch.delattr(sys.modules[HERE], "Rated")
    monkeypatch.delattr(sys.modules[HERE], "Radio")

    assert from_stored(rated) == HumanMessage("good", stars=5, additional_kwargs={"scale": 5})
    assert from_stored(radio) == ChatMessage("over", role="radio", channel=72)


def test_a_class_that_has_changed_refuses(shared, caplog):
    """6.7, 6.8: what it does not take any more comes back as LangChain's own, and is reported."""
    shared.add_messages([_named(f"{HERE}:Rated", stars=9)])

    with caplog.at_level(logging.WARNING, logger="streetai_langchain"):
        back = from_stored(shared.messages(conversation_id=f"{HERE}:Rated")[0])

    assert back == HumanMessage("Ahoy", stars=9)
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    "name",
    [
        "this:Zen",
        "antigravity:fly",
        "os:system",
        "builtins:dict",
        "pydantic:BaseModel",
        "langchain_core.messages:HumanMessage",
        "langchain_core.messages.modifier:RemoveMessage",
        f"{HERE}:Alias",
        f"{HERE}:Place",
        f"{HERE}:Fleet.Nothing",
        f"{HERE}:",
        f"{HERE}:LogChunk",
        "",
        ":",
        7,
    ],
)
def test_a_name_from_a_database_starts_nothing(shared, name):
    """6.8, 6.13: it imports no module, calls nothing, and makes nothing but a message that calls itself so."""
    there = set(sys.modules)
    message = _named(name)
    shared.add_messages([message])

    assert loaded(name) is None
    assert from_stored(shared.messages(conversation_id=message.conversation_id)[0]) == HumanMessage("Ahoy")
    assert not {"this", "antigravity"} & (set(sys.modules) - there)


def test_a_chunk_of_an_own_class_is_a_message(shared):
    """6.8: a stored chunk would be sent to a provider as one."""
    back = from_stored(stored(shared, "own chunk", LogChunk("Yes."))[0])

    assert type(back) is AIMessage
    assert back.content == "Yes."


def _named(name, **fields):
    """A stored message that claims to be of a class."""
    payload = {"type": "human", "class": name, "data": fields}
    return NewMessage(content="Ahoy", role="user", conversation_id=str(name) or "none", metadata={"langchain": payload})
