"""Whatever fails: a paid reply is never lost, and nothing is stored twice."""

import gc
import threading

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from tests.adapters.conformance.matrix import ROWS
from tests.adapters.wire.answers import Answer
from tests.forks import PATIENCE, held_elsewhere

ASKED = ("user", "Where does my boat lie?")
LONG = Answer("Your boat lies at berth thirty-one of the old harbour.")

STYLES = [
    pytest.param(row, style, id=f"{row.name}-{style}") for row in ROWS for style in row.styles if style != "structured"
]


@pytest.mark.parametrize(("row", "style"), STYLES)
def test_an_error_of_the_provider_is_the_apps(bench, style):
    """The user's message is kept, and a second try is the same turn."""
    bench.wire.answers.append(Answer(status=500))
    with pytest.raises(Exception, match="500"):
        bench.say(style, [ASKED])
    assert [ASKED] == bench.stored()
    bench.say(style, [ASKED])
    assert [ASKED, ("assistant", "Noted.")] == bench.stored()
    assert [ASKED[1]] == bench.wire.last.texts[-1:]
    assert bench.failures == []


@pytest.mark.parametrize("style", ["plain", "stream"])
def test_a_timeout_is_the_apps(bench, style):
    """The same."""
    bench.wire.answers.append(Answer(hangs=True))
    hasty = bench.row.client(
        bench.wire.url,
        asynchronous=bench.driver.asynchronous,
        timeout=0.2,
        memory_id="mara",
        registry=bench.registry,
    )
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever the HTTP library calls it
        bench.row.say(bench.driver, hasty, style, [ASKED])
    assert "time" in repr(caught.value).lower()
    bench.driver.close(hasty)
    assert [ASKED] == bench.stored()
    bench.say(style, [ASKED])
    assert [ASKED, ("assistant", "Noted.")] == bench.stored()


def test_a_stream_that_breaks_leaves_what_came(bench):
    """The partial reply is kept and marked, and nothing is learned from it."""
    memory = bench.registry.get("mara")
    memory.add_message("My boat lies at berth thirty-one.", role="user", conversation_id="long ago")
    for number in range(12):
        memory.add_message(f"Chapter {number} of the logbook was dull, as always.", "user", conversation_id="long ago")
    bench.wire.answers.append(Answer(LONG.text, cut_after=7))
    stream = bench.row.open_stream(bench.driver, bench.client, [ASKED])
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever the HTTP library calls it
        list(bench.driver.each(stream))
    (asked, reply) = bench.registry.get("mara").messages(conversation_id=None)
    assert ASKED[1] == asked.content
    assert LONG.text.startswith(reply.content)
    assert reply.metadata["partial"] is True
    turn = bench.client.memory_turn(stream)
    assert (turn.partial, turn.finished, turn.updates) == (True, True, ())
    assert turn.prompt.retrieved


def test_a_stream_that_is_closed_leaves_what_was_read(bench):
    """Not a word more than the app has seen, however much had arrived."""
    bench.wire.answers.append(LONG)
    heard = bench.say("stream", [ASKED], take=3)
    (_, reply) = bench.registry.get("mara").messages()
    assert (heard.text, True) == (reply.content, reply.metadata["partial"])
    assert bench.turn(heard).partial


