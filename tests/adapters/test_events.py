"""Server-sent events, as they are read from the bytes of a stream."""

import random

import pytest

from streetai_core.adapters.events import at_events, events_of

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


def test_pieces_are_the_stream_and_end_with_events():
    """However the network cuts it, also in the middle of an empty line."""
    seed = random.SystemRandom().randrange(10**6)
    print(f"seed {seed}")  # noqa: T201 - to run it again with
    order = random.Random(seed)
    for _ in range(200):
        cuts = sorted(order.sample(range(len(STREAM)), 6))
        chunks = [STREAM[a:b] for a, b in zip([0, *cuts], [*cuts, len(STREAM)], strict=True)]
        pieces: list[bytes] = []
        for chunk in chunks:
            pieces += at_events(chunk, b"".join(pieces))
        assert STREAM == b"".join(pieces)
        for number in range(len(pieces)):
            # No piece has an event that ended and a part of the next one.
            assert not any(end in pieces[number][:-4] for end in (b"\n\n", b"\r\n\r\n"))


@pytest.mark.parametrize(
    "data", [b"\xff\xfe\n\n", b"data: \xff\n\n", b"\r\n\r\n\n\n\r\r", b"data:" + b"[" * 99999 + b"\n\n"]
)
def test_nonsense_is_no_event(data):
    """Nothing that a server sends raises."""
    assert events_of(data) == []
