"""Events, as they are read from the bytes of a stream."""

import base64
import json
import random

import pytest

from streetai_core.adapters.amazon_events import AmazonEvents
from streetai_core.adapters.events import ServerSentEvents, events_of
from tests.adapters.wire.anthropic_clouds import message
from tests.seeds import seeded

STREAM = (
    b'data: {"a": 1}\n\n: a comment\n\nevent: x\r\ndata: {"b":\r\ndata: 2}\r\n\r\n'
    b'data: "no object"\n\ndata: broken {\n\ndata: [DONE]\n\ndata: {"c": 3}'
)

EVENTS = [{"a": 1}, {"b": 2}, {}]
"""What has ended in it, and is an object."""


def test_events_are_what_has_ended():
    """The last one has not."""
    assert EVENTS == events_of(STREAM)
    assert [*EVENTS, {"c": 3}] == events_of(STREAM + b"\n\n")
    assert events_of(b"") == []


def amazons(event):
    """An event as Amazon sends it."""
    return message(json.dumps({"bytes": base64.b64encode(json.dumps(event).encode()).decode()}).encode())


AMAZONS = [amazons({"a": 1}), message(b'{"message": "slow down"}'), amazons({"b": "\n\n"}), amazons([1]), amazons({})]


def cut(events, stream, seed):
    """The stream in pieces, as the network cuts it and `events` cuts that again."""
    order = random.Random(seed)
    for _ in range(200):
        cuts = sorted(order.sample(range(len(stream)), 6))
        reading = events()
        pieces = [
            piece for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True) for piece in reading.cut(stream[a:b])
        ]
        assert stream == b"".join(pieces)
        assert all(pieces)
        yield pieces


@seeded
def test_pieces_are_the_stream_and_end_with_events(seed):
    """However the network cuts it, also in the middle of an empty line."""
    for pieces in cut(ServerSentEvents, STREAM, seed):
        # No piece has an event that ended and a part of the next one.
        assert not any(end in piece[:-4] for end in (b"\n\n", b"\r\n\r\n") for piece in pieces)


@seeded
def test_events_of_amazons_are_what_has_ended(seed):
    """In messages, each of which is cut off; those that have no event are left out."""
    stream = b"".join(AMAZONS)
    assert [{"a": 1}, {"b": "\n\n"}, {}] == AmazonEvents().read(stream)
    assert [{"a": 1}, {"b": "\n\n"}] == AmazonEvents().read(stream[:-1])
    ends = {sum(map(len, AMAZONS[: number + 1])) for number in range(len(AMAZONS))}
    for pieces in cut(AmazonEvents, stream, seed):
        places = {sum(map(len, pieces[: number + 1])) for number in range(len(pieces))}
        assert ends <= places


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 40,
        b"\xff" * 40,
        message(b""),
        message(b"{"),
        message(b'{"bytes": 7}'),
        message(b'{"bytes": "x"}'),
        message(b'{"bytes": "\xc3\xa9"}'),
        b"\0\0\0\x10\xff\xff\xff\xff" + b"{}" * 40,
    ],
)
def test_nonsense_is_no_event_of_amazons(data):
    """Nothing that a server sends raises, and the app gets every byte."""
    assert AmazonEvents().read(data) == []
    assert data == b"".join(AmazonEvents().cut(data))


@pytest.mark.parametrize(
    "data", [b"\xff\xfe\n\n", b"data: \xff\n\n", b"\r\n\r\n\n\n\r\r", b"data:" + b"[" * 99999 + b"\n\n"]
)
def test_nonsense_is_no_event(data):
    """Nothing that a server sends raises."""
    assert events_of(data) == []
