"""Every style of call: recalled before, stored once and learned from after."""

import copy
from datetime import datetime, timedelta, timezone

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import InputError
from tests.adapters.conformance.matrix import ROWS
from tests.adapters.wire.answers import Answer
from tests.asked import Asked

STYLES = [
    pytest.param(row, style, id=f"{row.name}-{style}") for row in ROWS for style in row.styles if style != "structured"
]

BERTH = "My boat Kittiwake lies at berth thirty-one of the old harbour in Kiel."


def with_style(function):
    """Once for each row and style, synchronous and not."""
    return pytest.mark.parametrize(("row", "style"), STYLES)(function)


@with_style
def test_what_was_said_is_stored_and_sent_along(bench, style):
    """Message and reply, in order, under the ids that the response's record has."""
    bench.wire.answers += [Answer("Good to know, a fine boat."), Answer("It lies at berth thirty-one.")]
    first = bench.say(style, [("system", "Be brief."), ("user", BERTH)])
    second = bench.say(style, [("system", "Be brief."), ("user", "Where does my boat lie?")])
    said = [
        ("user", BERTH),
        ("assistant", "Good to know, a fine boat."),
        ("user", "Where does my boat lie?"),
        ("assistant", "It lies at berth thirty-one."),
    ]
    assert said == bench.stored()
    assert ["Good to know, a fine boat.", "It lies at berth thirty-one."] == [first.text, second.text]
    for heard, messages in ((first, said[:2]), (second, said[2:])):
        turn = bench.turn(heard)
        assert turn.finished
        assert not turn.partial
        by_id = {one.message_id: one.content for one in bench.registry.get("mara").messages()}
        assert [by_id[turn.user_message_id], by_id[turn.assistant_message_id]] == [text for _, text in messages]
    sent = bench.wire.last.texts
    assert BERTH in sent
    assert sent[-1].endswith("Where does my boat lie?")
    assert bench.failures == []


@with_style
def test_an_empty_memory_adds_nothing(bench, style):
    """The request of the wrapped client is the one that the SDK's own client sends."""
    items = [("system", "Be brief."), ("user", "Hello.")]
    bench.say(style, items)
    plain = bench.row.plain_client(bench.wire.url, asynchronous=bench.driver.asynchronous)
    bench.row.say(bench.driver, plain, style, items)
    bench.driver.close(plain)
    ours, theirs = bench.wire.received
    assert theirs.body == ours.body
    assert set(theirs.headers) == set(ours.headers)


@with_style
def test_a_call_can_name_its_memory_and_conversation(bench, style):
    """One client, several users, several threads; nothing crosses from one user to another."""
    bench.say(style, [("user", BERTH)], memory_id="jonas", conversation_id="c1")
    bench.say(style, [("user", "Where does my boat lie?")])
    bench.say(style, [("user", "Where does my boat lie?")], memory_id="jonas", conversation_id="c2")
    assert ["jonas", "mara"] == bench.registry.ids()
    assert ["Where does my boat lie?"] == bench.wire.received[1].texts[-1:]
    assert "berth thirty-one" in bench.wire.received[2].texts[-1]
    assert [("user", BERTH), ("assistant", "Noted.")] == bench.stored("jonas", conversation_id="c1")
    assert 2 == len(bench.stored("mara"))


@with_style
def test_a_call_can_say_when_and_where_it_is_made(bench, style):
    """A server in UTC has users in other zones, whose yesterday is another day; the provider is told nothing of it."""
    evening = datetime(2026, 6, 9, 20, 0, tzinfo=timezone(-timedelta(hours=7)))
    asked = Asked()
    bench.registry = MemoryRegistry(bench.registry.store, encoder=HashingEncoder(), observers=[asked])
    client = bench.row.client(
        bench.wire.url,
        asynchronous=bench.driver.asynchronous,
        memory_id="mara",
        registry=bench.registry,
        asked_at=lambda: evening - timedelta(days=1),
    )
    givens = ({"asked_at": evening}, {"asked_at": lambda: evening}, {}, {"asked_at": None}, {"asked_at": lambda: None})
    for given in givens:
        bench.row.say(bench.driver, client, style, [("user", f"Where was I yesterday? {len(asked.times)}")], **given)
    changed = client.with_options(asked_at=evening)
    bench.row.say(bench.driver, changed, style, [("user", "Where was I yesterday?")])
    with pytest.raises(InputError, match="asked_at"):
        bench.row.say(bench.driver, client, style, [("user", BERTH)], asked_at="yesterday")
    assert asked.times == [evening, evening, evening - timedelta(days=1), None, None, evening]
    assert asked.times[0].utcoffset() == timedelta(hours=-7)
    assert not [name for request in bench.wire.received for name in request.headers if "streetai" in name.lower()]
    assert not [request for request in bench.wire.received if "asked_at" in request.body]
    bench.driver.close(client)


def test_ids_are_any_text(bench):
    """And a call can ask for the conversation without an id, whichever way the SDK takes what is given to a call."""
    ids = {"memory_id": "Zoë ☂\r\n%41", "conversation_id": "fil à\tfil"}
    bench.say("plain", [("user", BERTH)], **ids)
    bench.say("plain", [("user", "Where does my boat lie?")], **{**ids, "conversation_id": None})
    assert [ids["memory_id"]] == bench.registry.ids()
    assert 2 == len(bench.stored(**ids))
    assert 2 == len(bench.stored(ids["memory_id"], conversation_id=None))
    assert not any("streetai" in name for one in bench.wire.received for name in one.headers)


@with_style
def test_recalled_text_is_the_users_and_never_stored(bench, style):
    """It stands in the last message, in front of what the user says, fenced; and it is not what was said."""
    memory = bench.registry.get("mara")
    memory.add_message(BERTH, role="user", conversation_id="long ago")
    for number in range(12):
        memory.add_message(f"Chapter {number} of the logbook was dull, as always.", "user", conversation_id="long ago")
    heard = bench.say(style, [("system", "Be brief."), ("user", "Where does my boat Kittiwake lie?")])
    *before, last = bench.wire.last.texts
    assert "berth thirty-one" in last
    assert last.endswith("Where does my boat Kittiwake lie?")
    assert not any("berth thirty-one" in text for text in before)
    assert [("user", "Where does my boat Kittiwake lie?"), ("assistant", "Noted.")] == bench.stored(
        conversation_id=None
    )
    turn = bench.turn(heard)
    assert turn.prompt.retrieved
    assert [hit.signal.signal_id for hit in turn.prompt.retrieved] == [row["signal_id"] for row in turn.updates]


@with_style
def test_the_callers_objects_stay_as_they_are(bench, style):
    """What the app passes is its own."""
    items = [("system", "Be brief."), ("user", BERTH), ("assistant", "Noted."), ("user", "Where does my boat lie?")]
    request = bench.row.request(items)
    before = copy.deepcopy(request)

    class Same(type(bench.row)):
        """Passes the same objects each time."""

        def request(self, items):
            return request

    Same().say(bench.driver, bench.client, style, items)
    Same().say(bench.driver, bench.client, style, items)
    assert before == request


@with_style
def test_a_history_that_is_sent_along_is_stored_once(bench, style):
    """The app keeps the conversation and sends all of it, each time with one exchange more."""
    items = [("system", "Be brief.")]
    for number in range(5):
        items.append(("user", f"Entry {number}: the wind was {number} knots, and the boat stayed in the harbour."))
        bench.wire.answers.append(Answer(f"Entry {number} is written down."))
        items.append(("assistant", bench.say(style, items).text))
    assert items[1:] == bench.stored()
    assert bench.failures == []
