"""The window has the newest exchange, however many tools the reply to it used."""

import re
import sqlite3
from dataclasses import replace

import pytest

from streetai_core import Config, EstimatedTokens, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.prompt.assembly import Assembly, Frame
from streetai_core.recall.leaning import _LAST as LOOKED_AT
from streetai_core.stores.sqlite import SqliteStore
from tests.prompt.test_turns import call, make_message, result

ASKED = "Please check all servers."
REPLY = "All servers are fine but db3."
QUESTION = "And the other one?"


def talk(count):
    """Messages of a long conversation."""
    roles = ("user", "assistant")
    return [NewMessage(content=f"Long talk {n} about the weather at sea.", role=roles[n % 2]) for n in range(count)]


def checked(calls):
    """A question, and a reply that used so many tools, one after the other."""
    steps = []
    for number in range(calls):
        made = {"id": f"c{number}", "type": "function", "function": {"name": "check", "arguments": "{}"}}
        steps.append(NewMessage(content="", role="assistant", metadata={"tool_calls": [made]}))
        steps.append(NewMessage(content="ok", role="tool", metadata={"tool_call_id": f"c{number}"}))
    return [NewMessage(content=ASKED, role="user"), *steps, NewMessage(content=REPLY, role="assistant")]


class Traced:
    """A store that remembers what it was asked."""

    def __init__(self, path):
        self.asked = []
        self.store = SqliteStore(path, opener=self._open)

    def _open(self, uri, **options):
        connection = sqlite3.connect(uri, **options)
        connection.set_trace_callback(self.asked.append)
        return connection

    def read_for_the_window(self):
        """How many of the last messages of the conversation were read, each time; for a follow-up it is fewer."""
        limits = [re.search(r"conversation_id IS NULL ORDER BY sequence DESC LIMIT (\d+)$", one) for one in self.asked]
        return [size for limit in limits if limit and (size := int(limit[1])) > LOOKED_AT]


@pytest.fixture
def traced(tmp_path):
    """A store in a file."""
    return Traced(tmp_path / "m.db")


def opened(traced, messages, **settings):
    """A memory in which all that was said; what was asked of the store until then is forgotten."""
    registry = MemoryRegistry(traced.store, encoder=HashingEncoder(), config=Config(**settings))
    memory = registry.get("m")
    memory.add_messages(messages)
    traced.asked.clear()
    return memory


@pytest.mark.parametrize("recency_turns", [1, 3])
@pytest.mark.parametrize("calls", [1, 10, 11, 40])
def test_the_newest_exchange_is_there_whatever_tools_were_called(traced, recency_turns, calls):
    """From eleven calls on the question lay before what was read, and the model saw nothing of the conversation."""
    memory = opened(traced, [*talk(60), *checked(calls)], recency_turns=recency_turns)
    sent = memory.build_prompt(QUESTION).messages
    start = [message["content"] for message in sent].index(ASKED)
    roles = ["user", *["assistant", "tool"] * calls, "assistant", "user"]
    assert [message["role"] for message in sent[start:]] == roles
    assert sent[-2]["content"] == REPLY


def test_a_question_that_is_stored_already_is_no_exchange(traced):
    """Some apps store it before they ask for a prompt."""
    memory = opened(traced, [*talk(60), *checked(11)])
    before = memory.build_prompt(QUESTION)
    memory.add_message(QUESTION, "user")
    assert memory.build_prompt(QUESTION).messages == before.messages


def test_with_tools_called_before_the_window_is_the_same_size(traced):
    """Three messages and the one before them: tool traffic among them is not counted, however much it is."""
    memory = opened(traced, [*talk(60), *checked(11)])
    contents = [message["content"] for message in memory.build_prompt(QUESTION).messages]
    assert [f"Long talk {n} about the weather at sea." for n in (58, 59)] == contents[:2]


@pytest.mark.parametrize(
    ("messages", "reads"), [(talk(60), [22]), (talk(4), [22]), ([*talk(60), *checked(11)], [22, 44])]
)
def test_more_is_read_only_where_tools_hide_the_window(traced, messages, reads):
    """An ordinary conversation is read once, and twice as much where that is not enough."""
    memory = opened(traced, messages)
    memory.build_prompt("Which weather was it at sea on that long day?")
    assert traced.read_for_the_window() == reads


def test_no_more_is_read_where_the_window_is_full(traced):
    """What was said before an exchange that takes all the room is of no use to it."""
    memory = opened(traced, [*talk(20), *checked(40), *checked(60)])
    prompt = memory.build_prompt("Which weather was it at sea on that long day?")
    assert traced.read_for_the_window() == [22, 44, 88, 176]
    assert prompt.inspector["recency_window_size"] == 122


@pytest.mark.parametrize("role", ["assistant", "system"])
def test_without_any_question_no_more_is_read(traced, role):
    """An app's log of what it has sent has no user in it."""
    memory = opened(traced, [NewMessage(content=f"Notice {n} went out.", role=role) for n in range(200)])
    memory.build_prompt("Which notice went out on that long day?")
    assert traced.read_for_the_window() == [22]


class Noted(dict):
    """Metadata that count how often they are looked at."""

    looks = 0

    def get(self, key, default=None):
        """One look more."""
        Noted.looks += 1
        return super().get(key, default)


def test_the_messages_of_a_long_exchange_are_looked_at_a_few_times(monkeypatch):
    """Turns made anew for each message of a reply with a thousand took 500,000 looks, while the memory was locked."""
    monkeypatch.setattr(Noted, "looks", 0)
    steps = [one for n in range(1, 1001, 2) for one in (call(n, "a"), result(n + 1, "a"))]
    said = [make_message(0, "user", ASKED), *steps, make_message(1001, "assistant", REPLY)]
    said = [replace(one, metadata=Noted(one.metadata)) for one in said]
    frame = Frame(question=QUESTION, system=None, secret="", history_tokens=0, token_budget=None)
    window = Assembly(frame, Config(), EstimatedTokens()).window(said)
    assert list(window.shown) == said
    assert Noted.looks < 10 * len(said)