@pytest.fixture(scope="module", autouse=True)
def _quick_collections():
    """The collector looks at what a test made, and not each time at all modules too."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def abandoned(bench, read):
    """A stream of which so many events were read, in a cycle with its app, so that only the collector finds it."""
    bench.wire.answers.append(LONG)
    stream = bench.row.open_stream(bench.driver, bench.client, [ASKED])
    events = bench.driver.each(stream)
    for _ in range(read):
        next(events)
    cycle = [stream, events]
    cycle.append(cycle)


def handed_over(bench):
    """Whatever finalizers handed over has been done."""
    if bench.driver.asynchronous:
        bench.driver.wait(settled())
    bench.client._streetai.interceptor._later.finish()


def has_what_was_read(bench, read):
    """Whether the message is stored, and of the reply not a word more than was read."""
    assert [ASKED] == bench.stored()[:1] or (bench.row.asks_late and not read)
    replies = [text for _, text in bench.stored()[1:]]
    assert bool(read) == bool(replies)
    assert all(LONG.text.startswith(text) and text != LONG.text for text in replies)
    assert bench.failures == []


@pytest.mark.parametrize("read", [0, 5])
def test_a_stream_that_is_abandoned_leaves_what_was_read(bench, read):
    """The garbage collector finds it; the memory writes on a thread of its own."""
    abandoned(bench, read)
    gc.collect()
    handed_over(bench)
    has_what_was_read(bench, read)


def test_the_collector_waits_for_no_lock(bench):
    """It may step in while the very thread that it runs in holds any lock of the registry, a memory or the client."""
    interceptor, hot = bench.client._streetai.interceptor, bench.registry._surroundings.hot
    held = [
        bench.registry._lock,
        bench.registry.executor._shutdown_lock,
        bench.registry.executor.writers._shutdown_lock,
        bench.registry.encoder._lock,
        hot._lock,
        bench.registry.get("mara")._coherent.lock,
        interceptor._lock,
        interceptor._later._lock,
        interceptor._open._lock,
        interceptor._responses._lock,
    ]
    gc.disable()  # so that it is not found before
    try:
        abandoned(bench, 5)
        # By another thread, as some may be taken twice by one. A thread collects, so that no test never ends.
        with held_elsewhere(held):
            thread = threading.Thread(target=gc.collect, daemon=True)
            thread.start()
            thread.join(PATIENCE)
            waits = thread.is_alive()
    finally:
        gc.enable()
    assert not waits
    handed_over(bench)
    has_what_was_read(bench, 5)


@pytest.mark.parametrize("read", [0, 5])
def test_a_client_that_is_closed_keeps_what_was_read(bench, read):
    """Of a stream that is still open; reading on, or forgetting it, then changes nothing."""
    bench.wire.answers.append(LONG)
    stream = bench.row.open_stream(bench.driver, bench.client, [ASKED])
    events = bench.driver.each(stream)
    for _ in range(read):
        next(events)
    bench.driver.close(bench.client)
    has_what_was_read(bench, read)
    before = bench.stored()
    bench.driver.close(stream)
    del events, stream
    gc.collect()
    handed_over(bench)
    assert before == bench.stored()


async def settled():
    """Let the loop do what is waiting."""
    import asyncio  # noqa: PLC0415 - only here

    for _ in range(10):
        await asyncio.sleep(0)


@pytest.mark.parametrize(("row", "style"), STYLES)
def test_a_failing_memory_costs_no_reply(bench, style):
    """It is reported."""
    bench.driver.unguarded()
    bench.registry.close()
    heard = bench.say(style, [ASKED])
    assert "Noted." == heard.text
    assert {"ClosedError"} == {type(one).__name__ for one in bench.failures}
    assert [ASKED[1]] == bench.wire.last.texts[-1:]


@pytest.mark.parametrize(("row", "style"), STYLES)
def test_a_memory_that_fails_in_between_costs_no_reply(bench, style):
    """Recalled, and then not stored."""
    bench.driver.unguarded()

    def answer(_):
        bench.registry.close()
        return LONG

    bench.wire.otherwise = answer
    assert LONG.text == bench.say(style, [ASKED]).text
    assert ["ClosedError"] == [type(one).__name__ for one in bench.failures]


@pytest.mark.parametrize("style", ["plain", "stream"])
def test_a_turn_under_way_is_not_stored_behind_an_erasure(bench, style):
    """What the user said before she had all of it erased came back when the reply was there."""
    bench.driver.unguarded()

    def answer(_):
        bench.registry.forget("mara")
        return LONG

    bench.say(style, [ASKED])
    bench.wire.otherwise = answer
    assert LONG.text == bench.say(style, [("user", "And how deep is it?")]).text
    assert ["StaleMemoryError"] == [type(one).__name__ for one in bench.failures]
    assert [] == bench.stored()
    bench.wire.answers.append(Answer())
    bench.say(style, [ASKED])
    assert [ASKED, ("assistant", "Noted.")] == bench.stored()


def test_an_erasure_of_another_process_is_no_failure_of_the_next_call(bench, tmp_path):
    """What was said since is recalled; a response that is kept does not bind the client to what was erased."""
    kept = bench.say("plain", [ASKED])
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder()) as other:
        other.forget("mara")
        other.get("mara").add_message("My boat lies at berth thirty-one.", role="user", conversation_id="another")
    bench.say("plain", [ASKED])
    assert "berth thirty-one" in " ".join(bench.wire.last.texts)
    assert bench.failures == []
    assert bench.turn(kept).finished


def test_a_request_without_anything_of_the_users_passes_untouched(bench):
    """There is nothing to recall for, and nothing to store."""
    if not bench.row.name.startswith("openai"):
        pytest.skip("this API refuses a request without a user's message")
    bench.registry.get("mara").add_message("My boat lies at berth thirty-one.", role="user")
    before = bench.stored()
    heard = bench.say("plain", [("system", "Where does my boat lie?")])
    assert before == bench.stored()
    assert bench.turn(heard) is None
    assert ["Where does my boat lie?"] == [text for text in bench.wire.last.texts if text]


def test_a_call_without_a_memory_is_refused(bench):
    """No memory is shared by default, and an id that is missing by mistake is not passed over."""
    nobody = bench.row.client(bench.wire.url, asynchronous=bench.driver.asynchronous, registry=bench.registry)
    for ids in ({}, {"memory_id": None}, {"memory_id": " "}, {"memory_id": 7}):
        with pytest.raises(ValueError, match="memory_id"):
            bench.row.say(bench.driver, nobody, "plain", [ASKED], **ids)
    with pytest.raises(ValueError, match="memory_id"):
        _ = nobody.memory
    bench.driver.close(nobody)
    assert bench.wire.received == []
